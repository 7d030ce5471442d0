import ArgumentParser
import Switchboard

struct CallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Has a phone ring, and answers it.",
        subcommands: [Ring.self, Accept.self, Decline.self, End.self])

    /// Without a subcommand nothing is done, which is not what a script meant.
    func run() throws { throw ValidationError("What is to be done? Add ring, accept, decline or end.") }

    struct Ring: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ring", abstract: "A call comes in, and rings until it is accepted or declined.")
        @OptionGroup var output: OutputOptions
        func run() throws { try output.ask { try Interruptions($0).ring() } }
    }

    struct Accept: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept", abstract: "Accepts the newest call that rings.")
        @OptionGroup var output: OutputOptions
        func run() throws { try output.ask { try Interruptions($0).accept() } }
    }

    struct Decline: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "decline", abstract: "Declines the newest call that rings.")
        @OptionGroup var output: OutputOptions
        func run() throws { try output.ask { try Interruptions($0).decline() } }
    }

    struct End: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "end", abstract: "Ends the newest call that was accepted.")
        @OptionGroup var output: OutputOptions
        func run() throws { try output.ask { try Interruptions($0).hangUp() } }
    }
}
