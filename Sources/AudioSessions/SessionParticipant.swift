internal import AudioRendering
internal import SessionArbiter
internal import SessionPolicy

/// What plays or records in a session and obeys it: players, recorders.
///
/// Told on the library's notification thread, but for `sessionDidDeactivate`, which comes on the thread that deactivates.
package protocol SessionParticipant: AnyObject, Sendable {
    /// Whether it plays or records, or would if the session let it.
    var isRunning: Bool { get }
    /// The session was interrupted; its sources stand still already. Pause (INT-9).
    func sessionWasInterrupted()
    /// The output in use was pulled out. Pause, and do not go on when one returns (ROUTE-4).
    func sessionOutputWasDisconnected()
    /// The interruption is over and the app has been told. Resume as the resume policy says (INT-9).
    func sessionInterruptionEnded(shouldResume: Bool)
    /// The app deactivated the session. Stop (ACT-7).
    func sessionDidDeactivate()
}

struct WeakParticipant {
    weak var participant: (any SessionParticipant)?
}

extension AudioSession {
    /// Adds a participant; held weakly, so that letting go of it is enough.
    package func attach(_ participant: any SessionParticipant) {
        participants.withLock { list in
            list.removeAll { $0.participant == nil }
            list.append(WeakParticipant(participant: participant))
        }
    }

    /// To be called by a participant whose `isRunning` changed (HINT-1).
    package func participantsChanged() {
        let isRunning = liveParticipants.contains(where: \.isRunning)
        guard let session = status?.session, session.isRunning != isRunning else { return }
        try? submit { .setRunning($0, isRunning) }
        followIdleness()
    }

    /// Tells the arbiter that the user paused during an interruption: its end will not ask to resume (INT-7).
    package func userPaused() { try? submit { .userPaused($0) } }

    /// Activates for a player or recorder about to start; refused, it throws and nothing starts (ACT-15).
    package func activateToStart() throws { try activateKeepingIdleTimeout() }

    var liveParticipants: [any SessionParticipant] {
        participants.withLock { $0.compactMap(\.participant) }
    }
}
