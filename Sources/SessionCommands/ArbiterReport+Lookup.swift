internal import SessionArbiter
internal import SessionPolicy

extension ArbiterReport {
    /// Returns the state of an app; the foreground if none was reported.
    func state(of app: AppID) -> ApplicationState { apps.first { $0.id == app }?.life ?? .foreground }

    /// Returns the status of the session with that number. Throws if there is none.
    func status(of id: SessionID) throws(CommandError) -> SessionStatus {
        if let update = sessions.first(where: { $0.status.session.id == id }) { return update.status }
        let known = sessions.map { String($0.status.session.id.rawValue) }
        throw CommandError(
            .noInput,
            """
            Session \(id.rawValue) does not exist. Sessions: \
            \(known.isEmpty ? "none" : "\(Text.list(known))"); `audiosession status` describes them.
            """)
    }

    /// The system sessions, oldest first.
    var systemSessions: [SessionState] {
        sessions.map(\.status.session).filter { $0.app == .system }.sorted { $0.id < $1.id }
    }

    /// The system sessions that last until a command ends them.
    var persistentSystemSessions: [SessionState] {
        let persistent = Set(system.sessions.map(\.session.id))
        return systemSessions.filter { persistent.contains($0.id) }
    }
}
