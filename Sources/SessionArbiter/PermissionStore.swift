package import Foundation
package import SessionPolicy

/// Where the user's answers to programs that want to record are kept: one JSON file for all programs of the user (PERM-2).
///
/// Programs are known by their paths. The file is replaced as a whole, so that no reader sees half of it; a damaged one counts as empty, and is
/// replaced by the next answer.
package struct PermissionStore: Sendable {
    private let file: URL

    /// `record-permissions.json` in `directory`.
    package init(directory: URL) { file = directory.appendingPathComponent("record-permissions.json") }

    /// The user's: in `$XDG_STATE_HOME/audiosession`, by default `~/.local/state/audiosession`; nil without a home.
    package static let standard: PermissionStore? = {
        let environment = ProcessInfo.processInfo.environment
        guard let home = environment["XDG_STATE_HOME"] ?? environment["HOME"].map({ $0 + "/.local/state" }),
            home.hasPrefix("/")
        else { return nil }
        return PermissionStore(directory: URL(fileURLWithPath: home + "/audiosession"))
    }()

    /// What the user answered, by program; who was not asked is missing.
    package var answers: [String: RecordPermission] {
        guard let data = try? Data(contentsOf: file) else { return [:] }
        return (try? JSONDecoder().decode([String: RecordPermission].self, from: data)) ?? [:]
    }

    /// Keeps an answer; `undetermined` forgets it. Without a place to write, the answer lasts as long as the process.
    package func keep(_ answer: RecordPermission, for program: String) {
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
