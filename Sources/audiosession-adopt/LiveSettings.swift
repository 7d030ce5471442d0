import ArbiterService

/// The settings for adoption: those of the user's settings file, preceded by the entries that
/// `audiosession adopt` has made. Either file counts as a whole: while one is invalid, what it last
/// said applies.
struct LiveSettings {
    /// The settings file; nil stands for the default one.
    private let configuration: String?
    private let entriesFile = ProgramEntriesFile(path: ProgramEntriesFile.defaultPath)
    private var own: AdoptionSettings
    private var entries: [AdoptionSettings.Program] = []
    /// What was last reported, which is not reported again.
    private var reported: Set<String> = []

    /// Takes over the settings with which the program starts.
    init(_ starting: AdoptionSettings, from configuration: String?) {
        own = starting
        self.configuration = configuration
    }

    /// The files to watch. The user's settings file may be created while another one applies.
    var paths: [String] {
        let settings = configuration.map { [$0] } ?? [ConfigurationFile.userPath, ConfigurationFile.defaultPath]
        return Set(settings + [entriesFile.path]).sorted()
    }

    var adoption: AdoptionSettings {
        var adoption = own
        adoption.programs = entries + own.programs
        return adoption
    }

    /// Reads both files. Returns the warnings to report. Those about the settings file have been
    /// reported already if the program `isStarting`.
    mutating func read(isStarting: Bool = false) -> [String] {
        let ownWarnings = readOwn()
        let warnings = (isStarting ? [] : ownWarnings) + readEntries(isStarting: isStarting)
        let known = reported
        reported = Set(ownWarnings.map(\.reason) + warnings.map(\.reason))
        return warnings.filter { !known.contains($0.reason) }.map { $0.reason + $0.effect }
    }

    /// A reason to warn, and what follows from it.
    private typealias Warning = (reason: String, effect: String)

    private mutating func readOwn() -> [Warning] {
        do throws(ConfigurationError) {
            let (settings, found) = try readServiceSettings(from: configuration)
            own = settings.adoption
            return found.map { ($0, "") }
        } catch {
            return [(error.description, " The previous settings stay in effect.")]
        }
    }

    private mutating func readEntries(isStarting: Bool) -> [Warning] {
        do throws(ConfigurationError) {
            let (found, more) = try entriesFile.read()
            entries = found
            return more.map { ($0, "") }
        } catch {
            let effect = isStarting ? " Its entries do not apply." : " Its previous entries stay in effect."
            return [(error.description, effect)]
        }
    }
}
