internal import Foundation
internal import Platform
internal import SessionPolicy
internal import Yams

/// The file of the entries of `foreign-programs` that `audiosession adopt` has made: beside the
/// settings that the user writes, which no program changes. Its entries come before those.
///
/// Each change writes a new file and renames it, so that no reader sees a partial file.
public struct ProgramEntriesFile: Sendable {
    public let path: String

    public init(path: String) { self.path = path }

    /// `programs.yaml` beside `ConfigurationFile.userPath`.
    public static var defaultPath: String {
        (ConfigurationFile.userPath as NSString).deletingLastPathComponent + "/programs.yaml"
    }

    /// Returns the entries, and warnings about unknown keys; no entries if the file does not exist.
    /// Throws if anything in the file is invalid.
    public func read() throws(ConfigurationError) -> (entries: [AdoptionSettings.Program], warnings: [String]) {
        guard let text = try ConfigurationFile(path: path).read() else { return ([], []) }
        return try read(text)
    }

    private func read(
        _ text: String
    ) throws(ConfigurationError) -> (entries: [AdoptionSettings.Program], warnings: [String]) {
        let mapping: Node.Mapping?
        do throws(ConfigurationError.Problem) {
            mapping = try Node.root(of: text)?.mapping
        } catch {
            throw .damaged(path: path, problems: [error])
        }
        if let key = mapping?.keys.first(where: { $0.text != SettingsReader.programs }) {
            let message = "only '\(SettingsReader.programs)' may be here; '\(key.excerpt)' belongs in audiosession.yaml"
            throw .damaged(path: path, problems: [.init(line: key.mark?.line, message)])
        }
        let (settings, warnings) = try readServiceSettings(text: text, path: path)
        return (settings.adoption.programs, warnings)
    }

    /// Changes the entries, while no other process does. Returns the new ones. Throws if the file
    /// is invalid or cannot be written; then it is unchanged.
    @discardableResult
    public func change(
        _ body: (inout [AdoptionSettings.Program]) -> Void
    ) throws(ConfigurationError) -> [AdoptionSettings.Program] {
        let folder = (path as NSString).deletingLastPathComponent
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let lock: FileLock
        do throws(SystemFailure) {
            lock = try FileLock(path: path + ".lock", within: Self.lockLimit)
        } catch {
            throw .unwritable(path: path, reason: error.reason)
        }
        defer { lock.unlock() }
        let before = try read().entries
        var entries = before
        body(&entries)
        guard entries != before else { return entries }
        guard entries.count <= AdoptionSettings.Program.maximumCount else {
            throw .unwritable(
                path: path, reason: "it may have \(AdoptionSettings.Program.maximumCount) programs at most")
        }
        let text = Self.header + entries.map(\.yaml).joined()
        guard text.utf8.count <= ConfigurationFile.limit else {
            throw .unwritable(path: path, reason: "it would be longer than \(ConfigurationFile.limit) bytes")
        }
        guard (try? read(text))?.entries == entries else {
            throw .unwritable(path: path, reason: "a name in it could not be read again")
        }
        do {
            try replace(with: Data(text.utf8))
        } catch {
            throw .unwritable(path: path, reason: error.localizedDescription)
        }
        return entries
    }

    /// Replaces the file. A symbolic link stays, and its target is replaced; a file keeps its mode.
    /// A new one can be read by its user only.
    private func replace(with data: Data) throws {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let mode = (try? FileManager.default.attributesOfItem(atPath: target.path))?[.posixPermissions]
        let name = ".\(target.lastPathComponent).\(ProcessInfo.processInfo.processIdentifier)"
        let new = target.deletingLastPathComponent().appendingPathComponent(name)
        do {
            // A process that was killed may have left one.
            try? FileManager.default.removeItem(at: new)
            try data.write(to: new, options: .withoutOverwriting)
            try FileManager.default.setAttributes([.posixPermissions: mode ?? 0o600], ofItemAtPath: new.path)
            guard rename(new.path, target.path) == 0 else {
                throw CocoaError(.fileWriteUnknown, userInfo: [NSLocalizedDescriptionKey: systemErrorText(errno)])
            }
        } catch {
            try? FileManager.default.removeItem(at: new)
            throw error
        }
    }

    /// Seconds that another process may take to change the file.
    private static let lockLimit = 5.0

    private static let header = """
        # Written by `audiosession adopt`, which removes comments. The entries come before those of audiosession.yaml.
        \(SettingsReader.programs):

        """
}

extension AdoptionSettings.Program {
    /// Whether an entry can have this name.
    public static func isName(_ name: String) -> Bool {
        (1...DeviceOverride.maximumTextLength).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }

    /// The entry as an element of a YAML list.
    fileprivate var yaml: String {
        let quoted = name.unicodeScalars.map(Self.escape).joined()
        var lines = ["  - match: \"\(quoted)\""]
        if let kind { lines.append("    session: \(kind.rawValue)") }
        if let attenuation { lines.append("    attenuation: \(attenuation)") }
        if let ducksOnlyWhileAudible { lines.append("    ducks-only-while-audible: \(ducksOnlyWhileAudible)") }
        if isIgnored { lines.append("    ignored: true") }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Returns the scalar as a part of a quoted text. YAML has characters that may not occur or
    /// that
    /// end a line, so that only ASCII and letters are written as they are. An '&' before a letter
    /// would be taken for an anchor, which the reader refuses.
    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let isPlain = scalar.isASCII ? scalar.value >= 0x20 : scalar.properties.isAlphabetic
        guard !isPlain || "\\\"&\u{7F}".unicodeScalars.contains(scalar) else { return String(scalar) }
        let digits = String(scalar.value, radix: 16)
        return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}
