/// Why the settings could not be read; then nothing of them applies.
public enum ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Somebody named a file that is not there.
    case missing(path: String)
    /// It is there and cannot be read.
    case unreadable(path: String, reason: String)
    /// What it holds is wrong.
    case damaged(path: String, problems: [Problem])

    /// One thing that is wrong, and where.
    public struct Problem: Equatable, Sendable, CustomStringConvertible {
        /// From 1; nil when it cannot be told.
        public var line: Int?
        /// What stands there, and what could.
        public var message: String

        init(line: Int?, _ message: String) {
            self.line = line
            self.message = message
        }

        public var description: String { (line.map { "line \($0): " } ?? "") + message }
    }

    public var description: String {
        switch self {
        case .missing(let path): "There is no configuration file '\(path)'; name one that exists, or none."
        case .unreadable(let path, let reason): "The configuration file '\(path)' cannot be read: \(reason)."
        case .damaged(let path, let problems):
            "The configuration file '\(path)' is not applied: "
                + problems.map(\.description).joined(separator: "; ") + "."
        }
    }
}
