import ArgumentParser
import ArbiterService
import Dispatch
import ForeignPrograms
import Foundation
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
            """)

    @Option(
        help: ArgumentHelp(
            """
            The socket of audiosessiond. Default: AUDIOSESSION_SOCKET, else audiosession/arbiter.socket in \
            XDG_RUNTIME_DIR, else /tmp/audiosession-UID/arbiter.socket.
            """,
            valueName: "path"))
    var socket: String?

    @Option(help: ArgumentHelp("The settings file. Default: that of audiosessiond.", valueName: "path"))
    var config: String?

    static func main() { runProgram() }

    func run() throws {
        do {
            let settings = try startingServiceSettings(from: config)
            for warning in settings.warnings { report(warning) }
            let held = try lock()
            defer { withExtendedLifetime(held) {} }
            let address = try socket.map { path throws(ArbiterError) in try ArbiterAddress(path: path) } ?? .standard()
            let controller = StreamController(
                path: try ProgramLaunch.find("audiosession-hand", orNamedBy: "AUDIOSESSION_HAND"))
            let service = AdoptionService(
                LiveSettings(settings.settings.adoption, from: config), arbiter: try RemoteArbiter(at: address),
                controller: controller)
            let signals = Self.endingSignals { service.stop() }
            defer { withExtendedLifetime(signals) {} }
            if case .failed(let reason) = service.run() { throw failure("\(reason).", EX_UNAVAILABLE) }
        } catch let error as ExitCode {
            throw error
        } catch let error as ConfigurationError {
            throw failure(error.description, EX_NOINPUT)
        } catch let error as ArbiterError {
            throw failure(error.description, EX_UNAVAILABLE)
        } catch let error as SystemFailure {
            throw failure("\(error.reason).", EX_UNAVAILABLE)
        }
    }

    /// The lock that only one process of a user holds.
    private func lock() throws -> FileLock {
        let path = try RuntimeFolder.path() + "/adopt.lock"
        guard let lock = try FileLock(ifFree: path) else {
            throw failure("Another audiosession-adopt is already running; it holds '\(path)'.", EX_TEMPFAIL)
        }
        return lock
    }

    /// Calls `body` on SIGTERM, SIGINT and SIGHUP.
    private static func endingSignals(_ body: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
        [SIGTERM, SIGINT, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: body)
            source.resume()
            return source
        }
    }

    private func report(_ message: String) {
        StandardStream.writeError("audiosession-adopt: \(message.printable)\n")
    }

    private func failure(_ message: String, _ status: Int32) -> ExitCode {
        report(message)
        return ExitCode(status)
    }
}
