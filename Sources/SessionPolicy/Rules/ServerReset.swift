/// Apple's manual way after the media server was lost: the app sets everything up again (rule SRV-2).
extension Arbitration {
    /// Keeps SRV-2: the app's sessions are inactive, with the default category and no wishes, as new ones; whoever waited for one of them is
    /// told the end.
    mutating func resetSessions(of app: AppID) throws(Refusal) {
        try checkApp(app, .srv2)
        let sessions = state.sessions.filter { $0.app == app }
        let ids = sessions.map(\.id)
        for session in sessions {
            if session.isActive {
                tell(session.id, .deactivatedBySystem, .srv2)
                tell(session.id, .deactivated, .srv2)
            }
            if session.wait != nil { tell(session.id, .waitLapsed, .srv2) }
            if session.isOutputMuted { tell(session.id, .outputMuteChanged(false), .vol3) }
            state[session.id] = session.reset(at: now)
        }
        state.activeOrder.removeAll(where: ids.contains)
        state.pendingActivations.removeAll(where: ids.contains)
        for id in ids { release(waitersFor: id, .withNotice) }
    }
}

extension SessionState {
    /// What is left of it: who it is, and what is so whatever it was set to.
    fileprivate func reset(at time: EventTime) -> SessionState {
        var session = SessionState(id: id, app: app, rank: rank, at: time)
        if case .inactive = activity { session.activity = activity }
        session.isRunning = isRunning
        session.foregroundLentUntil = foregroundLentUntil
        session.wasSuspended = wasSuspended
        return session
    }
}
