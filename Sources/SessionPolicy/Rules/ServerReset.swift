/// Apple's manual recovery after the audio server was lost: the app sets everything up again (rule
/// SRV-2).
extension Arbitration {
    /// Resets the app's sessions to the state of new ones: inactive, with the default category and
    /// without preferred values (keeps SRV-2). Sessions that waited for one of them are notified of
    /// the end.
    mutating func resetSessions(of app: AppID) throws(Refusal) {
        try checkApp(app, .srv2)
        let sessions = state.sessions.filter { $0.app == app }
        let ids = sessions.map(\.id)
        for session in sessions {
            if session.isActive {
                notify(session.id, .deactivatedBySystem, .srv2)
                notify(session.id, .deactivated, .srv2)
            }
            if session.wait != nil { notify(session.id, .waitLapsed, .srv2) }
            if session.isOutputMuted { notify(session.id, .outputMuteChanged(false), .vol3) }
            state[session.id] = session.reset(at: now)
        }
        state.activeOrder.removeAll(where: ids.contains)
        state.pendingActivations.removeAll(where: ids.contains)
        release(waitersFor: ids, .withNotice)
    }
}

extension SessionState {
    /// Returns the session after a reset, with its identity and the state that does not depend on
    /// its settings.
    fileprivate func reset(at time: EventTime) -> SessionState {
        var session = SessionState(id: id, app: app, rank: rank, at: time)
        if case .inactive = activity { session.activity = activity }
        session.isRunning = isRunning
        session.isPaused = isPaused
        session.temporaryForegroundUntil = temporaryForegroundUntil
        session.wasSuspended = wasSuspended
        session.remoteCommands = remoteCommands
        session.nowPlaying = nowPlaying
        session.lastPlayed = lastPlayed
        session.playsSystemSounds = playsSystemSounds
        return session
    }
}
