import ArgumentParser
import Platform
import SessionCommands
import SessionPolicy

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs a command, and lowers or interrupts other sessions while it runs.",
        usage: """
            audiosession run [--duck | --interrupt | --mix] [--category <name>] [--mode <name>] [--option <name> ...] \
            [--wait] [--on-interruption <action>] -- <command> [<argument> ...]
            """,
        discussion: """
            Activates a session, then starts the command; the session ends with the command, and other sessions \
            return to their level or resume. The session is one of this process: the sound of the command itself is \
            not changed. Without an option for the session, it ducks others, as with --duck. With --category, --mode \
            or --option alone, it is what these say, of category playback unless --category names another.

            The command has the standard input, output and error and the terminal of this process, and the variable \
            AUDIOSESSION_SESSION with the number of the session. Signals are passed on to it. If this process is \
            killed, the command continues without the session. While the session is interrupted, by a call for \
            example, the command continues unless --on-interruption says otherwise.

            Exit status: that of the command, 128 + N if signal N ended it, 126 if it cannot be run, 127 if it does \
            not exist. If the session is refused, for example during a call, the command does not run: 64 usage \
            error, 69 arbiter unavailable, 75 refused for now, 77 permission denied.
            """)

    enum Intent: String, EnumerableFlag {
        case duck, interrupt, mix

        static func help(for value: Intent) -> ArgumentHelp? {
            switch value {
            case .duck: "Lowers other sessions (playback, voicePrompt, duckOthers). The default."
            case .interrupt: "Pauses the other sessions that do not mix; they resume afterwards (playback)."
            case .mix: "Leaves other sessions as they are (playback, mixWithOthers)."
            }
        }
    }

    @Flag(exclusivity: .exclusive)
    var intent: Intent?

    @Option(
        help: ArgumentHelp("The session's category: \(Known.categories).", valueName: "name"),
        completion: .list(Known.categoryNames), transform: Known.category)
    var category: SessionPolicy.Category?

    @Option(
        help: ArgumentHelp("The session's mode: \(Known.modes).", valueName: "name"),
        completion: .list(Known.modeNames), transform: Known.mode)
    var mode: Mode?

    @Option(
        name: .customLong("option"),
        help: ArgumentHelp("Category option; may be repeated: \(Known.options).", valueName: "name"),
        completion: .list(CategoryOptions.knownNames), transform: Known.option)
    var categoryOptions: [CategoryOptions] = []

    @Flag(help: "If the session is refused now, waits until it may be active without interrupting another one.")
    var wait = false

    @Option(
        help: ArgumentHelp(
            """
            What happens to the command while the session is interrupted. ignore: it continues; stop: it is terminated \
            (SIGTERM); pause: it is stopped and continued (SIGSTOP, SIGCONT), in a process group of its own that \
            cannot read from the terminal.
            """, valueName: "action"))
    var onInterruption = CommandRun.InterruptionAction.ignore

    @Argument(
        parsing: .postTerminator, help: ArgumentHelp("The command and its arguments, after --.", valueName: "command"))
    var command: [String] = []

    func validate() throws {
        guard !command.isEmpty else {
            throw ValidationError("Missing command: put it after `--`, as in `audiosession run -- espeak hello`.")
        }
    }

    func run() throws {
        let status = try OutputOptions.reportingErrors {
            let configuration = try HoldConfiguration(
                intent.flatMap { HoldConfiguration.Intent(rawValue: $0.rawValue) }, category: category, mode: mode,
                options: CategoryOptions(categoryOptions))
            // The process's own arguments: they need not be valid UTF-8.
            let words = CommandWords(lastArguments: command.count)
            return try CommandRun(words, configuration, waits: wait, action: onInterruption).run()
        }
        throw ExitCode(status)
    }
}

extension CommandRun.InterruptionAction: ExpressibleByArgument {}

/// The names of categories, modes and options on the command line.
private enum Known {
    static var categoryNames: [String] { SessionPolicy.Category.allCases.map(\.rawValue) }
    static var modeNames: [String] { Mode.allCases.map(\.rawValue) }
    static var categories: String { categoryNames.joined(separator: ", ") }
    static var modes: String { modeNames.joined(separator: ", ") }
    static var options: String { CategoryOptions.knownNames.joined(separator: ", ") }

    static func category(_ name: String) throws -> SessionPolicy.Category {
        guard let category = SessionPolicy.Category(rawValue: name) else {
            throw ValidationError("Unknown category '\(name)'. Categories: \(categories).")
        }
        return category
    }

    static func mode(_ name: String) throws -> Mode {
        guard let mode = Mode(rawValue: name) else {
            throw ValidationError("Unknown mode '\(name)'. Modes: \(modes).")
        }
        return mode
    }

    static func option(_ name: String) throws -> CategoryOptions {
        guard let option = CategoryOptions(knownName: name) else {
            throw ValidationError("Unknown option '\(name)'. Options: \(options).")
        }
        return option
    }
}
