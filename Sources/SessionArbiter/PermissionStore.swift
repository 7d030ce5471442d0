package import Foundation
package import SessionPolicy

/// Stores the user's answers to programs that request permission to record: one JSON file for all
/// programs of the user (PERM-2).
///
/// Programs are identified by their paths. Each change writes a new file and renames it, so that no
/// reader sees a partial file. A damaged file counts as empty, and the next answer replaces it.
package struct PermissionStore: Sendable {
    private let file: URL

    /// Creates the store `record-permissions.json` in `directory`.
    package init(directory: URL) { file = directory.appendingPathComponent("record-permissions.json") }

    /// The user's store: in `$XDG_STATE_HOME/audiosession`, by default
    /// `~/.local/state/audiosession`; nil if neither variable is set, or the path is not absolute.
    package static let standard: PermissionStore? = {
        let environment = ProcessInfo.processInfo.environment
        guard let home = environment["XDG_STATE_HOME"] ?? environment["HOME"].map({ $0 + "/.local/state" }),
            home.hasPrefix("/")
        else { return nil }
        return PermissionStore(directory: URL(fileURLWithPath: home + "/audiosession"))
    }()

    /// The user's answers by program; a program for which the user was not asked is missing.
    package var answers: [String: RecordPermission] {
        guard let data = try? Data(contentsOf: file) else { return [:] }
        return (try? JSONDecoder().decode([String: RecordPermission].self, from: data)) ?? [:]
    }

    /// Stores an answer; `undetermined` removes it. A failure to write the file is ignored: the
    /// answer then lasts only as long as the app's state in the arbiter.
    package func save(_ answer: RecordPermission, for program: String) {
        var answers = answers
        answers[program] = answer == .undetermined ? nil : answer
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let data = try? encoder.encode(answers) else { return }
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try? data.write(to: file, options: .atomic)
    }
}
