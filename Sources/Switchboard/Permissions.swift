internal import SessionArbiter
public import SessionPolicy

/// `audiosession permission`: the user's answers to programs that want to record (PERM-2).
public struct Permissions {
    private let desk: any ArbiterDesk
    /// Whether a program that can be run is at a path.
    private let isProgram: (String) -> Bool

    public init(_ desk: any ArbiterDesk, isProgram: @escaping (String) -> Bool) {
        self.desk = desk
        self.isProgram = isProgram
    }

    /// Of one program, or all.
    public func show(_ app: String?) throws(SwitchboardError) -> PermissionsOutcome {
        let answers = try answers()
        guard let app else { return PermissionsOutcome(permissions: answers.mapValues(\.rawValue)) }
        let program = try find(app, answers)
        return PermissionsOutcome(permissions: [program: (answers[program] ?? .undetermined).rawValue])
    }

    public func answer(_ permission: RecordPermission, to app: String) throws(SwitchboardError) -> PermissionsOutcome {
        let program = try find(app, try answers())
        try keep(permission, program)
        return PermissionsOutcome(permissions: [program: permission.rawValue])
    }

    /// Has one program, or all, ask again.
    public func reset(_ app: String?) throws(SwitchboardError) -> PermissionsOutcome {
        let answers = try answers()
        let programs = try app.map { app throws(SwitchboardError) in [try find(app, answers)] } ?? answers.keys.sorted()
        for program in programs { try keep(.undetermined, program) }
        let reset = programs.map { ($0, RecordPermission.undetermined.rawValue) }
        return PermissionsOutcome(permissions: Dictionary(uniqueKeysWithValues: reset))
    }

    private func answers() throws(SwitchboardError) -> [String: RecordPermission] {
        try desk.ask(.permission(program: nil, nil), for: \.permissions, "permissions")
    }

    private func keep(_ permission: RecordPermission, _ program: String) throws(SwitchboardError) {
        _ = try desk.ask(.permission(program: program, permission), for: \.permissions, "permissions")
    }

    /// The path of a program, by path, pid of one that is connected, or name of one that is connected or known.
    private func find(_ app: String, _ answers: [String: RecordPermission]) throws(SwitchboardError) -> String {
        if app.hasPrefix("/") {
            guard isProgram(app) || answers[app] != nil else {
                throw SwitchboardError(.noInput, "No program that can be run is at '\(app)'; give the path of one.")
            }
            return app
        }
        let clients = try desk.report().clients.filter { !$0.program.isEmpty }
        if let process = Int32(app), let client = clients.first(where: { $0.process == process }) {
            return client.program
        }
        let paths = Set(clients.map(\.program) + answers.keys)
        let matches = paths.filter { $0.hasSuffix("/" + app) }.sorted()
        if let match = matches.first, matches.count == 1 { return match }
        guard matches.isEmpty else {
            throw SwitchboardError(
                .usage, "More than one program is called '\(app)': \(Text.list(matches)); give the path.")
        }
        throw SwitchboardError(
            .noInput,
            "No program '\(app)' is connected to the arbiter or has an answer; give its absolute path, or its pid while it runs."
        )
    }
}

/// Answers by program.
public struct PermissionsOutcome: Outcome, Equatable {
    /// "undetermined", "denied" or "granted", by path.
    var permissions: [String: String]

    public var words: String {
        guard !permissions.isEmpty else { return "No program was answered yet." }
        return permissions.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n")
    }
}
