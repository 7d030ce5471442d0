internal import SessionPolicy

/// Whether the session plays, and the players and recorders that it controls.
///
/// A session plays while a player (`AudioPlayer`) runs or its sources deliver signal to its bus
/// (`SessionBus.hasSignal`): voices, sounds, command queues, inserts and render callbacks. The
/// library finds this out and reports it to the arbiter; the app does nothing (HINT-3).
extension AudioSession {
    /// States whether the session's own sources play: for an app with a render callback that is
    /// always attached, or one that plays through a JACK client of its own. nil, as initially:
    /// they play while the session's bus has signal. Players count in any case.
    ///
    /// The statement has no effect on sound. It decides whether other apps are notified of this
    /// session's sound (HINT-1), and whether the session is interrupted when its output is
    /// disconnected (ROUTE-4).
    public func setPlaying(_ isPlaying: Bool?) { participants.state(isPlaying: isPlaying) }

    /// Adds a player or recorder of the app's own, which the session then pauses and lets resume as
    /// it does the library's players. The session holds it weakly: releasing it removes it.
    public func attach(_ participant: any SessionParticipant) { participants.add(participant) }

    /// Reports to the arbiter whether the session plays. A participant calls it when its
    /// `isRunning` (HINT-1) or `isPaused` (ACT-17) has changed, but not while it holds a lock that
    /// these take, and when it is released while it is paused.
    public func participantsChanged() { participants.reportPlaying() }

    /// Activates the session for a participant that is about to start; does nothing if the session
    /// is active, unless its silence has released others (ACT-17). If refused, throws, and the
    /// participant must not start (ACT-15). Blocks as `setActive` does.
    public func activateToStart() throws { try limits.activateToStart() }

    /// Notifies the arbiter that the user paused the app during an interruption: its end will not
    /// recommend resuming (INT-7). Does nothing while the session is not interrupted.
    public func userPaused() { try? submit { .userPaused($0) } }
}
