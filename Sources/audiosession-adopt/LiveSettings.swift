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

    /// The files to watch.
    var paths: [String] { [configuration ?? ConfigurationFile.defaultPath, entriesFile.path] }

    var adoption: AdoptionSettings {
        var adoption = own
        adoption.programs = entries + own.programs
        return adoption
    }

    /// Reads both files. Returns the warnings to report.
    mutating func read() -> [String] {
        var warnings: [String] = []
        do throws(ConfigurationError) {
            let (settings, found) = try readServiceSettings(from: configuration)
            own = settings.adoption
            warnings += found
        } catch {
            warnings.append(error.description + " The previous settings stay in effect.")
        }
        do throws(ConfigurationError) {
            let (found, more) = try entriesFile.read()
            entries = found
            warnings += more
        } catch {
            warnings.append(error.description + " Its previous entries stay in effect.")
        }
        defer { reported = Set(warnings) }
        return warnings.filter { !reported.contains($0) }
    }
}
