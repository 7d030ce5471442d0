internal import SessionArbiter
public import SessionPolicy

/// The names of the sessions and programs in a report, by their numbers.
struct SessionNames {
    private let sessions: [SessionID: SessionState]
    private let programs: [AppID: String]
    /// What apps say about their sessions.
    private let descriptions: [SessionID: SessionDescription]
    /// The programs for which another one has registered sessions, and `audiosession-adopt`, whose
    /// own sessions stand for programs without a known process.
    private let adopted: Set<AppID>
    /// The commands for which this program holds sessions: "run: espeak".
    private let commands: [AppID: String]
    /// The servers with the apps that use them: "default: player (pid 4711)".
    let servers: [String]

    /// `arguments` returns the command line of a process that runs a program; nil if it is unknown.
    init(
        _ report: ArbiterReport,
        arguments: (_ process: Int32, _ program: String) -> [String]? = ProgramProcess.arguments(_:of:)
    ) {
        sessions = Dictionary(
            report.sessions.map(\.status.session).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        programs = Dictionary(
            report.clients.map { ($0.app, $0.program) } + (report.adopted ?? []).map { ($0.app, $0.program) },
            uniquingKeysWith: { first, _ in first })
        descriptions = Dictionary(
            (report.descriptions ?? []).map { ($0.session, $0.description) }, uniquingKeysWith: { first, _ in first })
        let adopters = report.clients.filter { $0.isTrusted && $0.program.hasSuffix("/audiosession-adopt") }
        adopted = Set((report.adopted ?? []).map(\.app) + adopters.map(\.app))
        let holders = report.clients.compactMap { client in
            HoldName(program: client.program) { arguments(client.process, client.program) }
                .map { (client.app, $0.text) }
        }
        commands = Dictionary(holders, uniquingKeysWith: { first, _ in first })
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

    /// Returns the path of an app's program; nil if it is unknown.
    func program(of app: AppID) -> String? { programs[app].flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns the command for which `audiosession` holds the sessions of an app: "run: espeak",
    /// "duck"; nil for other apps.
    func command(of app: AppID) -> String? { commands[app] }

    /// Returns the last component of the program's path, or that command.
    func programName(of app: AppID) -> String? {
        command(of: app) ?? program(of: app).map { String($0.split(separator: "/").last ?? "") }
    }

    /// Returns what an app says about a session; nil if it says nothing.
    func description(of id: SessionID) -> SessionDescription? { descriptions[id] }

    /// Returns whether the session is that of a program that does not use this library. Then
    /// `audiosession-adopt` has described it, which any client can do for its own sessions.
    func isAdopted(_ id: SessionID) -> Bool { sessions[id].map { adopted.contains($0.app) } ?? false }

    /// Returns the name of the program of a session, which the arbiter has verified. One that the
    /// app states, and that differs, precedes it in quotation marks.
    private func programName(of session: SessionState) -> String? {
        let verified = programName(of: session.app)
        guard let stated = description(of: session.id)?.name, !stated.isEmpty,
            stated.lowercased() != verified?.lowercased()
        else { return verified }
        let quoted = "\"\(stated.replacing("\"", with: "'"))\""
        return verified.map { "\(quoted), \($0)" } ?? quoted
    }

    /// Returns the name of a session: "session 5 (player, pid 4711)", "session 6 ("radio", python3,
    /// pid 4712)", "call 7", "session 9, which has ended".
    func name(_ id: SessionID) -> String {
        guard let session = sessions[id] else { return "session \(id.rawValue), which has ended" }
        guard session.app == .system else {
            return
                "session \(id.rawValue) (\(programName(of: session).map { $0 + ", " } ?? "")pid \(session.app.rawValue))"
        }
        return session.systemName
    }
}

extension SessionState {
    /// The name of a system session: "call 7".
    var systemName: String {
        let number = String(id.rawValue)
        return switch rank {
        case .call: (isRinging ? "ringing call " : "call ") + number
        case .alarm: "alarm " + number
        case .sleep: "sleep " + number
        case .assistant: "assistant " + number
        case .app: "simulated app " + number
        }
    }

    var stateName: String {
        if playsSystemSounds { return "ready" }
        return switch activity {
        case .active: "running"
        case .waiting: "interrupted"
        case .inactive: "inactive"
        }
    }
}

extension CategoryOptions {
    /// The names of the options that are set.
    var names: [String] { Self.named.filter { isSuperset(of: $0.option) }.map(\.name) }

    /// The names of all options.
    public static var knownNames: [String] { named.map(\.name) }

    /// Returns the option with that name.
    public init?(knownName name: String) {
        guard let known = Self.named.first(where: { $0.name == name }) else { return nil }
        self = known.option
    }
}
