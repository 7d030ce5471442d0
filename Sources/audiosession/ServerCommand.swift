import ArgumentParser
import JackDriver
import Switchboard

struct ServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "Starts, stops and shows the managed JACK server, which apps share where nobody runs one.",
        discussion: """
            One that was started here stays until it is stopped; one that an app started leaves after its last client. `restart` keeps \
            what is not given. `status` ends with 69 when the server does not run.
            """)

    enum Change: String, ExpressibleByArgument, CaseIterable { case start, stop, restart, status }

    @Argument(help: "start, stop, restart or status.")
    var change: Change

    @Option(
        help: ArgumentHelp(
            "alsa: the first sound card; dummy: none. By default, a card if one opens.", valueName: "alsa|dummy"))
    var driver: Driver?

    @Option(help: ArgumentHelp("Sample rate, 8000 to 384000 (48000).", valueName: "hz"))
    var rate: Int?

    @Option(help: ArgumentHelp("Frames per period, 16 to 8192 (1024).", valueName: "n"))
    var period: Int?

    @Option(help: ArgumentHelp("The server's name.", valueName: "name"))
    var name = "audiosession"

    @OptionGroup var output: OutputOptions

    enum Driver: String, ExpressibleByArgument, CaseIterable { case alsa, dummy }

    func validate() throws {
        for (option, value, range) in [("--rate", rate, 8_000...384_000), ("--period", period, 16...8_192)] {
            guard let value, !range.contains(value) else { continue }
            throw ValidationError("\(option) \(value): give a number from \(range.lowerBound) to \(range.upperBound).")
        }
        let isAsking = change == .stop || change == .status
        guard !isAsking || (driver == nil && rate == nil && period == nil) else {
            throw ValidationError("--driver, --rate and --period are for start and restart.")
        }
    }

    func run() throws {
        try output.say {
            let servers = try ManagedServers(name: name)
            let wishes = ManagedServers.Wishes(
                device: driver.flatMap { ManagedServer.Device(rawValue: $0.rawValue) }, sampleRate: rate,
                periodFrames: period)
            return switch change {
            case .start: try servers.start(wishes)
            case .stop: try servers.stop()
            case .restart: try servers.restart(wishes)
            case .status: try servers.status()
            }
        }
    }
}
