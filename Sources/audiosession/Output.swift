import ArgumentParser
import Foundation
import Switchboard

/// What every command takes.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Write one JSON object to standard output.")
    var json = false

    /// Does it, says what came of it, and ends with its status; an error is one sentence on standard error.
    func say(_ outcome: () throws -> any Outcome) throws {
        let done = try reporting(outcome)
        print(json ? try done.json : done.words)
        if done.exitStatus != 0 { throw ExitCode(done.exitStatus) }
    }

    /// The same with the arbiter, started if none listens.
    func ask(_ outcome: (LiveArbiter) throws -> any Outcome) throws {
        try say { try outcome(LiveArbiter(starting: true)) }
    }

    /// Turns an error of ours into a sentence and a status.
    func reporting<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SwitchboardError {
            FileHandle.standardError.write(Data("audiosession: \(error.message)\n".utf8))
            throw ExitCode(error.status.rawValue)
        }
    }
}
