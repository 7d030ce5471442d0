import ArgumentParser
import Glibc
import Platform
import ProgramSupport
import ProtocolConformance

/// `audiosession-conformance`: tests a client of the protocol.
@main
struct ConformanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audiosession-conformance",
        abstract: "Tests whether a client of the audio session protocol follows it.",
        usage: """
            audiosession-conformance [--only <name> ...] [--json] [--timeout <seconds>] -- <client> [<argument> ...]
            audiosession-conformance --list [--json]
            """,
        discussion: """
            Runs the client once for each check, with an arbiter of its own at the socket that AUDIOSESSION_SOCKET \
            names, and ends it with SIGTERM, then with SIGKILL. AUDIOSESSIOND names no program, so that the client \
            cannot start another arbiter. A check that fails says what was expected and what came, and shows the \
            client's last lines of output.

            The client is an ordinary program: it connects, registers a session, configures it with category \
            playback, activates it, states that it plays (setRunning), and goes on until SIGTERM. A script runs its \
            interpreter by exec, so that the signal reaches the client itself. Documentation/Protocol.md specifies \
            what the checks expect.

            Exit status: 0 all checks have passed, 1 a check has failed, 64 usage error, 66 the client does not \
            exist, 69 it cannot be run, 74 output cannot be written, 130 ended by a signal.
            """,
        version: ProgramVersion.text("audiosession-conformance"))

    @Option(
        help: ArgumentHelp("Runs only this check; may be repeated. --list names them.", valueName: "name"),
        completion: .list(ConformanceCheck.all.map(\.name)), transform: Self.check)
    var only: [ConformanceCheck] = []

    @Flag(help: "Lists the checks, and runs none.")
    var list = false

    @Flag(help: "Writes one JSON object instead of lines.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "How long the client may take for each step that a check waits for, 1 to 600.", valueName: "seconds"))
    var timeout = 20.0

    @Argument(
        parsing: .postTerminator, help: ArgumentHelp("The client and its arguments, after --.", valueName: "client"))
    var client: [String] = []

    static func main() { runProgram() }

    func validate() throws {
        guard list || !client.isEmpty else {
            throw ValidationError(
                "Missing client: put it after `--`, as in `audiosession-conformance -- ./client`.")
        }
        guard (1...600).contains(timeout) else {
            throw ValidationError("Invalid timeout \(timeout). Choose 1 to 600 seconds.")
        }
    }

    func run() throws {
        let checks = only.isEmpty ? ConformanceCheck.all : only
        do {
            guard !list else { return try ConformanceOutput(isJSON: json).write(checks) }
            try resolve()
            guard try run(checks) else { throw ExitCode(1) }
        } catch let error as OutputFailure {
            throw error.isReaderGone
                ? ExitCode(error.exitStatus) : Self.failure(error.description, error.exitStatus)
        } catch TrialError.unavailable(let reason) {
            throw Self.failure("\(reason.prefix(1).uppercased() + reason.dropFirst()).", EX_UNAVAILABLE)
        }
    }

    private func resolve() throws {
        do {
            _ = try CommandWords(client).resolve()
        } catch CommandFailure.notFound(let reason) {
            throw Self.failure("\(reason).", EX_NOINPUT)
        } catch CommandFailure.cannotRun(let reason) {
            throw Self.failure("\(reason).", EX_UNAVAILABLE)
        }
    }

    /// Runs the checks. Returns whether all have passed.
    private func run(_ checks: [ConformanceCheck]) throws -> Bool {
        let interruption = try Interruption()
        let signals = Self.endingSignals { interruption.set() }
        defer { withExtendedLifetime(signals) {} }
        var output = ConformanceOutput(isJSON: json)
        do {
            for check in checks { try output.write(try check.run(client, seconds: timeout, interruption)) }
        } catch TrialError.interrupted {
            throw ExitCode(128 + SIGINT)
        }
        try output.finish(client)
        return output.failures == 0
    }

    private static func check(_ name: String) throws -> ConformanceCheck {
        guard let check = ConformanceCheck.all.first(where: { $0.name == name }) else {
            let names = ConformanceCheck.all.map(\.name).joined(separator: ", ")
            throw ValidationError("Unknown check '\(name)'. Checks: \(names).")
        }
        return check
    }
}
