/// Why the settings could not be read; then none of them apply.
public enum ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A file that the caller named does not exist.
    case missing(path: String)
    /// A file of the former format exists, and none of the current one.
    case outdated(path: String, replacement: String)
    /// The file exists but cannot be read.
    case unreadable(path: String, reason: String)
    /// The file cannot be changed.
    case unwritable(path: String, reason: String)
    /// The content of the file is invalid.
    case damaged(path: String, problems: [Problem])

    /// One problem and its location.
    public struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
        /// Counted from 1; nil if the line is not known.
        public var line: Int?
        /// States the invalid value and the allowed ones.
        public var message: String

        init(line: Int?, _ message: String) {
            self.line = line
            self.message = message
        }

        public var description: String { (line.map { "line \($0): " } ?? "") + message }
    }

    public var description: String {
        switch self {
        case .missing(let path): "The configuration file '\(path)' does not exist; name one that exists, or none."
        case .outdated(let path, let replacement):
            "The configuration file '\(path)' is not read: settings are YAML now, in '\(replacement)'."
        case .unreadable(let path, let reason): "The configuration file '\(path)' cannot be read: \(reason)."
        case .unwritable(let path, let reason): "The file '\(path)' cannot be written: \(reason)."
        case .damaged(let path, let problems):
            "The configuration file '\(path)' is not applied: "
                + problems.map(\.description).joined(separator: "; ") + "."
        }
    }
}
