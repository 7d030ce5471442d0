import ArgumentParser
import Foundation
import SessionCommands

/// The options of every command.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Writes one JSON object to standard output.")
    var json = false

    /// Runs a command, prints its result and exits with its status. An error is printed as one
    /// sentence on standard error.
    func runCommand(_ body: () throws -> any CommandResult) throws {
        let result = try reportingErrors(body)
        print(json ? try result.json : result.text)
        if result.exitStatus != 0 { throw ExitCode(result.exitStatus) }
    }

    /// Runs a command with a connection to the arbiter, which is started if none is listening.
    func runWithArbiter(_ body: (SocketArbiterClient) throws -> any CommandResult) throws {
        try runCommand { try body(SocketArbiterClient(starting: true)) }
    }

    /// Runs `body`; converts a `CommandError` into a message on standard error and an exit status.
    func reportingErrors<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as CommandError {
            FileHandle.standardError.write(Data("audiosession: \(error.message)\n".utf8))
            throw ExitCode(error.status.rawValue)
        }
    }
}
