internal import AudioRendering
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// A player or recorder that the session controls.
///
/// The library calls it on its notification thread, except that `setActive(false)` calls
/// `sessionDidDeactivate` on its own thread.
package protocol SessionParticipant: AnyObject, Sendable {
    /// Whether it plays or records, or would do so if the session allowed it.
    var isRunning: Bool { get }
    /// The session was interrupted; its sources are already suspended. Pause (INT-9).
    func sessionWasInterrupted()
    /// The output in use was disconnected. Pause, and do not resume when an output returns
    /// (ROUTE-4).
    ///
    /// If `isGone`, the output is inaudible: pause immediately, so that the next output receives no
    /// sample of this sound. Otherwise the sound is still audible through other ports (those that a
    /// virtual device of the policy uses): fade out.
    func sessionOutputWasDisconnected(isGone: Bool)
    /// The interruption has ended and the app has been notified. Resume according to the resume
    /// policy (INT-9).
    func sessionInterruptionEnded(shouldResume: Bool)
    /// The session was deactivated. Stop (ACT-7).
    func sessionDidDeactivate()
}

struct WeakParticipant {
    weak var participant: (any SessionParticipant)?
}

extension AudioSession {
    /// Adds a participant. The session holds it weakly, so releasing the participant removes it.
    package func attach(_ participant: any SessionParticipant) {
        participants.withLock { list in
            list.removeAll { $0.participant == nil }
            list.append(WeakParticipant(participant: participant))
        }
    }

    /// Reports to the arbiter whether a participant runs. A participant calls it when its
    /// `isRunning` has changed (HINT-1).
    package func participantsChanged() {
        // Checks again after each report, because another thread may have changed the state and
        // reported it before this report.
        var hasChanged = false
        while let notified = status?.session.isRunning {
            let isRunning = liveParticipants.contains(where: \.isRunning)
            guard notified != isRunning, (try? submit { .setRunning($0, isRunning) }) != nil else { break }
            hasChanged = true
        }
        if hasChanged { updateIdleTimer() }
    }

    /// Notifies the arbiter that the user paused during an interruption: its end will not recommend
    /// resuming (INT-7).
    package func userPaused() { try? submit { .userPaused($0) } }

    /// Activates the session for a player or recorder that is about to start. If refused, throws
    /// and nothing starts (ACT-15).
    package func activateToStart() throws { try activateKeepingIdleTimeout() }

    var liveParticipants: [any SessionParticipant] {
        participants.withLock { $0.compactMap(\.participant) }
    }
}
