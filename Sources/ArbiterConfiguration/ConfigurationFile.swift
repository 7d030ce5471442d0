internal import Foundation

/// The one file of settings.
public struct ConfigurationFile: Sendable {
    public let path: String

    /// Bytes; nobody writes more by hand.
    static let limit = 1 << 20

    init(path: String) { self.path = path }

    /// `$XDG_CONFIG_HOME/audiosession/audiosession.toml`, else that under `~/.config`.
    public static var defaultPath: String { defaultPath(in: ProcessInfo.processInfo.environment) }

    /// The same with other variables.
    public static func defaultPath(in environment: [String: String]) -> String {
        // The XDG specification: a path that is not absolute counts as none.
        if let home = environment["XDG_CONFIG_HOME"], home.hasPrefix("/") {
            return home + "/audiosession/audiosession.toml"
        }
        return (environment["HOME"] ?? NSHomeDirectory()) + "/.config/audiosession/audiosession.toml"
    }

    /// What it holds; nil when it is not there. Never waits: what is no plain file is refused.
    func read() throws(ConfigurationError) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable(path: path, reason: "it is no plain file")
        }
        let data: Data
        do {
            data = try handle.read(upToCount: Self.limit + 1) ?? Data()
        } catch {
            throw .unreadable(path: path, reason: error.localizedDescription)
        }
        guard data.count <= Self.limit else {
            throw .unreadable(path: path, reason: "it is longer than \(Self.limit) bytes")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw .unreadable(path: path, reason: "it is not UTF-8")
        }
        return text
    }
}
