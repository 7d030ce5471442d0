import ArgumentParser
import ArbiterService
import DesktopEvents
import Glibc
import Platform
import ProgramSupport
import SessionArbiter

/// `audiosession-desktop`: the events of the desktop, reported to the arbiter.
@main
struct DesktopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audiosession-desktop",
        abstract: "Reports sleep, calls of modems, do-not-disturb and the screen lock of the desktop to audiosessiond.",
        discussion: """
            Sound stops before the machine sleeps, and while a phone rings or a call is on. This program listens to \
            logind, ModemManager, oFono, the screen saver and the notification service, and starts audiosessiond if \
            necessary. When it ends by a signal, it ends its calls, and undoes what it has set.

            Exit status: 0 ended by a signal, 64 usage error, 66 the settings cannot be read, 69 audiosessiond or \
            both buses are unavailable, 75 another audiosession-desktop runs, 78 the settings turn everything off.
            """,
        version: ProgramVersion.text("audiosession-desktop"))

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
            let desktop = settings.settings.desktop
            let held = try Self.lock("desktop.lock")
            defer { withExtendedLifetime(held) {} }
            let log: @Sendable (String) -> Void = { Self.report($0) }
            let address = try arbiter.address
            let marks = MarkFile(path: address.path + ".desktop", log: log)
            guard !desktop.sources.isEmpty else {
                if marks.read() != DesktopMarks() {
                    DesktopService(desktop, arbiter: try RemoteArbiter(at: address), marks: marks, log: log).undo()
                }
                throw Self.failure("The settings of 'desktop' turn everything off; turn something on.", EX_CONFIG)
            }
            let service = DesktopService(desktop, arbiter: try RemoteArbiter(at: address), marks: marks, log: log)
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
