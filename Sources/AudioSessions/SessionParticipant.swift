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
    /// The output in use was pulled out. Pause, and do not go on when one returns (ROUTE-4). `isGone`: nobody hears what is played there; then at once,
    /// so that the next output gets no sample of it. Else the sound has been elsewhere all the while (a stand-in's), and is to fade.
    func sessionOutputWasDisconnected(isGone: Bool)
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
        // Looks again after it has told: another thread's change may have come between, and been told before.
        var hasChanged = false
        while let told = status?.session.isRunning {
            let isRunning = liveParticipants.contains(where: \.isRunning)
            guard told != isRunning, (try? submit { .setRunning($0, isRunning) }) != nil else { break }
            hasChanged = true
        }
        if hasChanged { followIdleness() }
    }

    /// Tells the arbiter that the user paused during an interruption: its end will not ask to resume (INT-7).
    package func userPaused() { try? submit { .userPaused($0) } }

    /// Activates for a player or recorder about to start; refused, it throws and nothing starts (ACT-15).
    package func activateToStart() throws { try activateKeepingIdleTimeout() }

    var liveParticipants: [any SessionParticipant] {
        participants.withLock { $0.compactMap(\.participant) }
    }
}
