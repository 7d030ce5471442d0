import ArgumentParser
import ArbiterService
import ForeignPrograms
import Glibc
import Platform
import ProgramSupport
import SessionArbiter

/// `audiosession-adopt`: the programs that do not use this library, as sessions.
@main
struct AdoptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audiosession-adopt",
        abstract: "Adopts programs that do not use this library: lowers, pauses and resumes them as sessions.",
        discussion: """
            Every program that plays on PipeWire, and every media player on the session bus, gets a session at \
            audiosessiond, which this program starts if necessary. While another session lowers or interrupts it, its \
            streams are lowered in a ramp, or faded out and held, and its media player is paused and resumed. When \
            this program ends, however it ends, no stream stays changed.

            Exit status: 0 ended by a signal, 64 usage error, 69 audiosessiond is unavailable, or neither PipeWire nor a \
            session bus is there, 75 another audiosession-adopt runs.
            """,
        version: ProgramVersion.text("audiosession-adopt"))

    @OptionGroup var arbiter: ArbiterOptions

    @Option(
        help: ArgumentHelp("The settings file. Default: that of audiosessiond.", valueName: "path"),
        completion: .file())
    var config: String?

    static func main() { runProgram() }

    func run() throws {
        do {
            let settings = try startingServiceSettings(from: config)
            for warning in settings.warnings { Self.report(warning) }
            let held = try Self.lock("adopt.lock")
            defer { withExtendedLifetime(held) {} }
            let controller = StreamController(
                path: try ProgramLaunch.find("audiosession-hand", orNamedBy: "AUDIOSESSION_HAND"))
            let service = AdoptionService(
                LiveSettings(settings.settings.adoption, from: config),
                arbiter: try RemoteArbiter(at: arbiter.address), controller: controller,
                pausedPlayers: PausedPlayersFile(path: try RuntimeFolder.path() + "/players.journal"))
            let signals = Self.endingSignals { service.stop() }
            defer { withExtendedLifetime(signals) {} }
            if case .failed(let reason) = service.run() { throw Self.failure("\(reason).", EX_UNAVAILABLE) }
        } catch let error as ExitCode {
            throw error
        } catch let error as ConfigurationError {
            throw Self.failure(error.description, EX_NOINPUT)
        } catch let error as ArbiterError {
            throw Self.failure(error.description, EX_UNAVAILABLE)
        } catch let error as SystemFailure {
            throw Self.failure("\(error.reason).", EX_UNAVAILABLE)
        }
    }
}
