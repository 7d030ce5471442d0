package import Foundation
internal import SessionPolicy

/// Where the user's answer to this app is kept between its runs: one JSON file for all apps of the user (PERM-2).
///
/// Apps are known by the path of their program. The file is replaced as a whole, so that no reader sees half of it; a damaged one counts as
/// empty, and is replaced by the next answer.
package struct PermissionStore: Sendable {
    private let file: URL
    private let app: String

    /// `record-permissions.json` in `directory`, for a program.
    package init(directory: URL, app: String) {
        file = directory.appendingPathComponent("record-permissions.json")
        self.app = app
    }

    /// The user's, for this process: `$XDG_STATE_HOME/audiosession`, by default `~/.local/state/audiosession`.
    static let standard: PermissionStore? = {
        let environment = ProcessInfo.processInfo.environment
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        guard let program,
            let home = environment["XDG_STATE_HOME"] ?? environment["HOME"].map({ $0 + "/.local/state" }),
            home.hasPrefix("/")
        else { return nil }
        return PermissionStore(directory: URL(fileURLWithPath: home + "/audiosession"), app: program)
    }()

    /// What the user answered; nil when nobody asked.
    var answer: RecordPermission? { read()[app] }

    /// Keeps an answer; `undetermined` forgets it. Without a place to write, the answer lasts as long as the process.
    func keep(_ answer: RecordPermission) {
        var answers = read()
        answers[app] = answer == .undetermined ? nil : answer
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let data = try? encoder.encode(answers) else { return }
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try? data.write(to: file, options: .atomic)
    }

    private func read() -> [String: RecordPermission] {
        guard let data = try? Data(contentsOf: file) else { return [:] }
        return (try? JSONDecoder().decode([String: RecordPermission].self, from: data)) ?? [:]
    }
}
