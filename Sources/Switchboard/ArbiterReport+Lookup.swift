internal import SessionArbiter
internal import SessionPolicy

extension ArbiterReport {
    /// Where an app is in its life; one of which nothing was told is in the foreground.
    func life(of app: AppID) -> ApplicationState { apps.first { $0.id == app }?.life ?? .foreground }

    /// A session by its number.
    func status(of id: SessionID) throws(SwitchboardError) -> SessionStatus {
        if let news = sessions.first(where: { $0.status.session.id == id }) { return news.status }
        let known = sessions.map { String($0.status.session.id.rawValue) }
        throw SwitchboardError(
            .noInput,
            """
            Session \(id.rawValue) was asked for, but the arbiter knows \
            \(known.isEmpty ? "no session" : "only \(Text.list(known))"); `audiosession status` lists them.
            """)
    }

    /// The system's own sessions, the newest last.
    var systemSessions: [SessionState] {
        sessions.map(\.status.session).filter { $0.app == .system }.sorted { $0.id < $1.id }
    }

    /// Those of them that last until a command ends them.
    var keptSessions: [SessionState] {
        let kept = Set(system.sessions.map(\.session.id))
        return systemSessions.filter { kept.contains($0.id) }
    }
}
