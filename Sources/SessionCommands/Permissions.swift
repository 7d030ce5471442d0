internal import SessionArbiter
public import SessionPolicy

/// `audiosession permission`: the record permissions of programs (PERM-2).
public struct Permissions {
    private let arbiter: any ArbiterClient
    /// Returns whether a path names an executable program.
    private let isProgram: (String) -> Bool

    public init(_ arbiter: any ArbiterClient, isProgram: @escaping (String) -> Bool) {
        self.arbiter = arbiter
        self.isProgram = isProgram
    }

    /// Returns the permission of one program; nil: of all programs with a stored permission.
    public func show(_ app: String?) throws(CommandError) -> PermissionsResult {
        let stored = try storedPermissions()
        guard let app else { return PermissionsResult(permissions: stored.mapValues(\.name)) }
        let program = try find(app, stored)
        return PermissionsResult(permissions: [program: (stored[program] ?? .undetermined).name])
    }

    /// Stores a permission as if the user had granted or denied it.
    public func set(_ permission: RecordPermission, for app: String) throws(CommandError) -> PermissionsResult {
        let program = try find(app, try storedPermissions())
        try store(permission, program)
        return PermissionsResult(permissions: [program: permission.name])
    }

    /// Resets the permission of one program, or of all if `app` is nil, so that the user is asked
    /// again.
    public func reset(_ app: String?) throws(CommandError) -> PermissionsResult {
        let stored = try storedPermissions()
        let programs = try app.map { app throws(CommandError) in [try find(app, stored)] } ?? stored.keys.sorted()
        for program in programs { try store(.undetermined, program) }
        let reset = programs.map { ($0, RecordPermission.undetermined.name) }
        return PermissionsResult(permissions: Dictionary(uniqueKeysWithValues: reset))
    }

    private func storedPermissions() throws(CommandError) -> [String: RecordPermission] {
        try arbiter.ask(.permission(program: nil, nil), for: \.permissions, "permissions")
    }

    private func store(_ permission: RecordPermission, _ program: String) throws(CommandError) {
        _ = try arbiter.ask(.permission(program: program, permission), for: \.permissions, "permissions")
    }

    /// Returns the path of a program that is given by its path, by the pid of a connected program,
    /// or by the name of a program that is connected or has a stored permission.
    private func find(_ app: String, _ stored: [String: RecordPermission]) throws(CommandError) -> String {
        if app.hasPrefix("/") {
            guard isProgram(app) || stored[app] != nil else {
                throw CommandError(.noInput, "'\(app)' is not an executable program; give the path of one.")
            }
            return app
        }
        let clients = try arbiter.report().clients.filter { !$0.program.isEmpty }
        if let process = Int32(app), let client = clients.first(where: { $0.process == process }) {
            return client.program
        }
        let paths = Set(clients.map(\.program) + stored.keys)
        let matches = paths.filter { $0.hasSuffix("/" + app) }.sorted()
        if let match = matches.first, matches.count == 1 { return match }
        guard matches.isEmpty else {
            throw CommandError(
                .usage, "Several programs are named '\(app)': \(Text.list(matches)); give the path.")
        }
        throw CommandError(
            .noInput,
            "Unknown program '\(app)': it is not connected and has no stored permission; give its absolute path."
        )
    }
}

/// Permissions by program.
public struct PermissionsResult: CommandResult, Equatable {
    /// "undetermined", "denied" or "granted", by path.
    var permissions: [String: String]

    public var text: String {
        guard !permissions.isEmpty else { return "No permissions are stored." }
        return Text.lines(permissions.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })
    }
}
