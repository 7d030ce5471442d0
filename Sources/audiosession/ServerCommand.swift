import ArgumentParser
import JackDriver
import SessionCommands

struct ServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "Starts, stops and shows the managed JACK server, which apps share if no other server is running.",
        discussion: """
            A server that this command started runs until it is stopped; one that an app started exits after its last \
            client. `start` refuses options while the server runs. `restart` keeps the options that are not given. The exit status of `status` is 69 if the server is \
            not running.
            """)

    enum Change: String, ExpressibleByArgument, CaseIterable { case start, stop, restart, status }

    @Argument(help: "The action: start, stop, restart or status.")
    var change: Change

    @Option(
        help: ArgumentHelp(
            "alsa: the first sound card; dummy: no device. Default: alsa if a card can be opened, otherwise dummy.",
            valueName: "alsa|dummy"))
    var driver: Driver?

    @Option(help: ArgumentHelp("Sample rate, 8000 to 384000 (default: 48000).", valueName: "hz"))
    var rate: Int?

    @Option(help: ArgumentHelp("Frames per period, 16 to 8192 (default: 1024).", valueName: "n"))
    var period: Int?

    @Option(help: ArgumentHelp("The server's name.", valueName: "name"))
    var name = "audiosession"

    @OptionGroup var output: OutputOptions

    enum Driver: String, ExpressibleByArgument, CaseIterable {
        case alsa, dummy

        var device: ManagedServer.Device {
            switch self {
            case .alsa: .soundCard
            case .dummy: .none
            }
        }
    }

    func validate() throws {
        for (option, value, range) in [("--rate", rate, 8_000...384_000), ("--period", period, 16...8_192)] {
            guard let value, !range.contains(value) else { continue }
            throw ValidationError("\(option) \(value): give a number from \(range.lowerBound) to \(range.upperBound).")
        }
        let takesNoOptions = change == .stop || change == .status
        guard !takesNoOptions || (driver == nil && rate == nil && period == nil) else {
            throw ValidationError("--driver, --rate and --period apply to start and restart only.")
        }
    }

    func run() throws {
        try output.runCommand {
            let servers = try ManagedServers(name: name)
            let options = ManagedServers.Options(
                device: driver?.device, sampleRate: rate,
                periodFrames: period)
            return switch change {
            case .start: try servers.start(options)
            case .stop: try servers.stop()
            case .restart: try servers.restart(options)
            case .status: try servers.status()
            }
        }
    }
}
