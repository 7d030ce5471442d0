internal import SessionArbiter
internal import SessionPolicy
internal import TOMLKit

/// Reads the settings of the service from a TOML file; a nil `path` stands for
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
public func readServiceSettings(
    text: String, path: String
) throws(ConfigurationError) -> (settings: ServiceSettings, warnings: [String]) {
    guard !text.holdsNul else {
        throw .damaged(path: path, problems: [.init(line: nil, "it contains a NUL character; remove it")])
    }
    if let line = TableHeaders.namelessLine(in: text) {
        throw .damaged(
            path: path,
            problems: [.init(line: line, "a section needs a name of letters, digits, '-' and '_' in brackets")])
    }
    let table: TOMLTable
    do {
        table = try TOMLTable(string: text)
    } catch let error as TOMLParseError {
        throw .damaged(path: path, problems: [.init(line: error.source.begin.line, error.description)])
    } catch {
        throw .damaged(path: path, problems: [.init(line: nil, "\(error)")])
    }
    var reading = SettingsReading(lines: KeyLines(text))
    reading.read(table)
    guard reading.problems.isEmpty else {
        throw .damaged(path: path, problems: reading.problems.sorted { ($0.line ?? 0) < ($1.line ?? 0) })
    }
    return (reading.settings, reading.warnings.map { "'\(path)', \($0)" })
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
        if case .missing = error { throw error }
        return (ServiceSettings(), [error.description + " All settings have their default values."])
    }
}

extension String {
    /// Whether the text contains NUL, at which the parser would stop because it takes C strings.
    fileprivate var holdsNul: Bool {
        utf8.contains(0) || contains("\\u0000") || contains("\\U00000000")
    }
}
