import Foundation
import TestSupport
import Testing

/// The programs together: `player` on a JACK server, `audiosessiond`, `audiosession-mpris` and a
/// session bus, driven by `playerctl` as a desktop drives them.
@Suite("media control", .serialized)
struct MediaControlTests {
    private let bus: PrivateBus
    private let stage: ServiceEnvironment
    private let server: JackServer

    init() throws {
        bus = try PrivateBus()
        stage = try ServiceEnvironment()
        server = try JackServer(ServerName())
    }

    private var environment: [String: String] {
        stage.environment.merging(bus.environment) { $1 }
    }

    /// Starts a player of files of 60 s with these titles.
    private func start(
        _ titles: String..., options: [String] = [], variables: [String: String] = [:]
    ) throws -> ChildProcess {
        let files = try titles.map { title in
            let path = stage.directory.file("\(title).flac")
            let sox = [
                "-n", "-r", "48000", "-c", "2", "--add-comment", "TITLE=\(title)", "--add-comment", "ARTIST=Somebody",
                path, "synth", "60", "sine", "440", "vol", "0.1",
            ]
            guard try ChildProcess.run("sox", sox, seconds: 60).status == 0 else { throw TestFailure("sox failed.") }
            return path
        }
        return try ChildProcess(
            try BuiltProgram.path("player"), ["--ui", "none", "--server", server.name] + options + files,
            environment: environment.merging(variables) { $1 })
    }

    private func playerctl(_ arguments: String...) throws -> String {
        try ChildProcess.run("playerctl", arguments, environment: environment, seconds: 20)
            .output.trimmingCharacters(in: .newlines)
    }

    /// Waits until playerctl prints this.
    private func shows(_ output: String, _ arguments: String..., seconds: Double = 20) throws -> Bool {
        try eventually(seconds: seconds) {
            try ChildProcess.run("playerctl", arguments, environment: environment, seconds: 20)
                .output.trimmingCharacters(in: .newlines) == output
        }
    }

    private func position() throws -> Double { Double(try playerctl("position")) ?? -1 }

    private func rate() throws -> String {
        try bus.call(
            "org.freedesktop.DBus.Properties.Get", "string:org.mpris.MediaPlayer2.Player", "string:Rate"
        ).output
    }

    private var mpris: [pid_t] {
        OtherProcess.find(program: "audiosession-mpris", arguments: ["--socket", stage.socket])
    }

    private func end(_ player: ChildProcess) {
        player.send(SIGTERM)
        player.reap()
    }

    @Test("REMOTE-1, REMOTE-3: playerctl plays, pauses, seeks and skips, reads metadata and position, and quits")
    func player() throws {
        let player = try start("One", "Two")
        #expect(try shows("Playing", "status"))
        #expect(try playerctl("--list-all") == "player")
        #expect(try shows("One", "metadata", "title"))
        #expect(try playerctl("metadata", "artist") == "Somebody")
        #expect(try playerctl("metadata", "mpris:length") == "60000000")
        // The position advances, and nobody sets it.
        let before = try position()
        #expect(try eventually { try position() > before + 0.2 })

        _ = try playerctl("pause")
        #expect(try shows("Paused", "status"))
        _ = try playerctl("pause")
        let paused = try position()
        #expect(try playerctl("status") == "Paused", "pause does not toggle")
        _ = try playerctl("position", "30")
        #expect(try eventually { try abs(position() - 30) < 0.1 })
        #expect(paused < 20)
        _ = try playerctl("play-pause")
        #expect(try shows("Playing", "status"))
        _ = try playerctl("next")
        #expect(try shows("Two", "metadata", "title"))
        #expect(try position() < 20)
        _ = try playerctl("previous")
        #expect(try shows("One", "metadata", "title"))
        _ = try playerctl("loop", "Playlist")
        #expect(try shows("Playlist", "loop"))
        _ = try playerctl("shuffle", "On")
        #expect(try shows("On", "shuffle"))
        #expect(try bus.set("Rate", "double:1.5").status == 0)
        #expect(try eventually { try rate().contains("double 1.5") })
        _ = try playerctl("stop")
        #expect(try shows("Stopped", "status"))

        // A command that the player does not handle is reported.
        let raise = try bus.call("org.mpris.MediaPlayer2.Raise")
        #expect(raise.status != 0 && raise.output.contains("NotSupported") && raise.output.contains("raise"))
        #expect(try bus.call("org.mpris.MediaPlayer2.Quit").status == 0)
        #expect(player.waitForEnd(seconds: 20))
        #expect(player.reap() == 0)
        #expect(try eventually { try bus.names.isEmpty })
    }

    @Test("REMOTE-2: of two players the one that started last answers; when it is killed, the one before")
    func twoApps() throws {
        let first = try start("One")
        #expect(try shows("One", "metadata", "title"))
        let second = try start("Two")
        #expect(try shows("Two", "metadata", "title"))
        let mixing = try start("Three", options: ["--option", "mixWithOthers"])
        #expect(try eventually { try stage.audiosession("status").output.contains("mixWithOthers: running") })
        #expect(try playerctl("--list-all") == "player" && playerctl("metadata", "title") == "Two")
        _ = try playerctl("pause")
        #expect(try shows("Paused", "status"))
        second.send(SIGKILL)
        second.reap()
        #expect(try shows("One", "metadata", "title"))
        _ = try playerctl("play")
        #expect(try shows("Playing", "status"))
        #expect(try stage.audiosession("remote").output.contains("playing 'One' by Somebody"))
        end(first)
        #expect(try eventually { try bus.names.isEmpty })
        end(mixing)
    }

    @Test("SRV-3, REMOTE-3: after the arbiter, or the program for the bus, was killed, the player appears again")
    func killed() throws {
        let player = try start("One")
        #expect(try shows("One", "metadata", "title"))
        let program = try #require(mpris.first)
        kill(program, SIGKILL)
        try OtherProcess.waitForEnd(of: program)
        #expect(try shows("One", "metadata", "title"))
        #expect(mpris.count == 1 && mpris.first != program)

        let first = try #require(mpris.first)
        try stage.killService()
        #expect(eventually { mpris.first.map { $0 != first } ?? false })
        #expect(try shows("One", "metadata", "title"))
        #expect(try bus.names == ["org.mpris.MediaPlayer2.player"])
        _ = try playerctl("pause")
        #expect(try shows("Paused", "status"))
        end(player)
    }

    @Test("REMOTE-1: without the bus, players play on, and commands arrive from the command line")
    func busDies() throws {
        let player = try start("One")
        #expect(try shows("One", "metadata", "title"))
        let program = try #require(mpris.first)
        bus.kill()
        try OtherProcess.waitForEnd(of: program)
        #expect(try stage.audiosession("remote", "pause").status == 0)
        #expect(try eventually { try stage.audiosession("remote").output.contains("paused 'One'") })
        #expect(!player.waitForEnd(seconds: 0))
        let doctor = try ChildProcess.run(
            try BuiltProgram.path("audiosession"), ["doctor"], environment: environment, seconds: 30)
        #expect(doctor.output.contains("warning  media control: the session bus cannot be reached"))
        end(player)
    }

    @Test("REMOTE-1: the program ends some seconds after the last player, and the setting prevents it")
    func lifetime() throws {
        let player = try start("One")
        #expect(try shows("One", "metadata", "title"))
        let program = try #require(mpris.first)
        end(player)
        try OtherProcess.waitForEnd(of: program)
        #expect(mpris.isEmpty)

        try stage.killService()
        try "desktop: {media-control: false}\n".write(
            toFile: stage.directory.file("config/audiosession/audiosession.yaml"), atomically: true, encoding: .utf8)
        let other = try start("Two")
        #expect(try eventually { try stage.audiosession("remote").output.contains("playing 'Two'") })
        #expect(try mpris.isEmpty && bus.names.isEmpty)
        end(other)
    }

    @Test("A program for the bus that ends at once is started again with growing pauses", arguments: [0, 1])
    func endsAtOnce(status: Int) throws {
        let (script, starts) = (stage.directory.file("program"), stage.directory.file("starts"))
        try "#!/bin/sh\ndate +%s.%N >> '\(starts)'\nexit \(status)\n".write(
            toFile: script, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
        let player = try start("One", variables: ["AUDIOSESSION_MPRIS": script])
        func times() -> [Double] {
            let text = (try? String(contentsOfFile: starts, encoding: .utf8)) ?? ""
            return text.split(separator: "\n").compactMap { Double($0) }
        }
        #expect(eventually { times().count == 2 })
        // 2 s, then 4 s: a third start is far away.
        #expect(times().count == 2 && times()[1] - times()[0] > 1.9)
        end(player)
    }

    @Test("REMOTE-1: without a bus or an arbiter, the program exits with 69 and says why")
    func unavailable() throws {
        let program = try BuiltProgram.path("audiosession-mpris")
        let nowhere = ["--socket", stage.directory.file("none.socket")]
        let withoutArbiter = try ChildProcess.run(program, nowhere, environment: environment, seconds: 20)
        #expect(withoutArbiter.status == 69 && withoutArbiter.output.contains("start audiosessiond"))
        let noBus = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"]
        let withoutBus = try ChildProcess.run(
            program, nowhere, environment: stage.environment.merging(noBus) { $1 }, seconds: 20)
        #expect(withoutBus.status == 69 && withoutBus.output.contains("Cannot connect to the session bus"))
        let usage = try ChildProcess.run(program, ["now"], environment: environment, seconds: 20)
        #expect(usage.status == 64)
    }
}
