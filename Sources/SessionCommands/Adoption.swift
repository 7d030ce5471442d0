public import ArbiterService
internal import Foundation
internal import Platform
public import SessionArbiter

/// `audiosession adopt`: the programs that do not use this library, and the user's settings for
/// them. Changes are written to a file of their own, which `audiosession-adopt` watches.
public struct Adoption {
    private let entriesFile: ProgramEntriesFile
    /// The path of the settings that the user writes.
    private let configuration: String
    /// Returns whether `audiosession-adopt` runs.
    private let isRunning: () -> Bool

    public init(
        entriesFile: ProgramEntriesFile = ProgramEntriesFile(path: ProgramEntriesFile.defaultPath),
        configuration: String = ConfigurationFile.defaultPath,
        isRunning: @escaping () -> Bool = { Adoption.process != nil }
    ) {
        self.entriesFile = entriesFile
        self.configuration = configuration
        self.isRunning = isRunning
    }

    /// The process id of `audiosession-adopt`; nil if it does not run.
    public static var process: Int32? {
        guard let folder = try? RuntimeFolder.path() else { return nil }
        return FileLock.possibleHolders(of: folder + "/adopt.lock").first {
            ProgramProcess.runs(.adoption, in: $0)
        }
    }

    /// Returns the adopted programs and all entries. `report` is nil if no arbiter runs.
    public func list(_ report: ArbiterReport?) throws(CommandError) -> AdoptedProgramsResult {
        AdoptedProgramsResult(
            report, isRunning: isRunning(),
            entries: try entries().map { .init($0, file: entriesFile.path) }
                + (try configured().map { .init($0, file: configuration) }))
    }

    /// Lets programs with this name alone.
    public func ignore(_ name: String) throws(CommandError) -> AdoptionChangeResult {
        try change("ignore", name) { _ in AdoptionSettings.Program(name, isIgnored: true) }
    }

    /// Sets the values that are not nil for programs with this name, and keeps the others. A
    /// program
    /// that was ignored is adopted again: an entry cannot have both.
    public func set(
        _ name: String, kind: ProgramKind?, attenuation: Double?, ducksOnlyWhileAudible: Bool? = nil
    ) throws(CommandError) -> AdoptionChangeResult {
        let configured = try configured().first { $0.name == name }
        return try change("set", name) { entry in
            let current = entry ?? configured
            return AdoptionSettings.Program(
                name, kind: kind ?? current?.kind, attenuation: attenuation ?? current?.attenuation,
                ducksOnlyWhileAudible: ducksOnlyWhileAudible ?? current?.ducksOnlyWhileAudible)
        }
    }

    /// Removes the entry that `ignore` or `set` has made.
    public func reset(_ name: String) throws(CommandError) -> AdoptionChangeResult {
        let known = try entries().map(\.name)
        guard known.contains(name) else {
            let advice =
                try configured().contains { $0.name == name }
                ? "'\(configuration)' has one, which only you can remove"
                : known.isEmpty ? "there are no entries" : "entries: \(Text.list(known))"
            throw CommandError(.noInput, "There is no entry '\(name)' in '\(entriesFile.path)'; \(advice).")
        }
        return try change("reset", name) { _ in nil }
    }

    /// Replaces the entry with this name by what `body` returns. A new one comes first.
    private func change(
        _ command: String, _ name: String, _ body: (AdoptionSettings.Program?) -> AdoptionSettings.Program?
    ) throws(CommandError) -> AdoptionChangeResult {
        guard AdoptionSettings.Program.isName(name) else {
            throw CommandError(
                .usage, "'\(name)' cannot be the name of a program; give 1 to 128 bytes without control characters.")
        }
        var new: AdoptionSettings.Program?
        do throws(ConfigurationError) {
            try entriesFile.change { entries in
                let index = entries.firstIndex { $0.name == name }
                new = body(index.map { entries[$0] })
                entries.removeAll { $0.name == name }
                if let new { entries.insert(new, at: index ?? 0) }
            }
        } catch {
            throw CommandError(error)
        }
        return AdoptionChangeResult(
            command, name, new.map { .init($0, file: entriesFile.path) }, isRunning: isRunning())
    }

    private func entries() throws(CommandError) -> [AdoptionSettings.Program] {
        do throws(ConfigurationError) { return try entriesFile.read().entries } catch { throw CommandError(error) }
    }

    /// The entries of the user's own settings; none if they are invalid, which `doctor` reports.
    private func configured() throws(CommandError) -> [AdoptionSettings.Program] {
        guard FileManager.default.fileExists(atPath: configuration) else { return [] }
        return (try? readServiceSettings(from: configuration))?.settings.adoption.programs ?? []
    }
}

extension CommandError {
    fileprivate init(_ error: ConfigurationError) {
        switch error {
        case .unwritable: self.init(.tryAgain, error.description)
        default: self.init(.noInput, error.description)
        }
    }
}
