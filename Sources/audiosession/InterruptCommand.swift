import ArgumentParser
import SessionPolicy
import SessionCommands

struct InterruptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "interrupt",
        abstract: "Simulates interruptions by sleep, calls, alarms, the assistant or other apps.",
        subcommands: [Begin.self, End.self])

    /// Throws a usage error: a call without a subcommand is a mistake in the calling script.
    func run() throws { throw ValidationError("Missing subcommand: begin or end.") }

    struct Begin: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "begin", abstract: "Begins an interruption, which lasts until `interrupt end`.")

        @Option(help: ArgumentHelp("The rank of the interrupter; app begins a simulated app.", valueName: "rank"))
        var rank = RankName.call

        @OptionGroup var output: OutputOptions

        func run() throws { try output.runWithArbiter { try Interruptions($0).begin(rank.rank) } }
    }

    struct End: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "end", abstract: "Ends the newest interruption that `interrupt begin` began.")

        @Option(help: ArgumentHelp("Ends the newest interruption of this rank.", valueName: "rank"))
        var rank: RankName?

        @Flag(help: "Ends the interruption without recommending that sessions resume.")
        var noResume = false

        @OptionGroup var output: OutputOptions

        func run() throws {
            try output.runWithArbiter { try Interruptions($0).end(rank?.rank, shouldResume: !noResume) }
        }
    }
}

/// The names of the ranks on the command line.
enum RankName: String, ExpressibleByArgument, CaseIterable {
    case sleep, call, alarm, assistant, app

    var rank: Rank {
        switch self {
        case .sleep: .sleep
        case .call: .call
        case .alarm: .alarm
        case .assistant: .assistant
        case .app: .app
        }
    }
}
