import ArbiterService
import ArgumentParser
import SessionCommands

struct AdoptionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Lists programs that do not use this library, and changes how audiosession-adopt treats them.",
        discussion: """
            MATCH is the path of a program, its file name, its desktop id, or the name of its media player on the session \
            bus. Changes take effect at once; the session of a program that is held changes when it continues. They are \
            kept in programs.yaml beside audiosession.yaml. Its entries come before those of audiosession.yaml, which \
            is not changed, and is read in its default place even if audiosession-adopt runs with --config.
            """,
        subcommands: [List.self, Ignore.self, SetProgram.self, Reset.self])

    /// Throws a usage error: a call without a subcommand is a mistake in the calling script.
    func run() throws { throw ValidationError("Missing subcommand: list, ignore, set or reset.") }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the adopted programs, what decided their sessions, and all entries.",
            discussion: "Changes nothing, and does not start the arbiter.")

        @OptionGroup var output: OutputOptions

        func run() throws {
            try output.runCommand {
                switch SocketArbiterClient.look() {
                case .running(let report, _): return try Adoption().list(report)
                case .absent, .stale: return try Adoption().list(nil)
                case .withoutSocket(let path, let process):
                    throw CommandError(
                        .unavailable,
                        "The arbiter with pid \(process) does not listen at '\(path)'; `audiosession doctor` says why.")
                case .unreachable(let reason), .noFolder(let reason): throw CommandError(.unavailable, reason)
                }
            }
        }
    }

    struct Ignore: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ignore", abstract: "Lets a program alone: frees it, and resumes it if it is held.")

        @Argument(help: "The program.")
        var match: String

        @OptionGroup var output: OutputOptions

        func run() throws { try output.runCommand { try Adoption().ignore(match) } }
    }

    struct SetProgram: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Sets the session of a program, its attenuation, and when it lowers others.",
            discussion: "Keeps what is not given. A program that was ignored is adopted again.")

        @Argument(help: "The program.")
        var match: String

        @Option(
            help: ArgumentHelp("What the program is: \(SetProgram.kinds).", valueName: "kind"),
            completion: .list(ProgramKind.allCases.map(\.rawValue)),
            transform: { name in
                guard let kind = ProgramKind(rawValue: name) else {
                    throw ValidationError("Unknown session '\(name)'. Sessions: \(SetProgram.kinds).")
                }
                return kind
            })
        var session: ProgramKind?

        private static var kinds: String { ProgramKind.allCases.map(\.rawValue).joined(separator: ", ") }

        @Option(help: ArgumentHelp("The attenuation while it is ducked, 0 to 120 dB.", valueName: "dB"))
        var attenuation: Double?

        @Option(
            help: ArgumentHelp(
                "Whether the program, if it lowers others, does so only while it is audible: true or false.",
                valueName: "flag"),
            completion: .list(["true", "false"]))
        var ducksOnlyWhileAudible: Bool?

        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard session != nil || attenuation != nil || ducksOnlyWhileAudible != nil else {
                throw ValidationError(
                    "Missing value for '\(match)': add --session, --attenuation or --ducks-only-while-audible.")
            }
            if let attenuation, !(0...120).contains(attenuation) {
                throw ValidationError("--attenuation \(attenuation): give a number from 0 to 120 dB.")
            }
        }

        func run() throws {
            try output.runCommand {
                try Adoption().set(
                    match, kind: session, attenuation: attenuation, ducksOnlyWhileAudible: ducksOnlyWhileAudible)
            }
        }
    }

    struct Reset: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset", abstract: "Removes what `ignore` or `set` has set for a program.")

        @Argument(help: "The program.")
        var match: String

        @OptionGroup var output: OutputOptions

        func run() throws { try output.runCommand { try Adoption().reset(match) } }
    }
}
