import ArgumentParser
import AudioSessions

/// `player`: plays sound files through an audio session.
@main
struct PlayerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "player",
        abstract: "Plays sound files through an audio session, on a JACK server or into a file.",
        discussion: """
            With a terminal it shows a screen: space plays and pauses, the arrows seek 5 s and change the volume, i begins and ends an \
            interruption, s flips the silent switch, p speaks the prompt, q quits.

            Exit status: 0 done, 64 wrong use, 65 a file that cannot be decoded, 66 no such file, 69 no server, 70 internal, \
            73 a file that cannot be made, 77 not permitted.
            """)

    @Argument(help: ArgumentHelp("The files to play, one after the other.", valueName: "file"))
    var files: [String]

    @Option(help: ArgumentHelp("What the sound is for: \(Names.categories.known).", valueName: "name"))
    var category = "playback"

    @Option(help: ArgumentHelp("A shade of the category: \(Names.modes.known).", valueName: "name"))
    var mode = "default"

    @Option(
        name: .customLong("option"),
        help: ArgumentHelp("A category option; may be repeated: \(Names.options.known).", valueName: "name"))
    var options: [String] = []

    @Option(help: ArgumentHelp("Preferred sample rate; the server may keep its own.", valueName: "hz"))
    var sampleRate: Double?

    @Option(
        help: ArgumentHelp(
            """
            Preferred I/O buffer duration; the server rounds it. auto: ever shorter ones while it plays, until one has xruns; then the shortest \
            without.
            """, valueName: "seconds|auto"))
    var ioBuffer: IOBuffer?

    @Option(
        help: ArgumentHelp(
            "auto: the default server if one runs, else the managed one; managed; or a server's name.",
            valueName: "auto|managed|name"))
    var server = "auto"

    @Option(
        help: ArgumentHelp("How long to wait for a server that died; then it ends with 69.", valueName: "seconds"))
    var wait = 10.0

    @Option(help: ArgumentHelp("A port type or uid of the route to play on; may be repeated.", valueName: "port"))
    var output: [String] = []

    @Option(
        help: ArgumentHelp(
            "What its ports are connected to: device: what the route says; remembered: what they were connected to last time; none: nothing, patch by hand.",
            valueName: "device|remembered|none"))
    var connections = Connections.device

    @Option(parsing: .unconditional, help: ArgumentHelp("Volume, -120…24.", valueName: "db"))
    var volume = 0.0

    @Option(
        parsing: .unconditional, help: ArgumentHelp("How often each file plays again; -1: for ever.", valueName: "n"))
    var loop = 0

    @Option(help: ArgumentHelp("Where the first file begins.", valueName: "seconds"))
    var start = 0.0

    @Option(help: ArgumentHelp("Ends after so long.", valueName: "seconds"))
    var duration: Double?

    @Option(help: ArgumentHelp("A second session (voicePrompt, duckOthers) speaks this file.", valueName: "file"))
    var prompt: String?

    @Option(help: ArgumentHelp("When the prompt speaks.", valueName: "seconds"))
    var promptAt: Double?

    @Option(help: ArgumentHelp("When a phone rings.", valueName: "seconds"))
    var callAt: Double?

    @Option(help: ArgumentHelp("How long it rings, until it is declined.", valueName: "seconds"))
    var callFor = 5.0

    @Option(help: ArgumentHelp("No server: renders to this file, faster than real time.", valueName: "out"))
    var render: String?

    @Option(help: ArgumentHelp("Also writes to this file what goes to the output ports.", valueName: "out"))
    var capture: String?

    @Option(
        help: ArgumentHelp("What to show; auto is full on a terminal, else lines.", valueName: "auto|full|lines|none"))
    var ui = InterfaceStyle.auto

    @Option(help: ArgumentHelp("Writes events to standard output, one JSON object a line.", valueName: "json"))
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
    enum Connections: String, ExpressibleByArgument { case device, remembered, none }
    enum InterfaceStyle: String, ExpressibleByArgument { case auto, full, lines, none }
    enum EventFormat: String, ExpressibleByArgument { case json }

    func validate() throws {
        guard !files.isEmpty else { throw ValidationError("Name at least one file to play.") }
        try check("--volume", volume, in: -120...24)
        try check("--start", start, in: 0...1e9)
        try check("--call-for", callFor, in: 0...1e9)
        try check("--wait", wait, in: 0...1e9)
        guard (1...127).contains(server.utf8.count) else {
            throw ValidationError("--server: give auto, managed, or a server's name of 1 to 127 characters.")
        }
        for (name, value) in [("--duration", duration), ("--prompt-at", promptAt), ("--call-at", callAt)] {
            if let value { try check(name, value, in: 0...1e9) }
        }
        guard loop >= -1 else {
            throw ValidationError("--loop \(loop): give -1 for ever, 0, or how often to play again.")
        }
        guard promptAt == nil || prompt != nil else {
            throw ValidationError("--prompt-at needs a file to speak; add --prompt FILE.")
        }
        guard render == nil || capture == nil else {
            throw ValidationError("--render writes all there is; leave out --capture.")
        }
        guard render == nil || duration != nil || loop >= 0 else {
            throw ValidationError("--render with --loop -1 would never end; add --duration SECONDS.")
        }
        guard render == nil || ioBuffer != .auto else {
            throw ValidationError(
                "--io-buffer auto goes by a server's xruns, and --render has no server; give seconds, or leave it out.")
        }
        guard events == nil || ui != .full else {
            throw ValidationError("--events json and --ui full both need standard output; choose one.")
        }
    }

    /// All that is read.
    var sources: [String] { files + (prompt.map { [$0] } ?? []) }

    func run() throws {
        let code = PlayerProgram(command: self).run()
        if code != 0 { throw ExitCode(code) }
    }

    private func check(_ name: String, _ value: Double, in range: ClosedRange<Double>) throws {
        guard range.contains(value) else {
            throw ValidationError("\(name) \(value): give a number from \(range.lowerBound) to \(range.upperBound).")
        }
    }
}
