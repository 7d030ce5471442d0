import ArgumentParser
import Glibc
import SessionCommands

struct DuckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duck",
        abstract: "Lowers other sessions for a time, or until Ctrl-C.",
        discussion: HoldOptions.discussion)

    @OptionGroup var hold: HoldOptions
    @OptionGroup var output: OutputOptions

    func run() throws { try hold.run(.duck, output) }
}

struct PauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Interrupts the other sessions that do not mix, for a time or until Ctrl-C; then they resume.",
        discussion: HoldOptions.discussion)

    @OptionGroup var hold: HoldOptions
    @OptionGroup var output: OutputOptions

    func run() throws { try hold.run(.interrupt, output) }
}

/// The options of `duck` and `pause`.
struct HoldOptions: ParsableArguments {
    static let discussion = """
        Holds a session of this process. Ctrl-C, SIGTERM and SIGHUP end it with exit status 0. If it is refused, for \
        example during a call, exits with 75. On a terminal, one line says what the command does; --json prints an \
        object when it begins.
        """

    @Option(name: .customLong("for"), help: ArgumentHelp("Ends after that time.", valueName: "seconds"))
    var seconds: Double?

    func validate() throws {
        guard let seconds else { return }
        guard seconds > 0, seconds <= 1e6 else {
            throw ValidationError("--for \(seconds): give a number of seconds greater than 0, up to 1000000.")
        }
    }

    func run(_ intent: HoldConfiguration.Intent, _ output: OutputOptions) throws {
        try output.reportingErrors {
            try TimedHold(intent, seconds: seconds).run { result in
                if output.json {
                    try output.write(try result.json)
                } else if isatty(STDOUT_FILENO) == 1 {
                    try output.write(result.text)
                }
            }
        }
    }
}
