internal import Foundation

/// The file that contains the settings.
public struct ConfigurationFile: Sendable {
    public let path: String

    /// The maximum size in bytes; a file written by hand is shorter.
    static let limit = 1 << 20

    init(path: String) { self.path = path }

    /// `$XDG_CONFIG_HOME/audiosession/audiosession.toml`, or the same file under `~/.config` if the
    /// variable is not set or not absolute.
    public static var defaultPath: String { defaultPath(in: ProcessInfo.processInfo.environment) }

    /// Returns the default path for the given environment variables.
    public static func defaultPath(in environment: [String: String]) -> String {
        // The XDG specification: a path that is not absolute is ignored.
        if let home = environment["XDG_CONFIG_HOME"], home.hasPrefix("/") {
            return home + "/audiosession/audiosession.toml"
        }
        return (environment["HOME"] ?? NSHomeDirectory()) + "/.config/audiosession/audiosession.toml"
    }

    /// Returns the content; nil if the file does not exist. Never blocks: anything but a regular
    /// file is refused.
    func read() throws(ConfigurationError) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable(path: path, reason: "it is not a regular file")
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
