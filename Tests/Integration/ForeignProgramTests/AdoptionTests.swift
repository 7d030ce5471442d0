import Foundation
import TestSupport
import Testing

/// Real programs that do not use the library, adopted as sessions.
@Suite("foreign programs: adoption", .serialized)
struct AdoptionTests {
    /// 14 dB.
    private static let ducked: Float = 0.199_526_23

    @Test("A prompt lowers a program by 14 dB and gives it back, bit for bit (DUCK-1, DUCK-5)")
    func ducked() throws {
        let stage = try AdoptionStage()
        let program = try stage.desktop.play(role: "Game")
        defer { program.send(SIGKILL) }
        let recording = try stage.desktop.record()
        try #require(recording.waitsForUnity())
        try #require(try stage.shows("pw-cat", "adopted, ambient", "running"))
        let prompt = try stage.prompt()
        #expect(recording.waits { abs($0.gain - Self.ducked) < 1e-5 })
        prompt.send(SIGTERM)
        #expect(recording.waitsForUnity())
        #expect(try stage.shows("pw-cat", "running"))
    }

    @Test("A call holds a program, which then continues where it was (ACT-4, INT-8)")
    func call() throws {
        let stage = try AdoptionStage()
        let program = try stage.desktop.play(role: "Game")
        defer { program.send(SIGKILL) }
        let recording = try stage.desktop.record()
        try #require(recording.waitsForUnity())
        try stage.audiosession("call", "ring")
        try #require(recording.waitsForSilence())
        #expect(try stage.shows("pw-cat", "interrupted"))
        try stage.audiosession("call", "decline")
        try #require(recording.waitsForUnity())
        let frames = recording.frames()
        let silence = frames.longestSilence
        // The fade itself passes in silence below the recording's resolution, and takes longer on a
        // busy machine. Exact frames are checked with the stream controller alone.
        let advance = try #require(frames.advance(across: silence))
        #expect(advance < 24_000, "\(advance) frames passed in \(silence.count) frames of silence")
    }

    @Test("A media player is paused by a call and plays again after it (INT-3, INT-9)")
    func mediaPlayer() throws {
        let stage = try AdoptionStage()
        let player = try stage.desktop.mpv()
        defer { player.send(SIGKILL) }
        let recording = try stage.desktop.record()
        try #require(recording.waitsForUnity())
        try #require(try stage.shows("mpv", "adopted, playback", "running"))
        try stage.audiosession("call", "ring")
        try #require(recording.waitsForSilence())
        #expect(try eventually { try stage.playerStatus() == "Paused" })
        try stage.audiosession("call", "decline")
        #expect(try eventually { try stage.playerStatus() == "Playing" })
        #expect(recording.waitsForUnity())
    }

    @Test("One player at a time: the one that starts pauses the other, which returns at its end (ACT-2)")
    func twoPlayers() throws {
        let stage = try AdoptionStage()
        let first = try stage.desktop.mpv()
        defer { first.send(SIGKILL) }
        let recording = try stage.desktop.record()
        try #require(recording.waitsForUnity())
        try #require(try stage.shows("mpv", "running"))
        let second = try stage.desktop.play(role: "Music")
        #expect(try eventually { try stage.playerStatus() == "Paused" })
        #expect(try stage.shows("mpv", "interrupted"))
        second.send(SIGKILL)
        second.reap()
        #expect(try eventually { try stage.playerStatus() == "Playing" })
        #expect(recording.waitsForUnity())
    }

    @Test("A user who presses play in a paused player is obeyed (INT-5)")
    func userPlays() throws {
        let stage = try AdoptionStage()
        let player = try stage.desktop.mpv()
        defer { player.send(SIGKILL) }
        let recording = try stage.desktop.record()
        try #require(recording.waitsForUnity())
        try stage.audiosession("interrupt", "begin", "--rank", "app")
        #expect(try eventually { try stage.playerStatus() == "Paused" })
        // mpv reports its state ten times a second: a play at once would hide the pause.
        try #require(recording.waits(frames: 24_000))
        try stage.desktop.run("playerctl", ["play"])
        #expect(recording.waitsForUnity())
        #expect(try stage.shows("mpv", "running"))
        try stage.audiosession("interrupt", "end")
        #expect(try stage.playerStatus() == "Playing")
    }

    @Test("A program that lies about its role and its process gets no more than its default")
    func liar() throws {
        let stage = try AdoptionStage(pulse: true)
        let program = try stage.desktop.play(role: "Game")
        defer { program.send(SIGKILL) }
        let recording = try stage.desktop.record()
        try #require(recording.waitsForUnity())
        let liar = try stage.desktop.playAsPhone(claiming: 1)
        defer { liar.send(SIGKILL) }
        // It plays along, and is lowered like any other. Its process is not known.
        try #require(try stage.shows("(\"paplay\", audiosession-adopt", "playback, mixWithOthers", "running"))
        let prompt = try stage.prompt()
        #expect(try stage.shows("(\"paplay\", audiosession-adopt", "playback, mixWithOthers", "ducked"))
        #expect(try stage.shows("pw-cat", "ducked"))
        prompt.send(SIGTERM)
        #expect(try stage.shows("pw-cat", "ambient: running"))
    }

    @Test("A second audiosession-adopt says that one runs, and exits with 75")
    func second() throws {
        let stage = try AdoptionStage()
        let second = try AdoptionStage.startAdoption(stage.desktop)
        try #require(second.waitForEnd(seconds: 30))
        #expect(second.reap() == 75)
        #expect(second.output.contains("Another audiosession-adopt is already running"))
    }

    @Test("Without PipeWire and a session bus, audiosession-adopt says so, and exits with 69")
    func nothingToAdopt() throws {
        let folder = try TemporaryDirectory()
        let environment = [
            "XDG_RUNTIME_DIR": folder.path, "PIPEWIRE_RUNTIME_DIR": folder.path, "DBUS_SESSION_BUS_ADDRESS": "",
            "XDG_CONFIG_HOME": folder.path,
        ]
        let (status, output) = try ChildProcess.run(
            BuiltProgram.path("audiosession-adopt"), [], environment: environment)
        #expect(status == 69)
        #expect(output.contains("neither PipeWire nor a session bus"), "\(output)")
        _ = try ChildProcess.run("pkill", ["-f", "audiosessiond.*\(folder.path)"])
    }
}
