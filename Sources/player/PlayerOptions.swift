import ArgumentParser
import AudioRendering
import SessionProgramSupport

/// The files and options of the `player` command.
struct PlayerOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The files to play, one after the other.", valueName: "file"), completion: .file(),
        transform: ByteArguments.path)
    var files: [AudioFilePath]

    @Option(
        help: ArgumentHelp("Session category: \(Names.categories.known).", valueName: "name"),
        completion: .list(Names.categories.names))
    var category = "playback"

    @OptionGroup var session: SessionOptions

    @Option(
        help: ArgumentHelp(
            """
            Preferred I/O buffer duration; the server rounds it. auto: tunes the buffer during playback to the \
            shortest one without xruns.
            """, valueName: "seconds|auto"))
    var ioBuffer: IOBuffer?

    @OptionGroup var server: ServerOptions

    @Option(help: ArgumentHelp("Type or uid of an output port to play on; may be repeated.", valueName: "port"))
    var output: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            How ports are connected. device: to the route; remembered: as in the last run; none: not at all, so that \
            you can connect them by hand.
            """,
            valueName: "device|remembered|none"))
    var connections = ConnectionOption.device

    @Option(parsing: .unconditional, help: ArgumentHelp("Volume in dB, -120…24.", valueName: "db"))
    var volume = 0.0

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Brings each file to this loudness by EBU R 128, such as -18, without exceeding -1 dB of full scale. \
            Decodes every file once before playback starts.
            """, valueName: "lufs"))
    var normalize: Double?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Repetitions of each file; -1: endless.", valueName: "n"))
    var loop = 0

    @Option(help: ArgumentHelp("Start position in the first file.", valueName: "seconds"))
    var start = 0.0

    @Option(help: ArgumentHelp("Exits after this time.", valueName: "seconds"))
    var duration: Double?

    @Option(
        help: ArgumentHelp("A prompt for a second session (voicePrompt, duckOthers) to play.", valueName: "file"),
        completion: .file(),
        transform: ByteArguments.path)
    var prompt: AudioFilePath?

    @Option(help: ArgumentHelp("When to play the prompt.", valueName: "seconds"))
    var promptAt: Double?

    @Option(help: ArgumentHelp("When to simulate a ringing phone.", valueName: "seconds"))
    var callAt: Double?

    @Option(help: ArgumentHelp("How long the phone rings before it is declined.", valueName: "seconds"))
    var callFor = 5.0

    @Option(
        help: ArgumentHelp("Renders to this file without a server, faster than real time.", valueName: "out"),
        completion: .file(),
        transform: ByteArguments.path)
    var render: AudioFilePath?

    @Option(
        help: ArgumentHelp("Also writes what the player's ports output to this file.", valueName: "out"),
        completion: .file(),
        transform: ByteArguments.path)
    var capture: AudioFilePath?

    @OptionGroup var interface: InterfaceOptions

    enum IOBuffer: ExpressibleByArgument, Equatable {
        case seconds(Double)
        case auto

        init?(argument: String) {
            if argument == "auto" {
                self = .auto
            } else if let seconds = Double(argument) {
                self = .seconds(seconds)
            } else {
                return nil
            }
        }
    }
    func validate() throws {
        guard !files.isEmpty else { throw ValidationError("Name at least one file to play.") }
        try check("--volume", volume, in: -120...24)
        try check("--start", start, in: 0...1e9)
        try check("--call-for", callFor, in: 0...1e9)
        if let normalize { try check("--normalize", normalize, in: -70...0) }
        for (name, value) in [("--duration", duration), ("--prompt-at", promptAt), ("--call-at", callAt)] {
            if let value { try check(name, value, in: 0...1e9) }
        }
        guard loop >= -1 else {
            throw ValidationError("--loop \(loop): give the number of repetitions, or -1 for endless repetition.")
        }
        guard promptAt == nil || prompt != nil else {
            throw ValidationError("--prompt-at needs a prompt; add --prompt FILE.")
        }
        guard render == nil || capture == nil else {
            throw ValidationError("--render already writes the whole output; omit --capture.")
        }
        guard render == nil || duration != nil || loop >= 0 else {
            throw ValidationError("--render with --loop -1 would never end; add --duration SECONDS.")
        }
        guard render == nil || ioBuffer != .auto else {
            throw ValidationError(
                "--io-buffer auto depends on a server's xruns, and --render uses no server; give seconds, or omit it.")
        }
    }

    /// All files that are read.
    var sources: [AudioFilePath] { files + (prompt.map { [$0] } ?? []) }
}
