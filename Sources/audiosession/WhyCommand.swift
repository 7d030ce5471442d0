import ArgumentParser
import SessionPolicy
import SessionCommands

struct WhyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Explains why a session is silent or ducked, and shows its last refused requests.")

    @Argument(help: "The number of the session; `audiosession status` lists them.")
    var session: UInt64

    @OptionGroup var output: OutputOptions

    func run() throws {
        try output.runWithArbiter { arbiter in
            try WhyResult(
                SessionID(session), try arbiter.report(), try arbiter.decisions(), now: SocketArbiterClient.now)
        }
    }
}
