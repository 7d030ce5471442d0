import ArgumentParser
import SessionPolicy
import Switchboard

struct InterruptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "interrupt",
        abstract: "Begins and ends an interruption.",
        subcommands: [Begin.self, End.self])

    /// Without a subcommand nothing is done, which is not what a script meant.
    func run() throws { throw ValidationError("What is to be done? Add begin or end.") }

    struct Begin: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "begin", abstract: "Begins an interruption, which lasts until it is ended.")

        @Option(help: ArgumentHelp("Who interrupts: call, alarm, assistant or app.", valueName: "rank"))
        var rank = RankName.call

        @OptionGroup var output: OutputOptions

        func run() throws { try output.ask { try Interruptions($0).begin(rank.rank) } }
    }

    struct End: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "end", abstract: "Ends the newest interruption that was begun here.")

        @Option(help: ArgumentHelp("The newest of this rank: call, alarm, assistant or app.", valueName: "rank"))
        var rank: RankName?

        @Flag(help: "The end is told, but nobody is told to resume.")
        var noResume = false

        @OptionGroup var output: OutputOptions

        func run() throws { try output.ask { try Interruptions($0).end(rank?.rank, shouldResume: !noResume) } }
    }
}

/// The names of ranks, for the command line.
enum RankName: String, ExpressibleByArgument, CaseIterable {
    case call, alarm, assistant, app

    var rank: Rank {
        switch self {
        case .call: .call
        case .alarm: .alarm
        case .assistant: .assistant
        case .app: .app
        }
    }
}
