internal import Foundation

/// The file that contains the settings.
public struct ConfigurationFile: Sendable {
    public let path: String

    /// The maximum size in bytes, seven times the sample's. It bounds the time that the parser
    /// takes for lists that are keys of mappings that are keys.
    static let limit = 1 << 15

    init(path: String) { self.path = path }

    private static let name = "/audiosession/audiosession.yaml"

    /// The user's file: `$XDG_CONFIG_HOME/audiosession/audiosession.yaml`, or the same file under
    /// `~/.config` if the variable is not set or not absolute.
    public static var userPath: String { userPath(in: ProcessInfo.processInfo.environment) }

    /// The file that is read if none is named: the user's. If that does not exist, the first one
    /// that exists under the folders of `XDG_CONFIG_DIRS`, `/etc/xdg` by default; otherwise the
    /// user's, which counts as empty.
    public static var defaultPath: String { defaultPath(in: ProcessInfo.processInfo.environment) }

    /// Returns the user's path for the given environment variables.
    static func userPath(in environment: [String: String]) -> String {
        // The XDG specification: a path that is not absolute is ignored.
        if let home = environment["XDG_CONFIG_HOME"], home.hasPrefix("/") { return home + name }
        return (environment["HOME"] ?? NSHomeDirectory()) + "/.config" + name
    }

    /// Returns the default path for the given environment variables. A user's file of the former
    /// format counts, too, so that it is reported instead of replaced.
    public static func defaultPath(in environment: [String: String]) -> String {
        let own = userPath(in: environment)
        let former = (own as NSString).deletingPathExtension + ".toml"
        if access(own, F_OK) == 0 || access(former, F_OK) == 0 { return own }
        let listed = environment["XDG_CONFIG_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/etc/xdg"
        let shared = listed.split(separator: ":").filter { $0.hasPrefix("/") }.map { String($0) + name }
        return shared.first(where: { access($0, F_OK) == 0 }) ?? own
    }

    /// Returns the content; nil if the file does not exist. Never blocks: anything but a regular
    /// file is refused.
    func read() throws(ConfigurationError) -> String? {
        let stem = (path as NSString).deletingPathExtension
        if path.hasSuffix(".toml") { throw .outdated(path: path, replacement: stem + ".yaml") }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno == ENOENT || errno == ENOTDIR else {
                throw .unreadable(path: path, reason: String(cString: strerror(errno)))
            }
            if access(stem + ".toml", F_OK) == 0 { throw .outdated(path: stem + ".toml", replacement: path) }
            return nil
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

/// Reads the settings of the service from a YAML file; a nil `path` stands for
/// `ConfigurationFile.defaultPath`.
///
/// If `path` is nil and the default file does not exist, all settings have their defaults. A file
/// is applied as a whole: if anything in it is invalid, this throws. The error names the line and
/// key of every invalid setting, or the line of the first syntax error. An unknown key causes a
/// warning.
public func readServiceSettings(
    from path: String? = nil
) throws(ConfigurationError) -> (settings: ServiceSettings, warnings: [String]) {
    let file = ConfigurationFile(path: path ?? ConfigurationFile.defaultPath)
    guard let text = try file.read() else {
        if let path { throw .missing(path: path) }
        return (ServiceSettings(), [])
    }
    return try readServiceSettings(text: text, path: file.path)
}

/// Reads the settings from the text of the file at `path`.
func readServiceSettings(
    text: String, path: String
) throws(ConfigurationError) -> (settings: ServiceSettings, warnings: [String]) {
    let reader: SettingsReader
    do throws(ConfigurationError.Problem) {
        reader = try SettingsReader(text)
    } catch {
        throw .damaged(path: path, problems: [error])
    }
    guard reader.problems.isEmpty else {
        throw .damaged(path: path, problems: reader.problems.sorted { ($0.line ?? 0) < ($1.line ?? 0) })
    }
    return (reader.settings, reader.warnings.map { "'\(path)', \($0)" })
}

/// Returns the settings to start with, whatever the file contains, and the warnings to report.
///
/// The user's file is neither changed nor moved: it was written by hand, and the user must be able
/// to find the error in it. If it is invalid, none of it is applied. The only error is a file that
/// the caller named and that does not exist.
public func startingServiceSettings(
    from path: String? = nil
) throws(ConfigurationError) -> (settings: ServiceSettings, warnings: [String]) {
    do throws(ConfigurationError) {
        return try readServiceSettings(from: path)
    } catch {
        switch error {
        case .missing: throw error
        case .outdated where path != nil: throw error
        default: return (ServiceSettings(), [error.description + " All settings have their default values."])
        }
    }
}
