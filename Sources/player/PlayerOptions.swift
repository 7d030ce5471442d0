import ArgumentParser
import AudioRendering
import JackDriver

/// The files and options of the `player` command.
struct PlayerOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The files to play, one after the other.", valueName: "file"), transform: Self.path)
    var files: [AudioFilePath]

    @Option(help: ArgumentHelp("Session category: \(Names.categories.known).", valueName: "name"))
    var category = "playback"

    @Option(help: ArgumentHelp("Session mode: \(Names.modes.known).", valueName: "name"))
    var mode = "default"

    @Option(
        name: .customLong("option"),
        help: ArgumentHelp("Category option; may be repeated: \(Names.options.known).", valueName: "name"))
    var categoryOptions: [String] = []

    @Option(help: ArgumentHelp("Preferred sample rate; the server may keep its current one.", valueName: "hz"))
    var sampleRate: Double?

    @Option(
        help: ArgumentHelp(
            """
            Preferred I/O buffer duration; the server rounds it. auto: tunes the buffer during playback to the \
            shortest one without xruns.
            """, valueName: "seconds|auto"))
    var ioBuffer: IOBuffer?

    @Option(
        help: ArgumentHelp(
            "The server: auto (the default server if it is running, else the managed one), managed, or a name.",
            valueName: "auto|managed|name"))
    var server = "auto"

    @Option(
        help: ArgumentHelp(
            "How long to wait for a server that died before exiting with status 69.", valueName: "seconds"))
    var wait = 10.0

    @Option(help: ArgumentHelp("Type or uid of an output port to play on; may be repeated.", valueName: "port"))
    var output: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            How ports are connected. device: to the route; remembered: as in the last run; none: not at all, so that \
            you can connect them by hand.
            """,
            valueName: "device|remembered|none"))
    var connections = Connections.device

    @Option(parsing: .unconditional, help: ArgumentHelp("Volume in dB, -120…24.", valueName: "db"))
    var volume = 0.0

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Repetitions of each file; -1: endless.", valueName: "n"))
    var loop = 0

    @Option(help: ArgumentHelp("Start position in the first file.", valueName: "seconds"))
    var start = 0.0

    @Option(help: ArgumentHelp("Exits after this time.", valueName: "seconds"))
    var duration: Double?

    @Option(
        help: ArgumentHelp("A prompt for a second session (voicePrompt, duckOthers) to play.", valueName: "file"),
        transform: Self.path)
    var prompt: AudioFilePath?

    @Option(help: ArgumentHelp("When to play the prompt.", valueName: "seconds"))
    var promptAt: Double?

    @Option(help: ArgumentHelp("When to simulate a ringing phone.", valueName: "seconds"))
    var callAt: Double?

    @Option(help: ArgumentHelp("How long the phone rings before it is declined.", valueName: "seconds"))
    var callFor = 5.0

    @Option(
        help: ArgumentHelp("Renders to this file without a server, faster than real time.", valueName: "out"),
        transform: Self.path)
    var render: AudioFilePath?

    @Option(
        help: ArgumentHelp("Also writes what the player's ports output to this file.", valueName: "out"),
        transform: Self.path)
    var capture: AudioFilePath?

    @Option(
        help: ArgumentHelp("What to display; auto: full on a terminal, else lines.", valueName: "auto|full|lines|none"))
    var ui = InterfaceStyle.auto

    @Option(help: ArgumentHelp("Writes events to standard output, one JSON object per line.", valueName: "json"))
    var events: EventFormat?

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
    enum InterfaceStyle: String, ExpressibleByArgument { case auto, full, lines, none }
    enum EventFormat: String, ExpressibleByArgument { case json }
    enum Connections: String, ExpressibleByArgument, CaseIterable {
        case device, remembered, none

        var mode: JackDriver.ConnectionMode {
            switch self {
            case .device: .device
            case .remembered: .remembered
            case .none: .none
            }
        }
    }

    func validate() throws {
        guard !files.isEmpty else { throw ValidationError("Name at least one file to play.") }
        try check("--volume", volume, in: -120...24)
        try check("--start", start, in: 0...1e9)
        try check("--call-for", callFor, in: 0...1e9)
        try check("--wait", wait, in: 0...1e9)
        guard (1...127).contains(server.utf8.count) else {
            throw ValidationError("--server: give auto, managed, or a server name of 1 to 127 bytes.")
        }
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
        guard events == nil || ui != .full else {
            throw ValidationError("--events json and --ui full both need standard output; choose one.")
        }
    }

    /// Returns the path that an argument of `ByteArguments` names.
    private static func path(_ argument: String) -> AudioFilePath {
        AudioFilePath(bytes: ByteArguments.decode(argument))
    }

    /// All files that are read.
    var sources: [AudioFilePath] { files + (prompt.map { [$0] } ?? []) }

    private func check(_ name: String, _ value: Double, in range: ClosedRange<Double>) throws {
        guard range.contains(value) else {
            throw ValidationError("\(name) \(value): give a number from \(range.lowerBound) to \(range.upperBound).")
        }
    }
}
