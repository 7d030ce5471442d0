import ArgumentParser
import SessionCommands

struct CallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Simulates a phone call.",
        subcommands: [Ring.self, Accept.self, Decline.self, End.self])

    /// Throws a usage error: a call without a subcommand is a mistake in the calling script.
    func run() throws { throw ValidationError("Missing subcommand: ring, accept, decline or end.") }

    struct Ring: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ring", abstract: "Starts a call that rings until it is accepted or declined.")
        @OptionGroup var output: OutputOptions
        func run() throws { try output.runWithArbiter { try Interruptions($0).ring() } }
    }

    struct Accept: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept", abstract: "Accepts the newest ringing call.")
        @OptionGroup var output: OutputOptions
        func run() throws { try output.runWithArbiter { try Interruptions($0).accept() } }
    }

    struct Decline: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "decline", abstract: "Declines the newest ringing call.")
        @OptionGroup var output: OutputOptions
        func run() throws { try output.runWithArbiter { try Interruptions($0).decline() } }
    }

    struct End: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "end", abstract: "Ends the newest accepted call.")
        @OptionGroup var output: OutputOptions
        func run() throws { try output.runWithArbiter { try Interruptions($0).hangUp() } }
    }
}
