import Foundation
import TestSupport
import Testing

/// Several players at once, each in a process of its own. The tests check what each sent to its
/// output ports.
@Suite("player: among other apps", .serialized)
struct ArbitrationTests {
    static let rate = 48_000
    static let period = 256
    static let fade = rate * 5 / 1000
    let stage: ServiceEnvironment
    let server: JackServer

    init() throws {
        stage = try ServiceEnvironment()
        server = try JackServer(ServerName(), sampleRate: Self.rate, periodFrames: Self.period)
    }

    private func file(_ samples: [Float], _ name: String) throws -> String {
        try SoundFile.write([samples], sampleRate: Self.rate, to: stage.directory.file(name))
        return stage.directory.file(name)
    }

    /// Starts a player on this test's server and arbiter.
    private func start(_ arguments: [String]) throws -> PlayerRun {
        try PlayerRun(["--server", server.name, "--events", "json"] + arguments, environment: stage.environment)
    }

    /// Starts a player of a long file that captures its output.
    private func startMusic(
        _ samples: [Float], capture: String, _ arguments: [String] = []
    ) throws -> PlayerRun {
        let run = try start(
            ["--capture", stage.directory.file(capture)] + arguments + [try file(samples, "of-" + capture)])
        guard run.waitForLine("\"event\":\"position\"") else {
            throw TestFailure("The player did not play: \(run.errorLines)")
        }
        return run
    }

    /// Lets the player continue for three seconds by its own count, ends it, and returns its
    /// output. On a loaded machine its lines arrive late and in bursts.
    private func finish(_ run: PlayerRun, _ capture: String) throws -> [Float] {
        func reached(_ lines: [String]) -> Int {
            let line = lines.last { $0.contains("\"event\":\"position\"") }
            return line.flatMap(parsed)?["frame"] as? Int ?? 0
        }
        let end = reached(run.outLines) + 3 * Self.rate
        #expect(run.out.lines.wait(limit: 60) { reached($0) >= end })
        run.send(SIGINT)
        #expect(run.exit() == 0, "\(run.errorLines)")
        #expect(run.errorLines.isEmpty)
        return try SoundFile.read(stage.directory.file(capture)).planes[0]
    }

    /// Checks that a counting signal was interrupted and continued at its very next frame: the one
    /// after the fade.
    private func checkInterruption(_ heard: [Float], _ source: [Float]) throws {
        let begin = try #require(heard.firstIndex { $0 != 0 })
        let faded = try #require((begin..<heard.count).first { heard[$0] != source[$0 - begin] })
        let silent = try #require(heard[faded...].firstIndex { $0 == 0 })
        #expect(silent - faded <= Self.period + Self.fade)
        let resumed = try #require(heard[silent...].firstIndex { $0 != 0 })
        let rendered = faded - begin + Self.fade
        let after = heard[(resumed + Self.fade)...].prefix(Self.rate / 2)
        #expect(after.count == Self.rate / 2)
        #expect(Signal.firstDifference(after, source[(rendered + Self.fade)...].prefix(Self.rate / 2)) == nil)
    }

    @Test("ACT-2, INT-8: another program's playback interrupts; at its end the first continues at its very next frame")
    func playback() throws {
        let source = Signal.counting(frames: Self.rate * 60)
        let first = try startMusic(source, capture: "first.wav")
        let second = try start([
            try file(Signal.sine(frequency: 440, sampleRate: Self.rate, frames: Self.rate), "b.wav")
        ])
        #expect(second.exit() == 0, "\(second.errorLines)")
        #expect(first.waitForLine("\"type\":\"ended\""))
        try checkInterruption(try finish(first, "first.wav"), source)
        #expect(stage.services.count == 1, "both use the same service")
    }

    @Test("ACT-12: after the other program is killed, the first continues as after a deactivation with notice")
    func killed() throws {
        let source = Signal.counting(frames: Self.rate * 60)
        let first = try startMusic(source, capture: "first.wav")
        let second = try startMusic(Signal.counting(frames: Self.rate * 60), capture: "second.wav")
        #expect(first.waitForLine("\"type\":\"began\""))
        #expect(first.waitForLine("\"by\":\"session 2\""), "the other program, as the `audiosession` command names it")
        second.send(SIGKILL)
        #expect(first.waitForLine("\"shouldResume\":true"))
        try checkInterruption(try finish(first, "first.wav"), source)
    }

    @Test("DUCK-3, DUCK-5: a prompt of another program ducks by 14 dB; afterwards every bit equals the source's")
    func prompt() throws {
        let source = Signal.sine(frequency: 997, sampleRate: Self.rate, frames: Self.rate * 60)
        let music = try startMusic(source, capture: "music.wav")
        let silence = [Float](repeating: 0, count: Self.rate)
        let prompt = try start(["--mode", "voicePrompt", "--option", "duckOthers", try file(silence, "prompt.wav")])
        #expect(prompt.exit() == 0, "\(prompt.errorLines)")
        let heard = try finish(music, "music.wav")
        let begin = try #require(heard.firstIndex { $0 != 0 }) - 1  // the sine's first sample is 0
        let attack = try #require((begin..<heard.count).first { heard[$0] != source[$0 - begin] })
        let ducked = (attack + Self.rate / 10)..<(attack + Self.rate * 8 / 10)
        let level = Signal.rms(source[(ducked.lowerBound - begin)..<(ducked.upperBound - begin)])
        #expect(abs(Signal.decibels(Float(Signal.rms(heard[ducked]) / level)) + 14) <= 0.1)
        let last = heard.suffix(Self.rate)
        #expect(
            Signal.firstDifference(
                last.prefix(Self.rate / 2), source[(last.startIndex - begin)...].prefix(Self.rate / 2)) == nil)
    }

    @Test(
        "INT-6, VOL-2, SIM-1, SIM-2: the `audiosession` command rings a phone and flips the silent switch, for every program"
    )
    func audiosession() throws {
        let music = try startMusic(Signal.counting(frames: Self.rate * 60), capture: "music.wav")
        let game = try startMusic(
            Signal.counting(frames: Self.rate * 60), capture: "game.wav", ["--category", "ambient"])
        #expect(try stage.audiosession("call", "ring").status == 0)
        for run in [music, game] { #expect(run.waitForLine("\"type\":\"began\"")) }
        #expect(try stage.audiosession("status").output.components(separatedBy: "INT-6").count == 3)
        #expect(try stage.audiosession("call", "decline").status == 0)
        for run in [music, game] { #expect(run.waitForLine("\"shouldResume\":true")) }
        // VOL-2: the ambient session is muted; playback is not.
        #expect(try stage.audiosession("silent-switch", "on").status == 0)
        #expect(game.waitForLine("\"muted\":true"))
        #expect(try stage.audiosession("silent-switch", "off").status == 0)
        #expect(game.waitForLine("\"rule\":\"VOL-2\"") && !music.outLines.contains { $0.contains("VOL-2") })
        #expect(try stage.audiosession("why", "1").status == 0)
        for (run, name) in [(music, "music.wav"), (game, "game.wav")] {
            let heard = try finish(run, name)
            // The phone call: one silence for both players. The switch: one more for the game.
            let sounding = heard.drop { $0 == 0 }
            var silences = 0
            for (a, b) in zip(sounding, sounding.dropFirst()) where a != 0 && b == 0 { silences += 1 }
            #expect(silences - (heard.last == 0 ? 1 : 0) == (name == "music.wav" ? 1 : 2))
        }
    }

    @Test("SRV-3: when the arbiter is killed during playback, no frame is lost; interruptions still work")
    func arbiterKilled() throws {
        let source = Signal.counting(frames: Self.rate * 60)
        let music = try startMusic(source, capture: "music.wav")
        for count in 1...3 {
            try stage.killService()
            // The next arbiter has been notified of the playing session, under its number.
            #expect(try stage.audiosession("why", "1").output.contains("running"), "after \(count)")
        }
        let heardSoFar = music.outLines.filter { $0.contains("\"event\":\"interruption\"") }
        #expect(heardSoFar.isEmpty, "the app received no notification: \(heardSoFar)")
        let second = try start([
            try file(Signal.sine(frequency: 440, sampleRate: Self.rate, frames: Self.rate), "b.wav")
        ])
        #expect(second.exit() == 0, "\(second.errorLines)")
        #expect(music.waitForLine("\"type\":\"ended\""))
        try checkInterruption(try finish(music, "music.wav"), source)
    }
}
