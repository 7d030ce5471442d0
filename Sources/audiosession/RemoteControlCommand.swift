import ArgumentParser
import SessionCommands
import SessionPolicy

struct RemoteControlCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remote",
        abstract: "Shows what plays, and sends commands to that app, as a headset or a media key does.",
        discussion: """
            Without a command, shows the now-playing app: the one that handles remote commands and was the last to \
            start playing without mixing with others.
            """)

    enum Name: String, ExpressibleByArgument, CaseIterable {
        case play, pause, toggle, stop, next, previous, skip, seek, rate, shuffle, `repeat`, raise, quit
    }

    @Argument(help: "The command. Omit it to show what plays.")
    var command: Name?

    // A negative number of seconds looks like an option.
    @Argument(
        parsing: .allUnrecognized,
        help: """
            skip: seconds, negative for backward; seek: the position in seconds; rate: 1 is normal speed; shuffle: on \
            or off; repeat: off, one or all.
            """)
    var values: [String] = []

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let second = values.dropFirst().first {
            throw ValidationError("A command takes one value at most, but '\(second)' was given as well.")
        }
        guard command != nil || value == nil else {
            throw ValidationError("Unknown option or command '\(value ?? "")'.")
        }
        _ = try remoteCommand
    }

    func run() throws {
        let command = try remoteCommand
        try output.runWithArbiter { arbiter in
            guard let command else { return try RemoteControl(arbiter).show(at: SocketArbiterClient.now) }
            return try RemoteControl(arbiter).send(command)
        }
    }

    private var value: String? { values.first }

    private var remoteCommand: SessionPolicy.RemoteCommand? {
        get throws {
            guard let command else { return nil }
            switch command {
            case .play: return try plain(.play)
            case .pause: return try plain(.pause)
            case .toggle: return try plain(.togglePlayPause)
            case .stop: return try plain(.stop)
            case .next: return try plain(.nextTrack)
            case .previous: return try plain(.previousTrack)
            case .raise: return try plain(.raise)
            case .quit: return try plain(.quit)
            case .skip: return .skip(by: try number("a number of seconds"))
            case .seek: return .seek(to: try number("a position in seconds"))
            case .rate: return .setRate(try number("a rate; 1 is normal speed"))
            case .shuffle:
                guard let position = value.flatMap(OnOff.init) else { throw wrong("on or off") }
                return .setShuffled(position == .on)
            case .repeat:
                guard let mode = value.flatMap(RepeatMode.init) else { throw wrong("off, one or all") }
                return .setRepeatMode(mode)
            }
        }
    }

    private func plain(_ command: SessionPolicy.RemoteCommand) throws -> SessionPolicy.RemoteCommand {
        guard let value else { return command }
        throw ValidationError("'\(self.command?.rawValue ?? "")' takes no value, but '\(value)' was given.")
    }

    private func number(_ what: String) throws -> Double {
        guard let number = value.flatMap(Double.init), number.isFinite else { throw wrong(what) }
        return number
    }

    private func wrong(_ what: String) -> ValidationError {
        ValidationError(
            "'\(command?.rawValue ?? "")' needs \(what)" + (value.map { ", but '\($0)' was given." } ?? "."))
    }
}
