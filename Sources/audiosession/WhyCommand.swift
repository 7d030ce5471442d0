import ArgumentParser
import SessionPolicy
import Switchboard

struct WhyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Says which rules put a session where it is, by whom, since when; and what was refused to it.")

    @Argument(help: "The session's number; `audiosession status` lists them.")
    var session: UInt64

    @OptionGroup var output: OutputOptions

    func run() throws {
        try output.ask { arbiter in
            try WhyOutcome(
                SessionID(session), try arbiter.report(), try arbiter.decisions(), now: LiveArbiter.now)
        }
    }
}
