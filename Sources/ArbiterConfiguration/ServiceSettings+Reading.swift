public import SessionArbiter
internal import SessionPolicy
internal import TOMLKit

/// Reads the settings of the service from a file of TOML; `path` nil: `ConfigurationFile.defaultPath`.
///
/// Where nobody named a file and there is none, all is by default. A file counts as a whole: if anything in it is wrong, this throws, and
/// the error names each line and key. A key that nobody knows is a warning.
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

/// The same, of text that was read from `path`.
public func readServiceSettings(
    text: String, path: String
) throws(ConfigurationError) -> (settings: ServiceSettings, warnings: [String]) {
    guard !text.holdsNul else {
        throw .damaged(path: path, problems: [.init(line: nil, "a NUL character stands in it; remove that")])
    }
    if let line = TableHeaders.namelessLine(in: text) {
        throw .damaged(
            path: path,
            problems: [.init(line: line, "a section needs a name of letters, digits, '-' and '_' in its brackets")])
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

/// The settings to begin with, whatever the file holds, and what is to be said about that.
///
/// The user's file stays as and where it is: it was written by hand, and says what is wrong only as long as it can be looked at. Nothing
/// of a damaged one applies. Only a file that somebody named, and that is not there, is an error.
public func startingServiceSettings(
    from path: String? = nil
) throws(ConfigurationError) -> (settings: ServiceSettings, warnings: [String]) {
    do throws(ConfigurationError) {
        return try readServiceSettings(from: path)
    } catch {
        if case .missing = error { throw error }
        return (ServiceSettings(), [error.description + " Nothing of it applies; all settings are the default ones."])
    }
}

extension String {
    /// The parser takes C strings, which would end there.
    fileprivate var holdsNul: Bool {
        utf8.contains(0) || contains("\\u0000") || contains("\\U00000000")
    }
}
