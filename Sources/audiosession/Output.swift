import ArgumentParser
import Platform
import SessionCommands

/// The options of every command.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Writes one JSON object to standard output.")
    var json = false

    /// Runs a command, prints its result and exits with its status. An error is printed as one
    /// sentence on standard error.
    func runCommand(_ body: () throws -> any CommandResult) throws {
        let result = try reportingErrors(body)
        try write(json ? try result.json : result.text)
        if result.exitStatus != 0 { throw ExitCode(result.exitStatus) }
    }

    /// Runs a command with a connection to the arbiter, which is started if none is listening.
    func runWithArbiter(_ body: (SocketArbiterClient) throws -> any CommandResult) throws {
        try runCommand { try body(SocketArbiterClient(starting: true)) }
    }

    func reportingErrors<Value>(_ body: () throws -> Value) throws -> Value { try Self.reportingErrors(body) }

    /// Runs `body`; converts a `CommandError` into a message on standard error and an exit status.
    static func reportingErrors<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as CommandError {
            StandardStream.writeError("audiosession: \(error.message.printable)\n")
            throw ExitCode(error.status.rawValue)
        }
    }

    /// Writes text and a line break to standard output. If that fails, exits with the status and
    /// the message of the failure.
    func write(_ text: String) throws {
        do throws(OutputFailure) {
            try StandardStream.write(text + "\n")
        } catch {
            if !error.isReaderGone { StandardStream.writeError("audiosession: \(error)\n") }
            throw ExitCode(error.exitStatus)
        }
    }
}
