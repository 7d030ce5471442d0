internal import SessionArbiter
internal import SessionPolicy

/// Who is who in a report: sessions and programs by their numbers.
struct Directory {
    private let sessions: [SessionID: SessionState]
    private let programs: [AppID: String]
    /// "default: player (pid 4711)", by server.
    let servers: [String]

    init(_ report: ArbiterReport) {
        sessions = Dictionary(
            report.sessions.map(\.status.session).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        programs = Dictionary(
            report.clients.map { ($0.app, $0.program) }, uniquingKeysWith: { first, _ in first })
        let known = programs
        let groups = Dictionary(grouping: report.apps.filter { $0.server != nil }) { $0.server ?? "" }
        servers = groups.sorted { $0.key < $1.key }.map { server, apps in
            let users = apps.map { app in
                let program = known[app.id].flatMap { $0.split(separator: "/").last.map(String.init) }
                return (program.map { $0 + " " } ?? "") + "(pid \(app.id.rawValue))"
            }
            return "\(ServerView.title(of: server)): \(Text.list(users))"
        }
    }

    subscript(_ id: SessionID) -> SessionState? { sessions[id] }

    /// The path of an app's program; nil when it is not known.
    func program(of app: AppID) -> String? { programs[app].flatMap { $0.isEmpty ? nil : $0 } }

    /// The last part of the path.
    func programName(of app: AppID) -> String? {
        program(of: app).map { String($0.split(separator: "/").last ?? "") }
    }

    /// "session 5 (player, pid 4711)", "call 7".
    func name(_ id: SessionID) -> String {
        guard let session = sessions[id] else { return "session \(id.rawValue), which is gone" }
        guard session.app == .system else {
            return
                "session \(id.rawValue) (\(programName(of: session.app).map { $0 + ", " } ?? "")pid \(session.app.rawValue))"
        }
        return session.systemName
    }
}

extension SessionState {
    /// What a session of the system's own is called: "call 7".
    var systemName: String {
        let number = String(id.rawValue)
        return switch rank {
        case .call: (isRinging ? "ringing call " : "call ") + number
        case .alarm: "alarm " + number
        case .assistant: "assistant " + number
        case .app: "stand-in app " + number
        }
    }

    var stateName: String {
        switch activity {
        case .active: "running"
        case .waiting: "interrupted"
        case .inactive: "inactive"
        }
    }
}

extension CategoryOptions {
    /// The names of those in force.
    var names: [String] { Self.named.filter { isSuperset(of: $0.option) }.map(\.name) }
}
