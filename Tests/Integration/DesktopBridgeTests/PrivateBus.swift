import AudioSessionTypes
import DesktopBridge
import Foundation
import Platform
import TestSupport

/// A session bus for one test.
final class PrivateBus: Sendable {
    let daemon: ChildProcess
    let address: String
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        let socket = directory.file("bus")
        let configuration = """
            <busconfig>
              <limit name="max_connections_per_user">1000</limit>
              <type>session</type><listen>unix:path=\(socket)</listen><auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
                <deny own="org.mpris.MediaPlayer2.forbidden"/>
              </policy>
            </busconfig>
            """
        try configuration.write(toFile: directory.file("bus.conf"), atomically: true, encoding: .utf8)
        daemon = try ChildProcess(
            "dbus-daemon", ["--nofork", "--nopidfile", "--print-address", "--config-file", directory.file("bus.conf")])
        address = "unix:path=" + socket
        guard eventually({ daemon.output.contains("unix:path=") || daemon.waitForEnd(seconds: 0) }),
            !daemon.waitForEnd(seconds: 0)
        else { throw TestFailure("dbus-daemon did not become ready: \(daemon.output)") }
    }

    deinit { kill() }

    /// Ends the bus, as a crash would.
    func kill() {
        daemon.send(SIGKILL)
        daemon.reap()
    }

    var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": address] }

    /// Runs a program on this bus. Returns its status and its output without the last newline.
    @discardableResult
    func run(_ program: String, _ arguments: String...) throws -> (status: Int32, output: String) {
        let result = try ChildProcess.run(program, arguments, environment: environment, seconds: 20)
        return (result.status, result.output.trimmingCharacters(in: .newlines))
    }

    /// Calls a method of the player with dbus-send; `arguments` in its form, such as `int64:5`.
    func call(
        _ method: String, _ arguments: String..., to name: String = "org.mpris.MediaPlayer2.player"
    ) throws -> (status: Int32, output: String) {
        let result = try ChildProcess.run(
            "dbus-send",
            ["--bus=\(address)", "--print-reply", "--dest=\(name)", "/org/mpris/MediaPlayer2", method] + arguments,
            environment: environment, seconds: 20)
        return (result.status, result.output.trimmingCharacters(in: .newlines))
    }

    /// Sets a property of the player's interface.
    func set(_ property: String, _ value: String) throws -> (status: Int32, output: String) {
        try call(
            "org.freedesktop.DBus.Properties.Set", "string:org.mpris.MediaPlayer2.Player", "string:\(property)",
            "variant:\(value)")
    }

    /// The players on the bus, by their full names.
    var names: [String] {
        get throws {
            let output = try run(
                "dbus-send", "--bus=\(address)", "--print-reply", "--dest=org.freedesktop.DBus", "/",
                "org.freedesktop.DBus.ListNames"
            ).output
            return output.matches(of: /"(org\.mpris\.[^"]*)"/).map { String($0.1) }.sorted()
        }
    }
}

/// A player that is served on a private bus, and the commands that its app receives.
final class ServedPlayer: Sendable {
    static let player = "org.mpris.MediaPlayer2.Player."

    let desktop: PrivateBus
    let bus: MediaPlayerBus
    let commands = EventLog<RemoteCommand>()
    /// Why the bus is no longer served.
    let end = Promise<MediaPlayerBus.End>()
    private let thread = WorkerThread()
    private let registered: Mutex<Set<RemoteCommand.Kind>>

    /// The app accepts these commands.
    init(
        on desktop: PrivateBus? = nil, accepting kinds: Set<RemoteCommand.Kind> = Set(RemoteCommand.Kind.allCases)
    ) throws {
        let desktop = try desktop ?? PrivateBus()
        let registered = Mutex(kinds)
        bus = try MediaPlayerBus(address: desktop.address) { [commands] command throws(RemoteCommandFailure) in
            guard registered.withLock({ $0.contains(command.kind) }) else {
                throw .unsupported("'\(command.kind.rawValue)' is not registered")
            }
            if command == .skip(by: 666) { throw .failed("the app is busy: \"\0🎧\"\(noncharacters)") }
            commands.note(command)
        }
        self.desktop = desktop
        self.registered = registered
        guard thread.start(name: "mpris", { [bus, end] in end.set(bus.run()) }) else {
            throw TestFailure("Cannot start a thread.")
        }
    }

    deinit {
        bus.stop()
        thread.join(seconds: 20)
    }

    /// Publishes a player and waits until it has its name.
    func show(_ player: MediaPlayer) throws {
        bus.publish(player)
        guard eventually({ bus.name != nil }) else { throw TestFailure("The player has no name on the bus.") }
    }

    /// Publishes this info of the program `player`, which accepts the registered commands.
    func show(_ info: NowPlayingInfo?, state: NowPlayingInfo.PlaybackState? = nil, number: UInt64 = 1) throws {
        try show(player(info, state: state, number: number))
    }

    func player(
        _ info: NowPlayingInfo?, state: NowPlayingInfo.PlaybackState? = nil, number: UInt64 = 1
    ) -> MediaPlayer {
        MediaPlayer(
            name: "player", number: number, commands: registered.withLock { $0 },
            playbackState: state ?? info?.playbackState ?? .stopped,
            record: info.map { NowPlayingRecord(info: $0, time: DispatchTime.now().uptimeNanoseconds) })
    }

    func playerctl(_ arguments: String...) throws -> (status: Int32, output: String) {
        let result = try ChildProcess.run(
            "playerctl", ["--player=player"] + arguments, environment: desktop.environment, seconds: 20)
        return (result.status, result.output.trimmingCharacters(in: .newlines))
    }
}
