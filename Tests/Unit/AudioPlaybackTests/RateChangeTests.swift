import AudioPlayback
import AudioRendering
import AudioSessions
import TestSupport
import Testing

/// Players when the sample rate of the server changes: pitch and position are kept (HW-3, HW-5).
@Suite struct RateChangeTests {
    /// Returns the position in the source of an output sample.
    private func place(_ sample: Float) -> Double { Double(sample) * 1_048_576 - 1 }

    private func expect(_ output: some Collection<Float>, from begin: Double, step: Double, within: Double = 0.01) {
        let worst = output.enumerated().map { abs(place($0.element) - (begin + Double($0.offset) * step)) }.max() ?? 0
        #expect(worst < within, "from \(begin) on by \(step)")
    }

    @Test("Playing: the player continues at the very next frame, without a gap")
    func playing() throws {
        let stage = try PlaybackFixture()
        let player = stage.player
        try player.play()
        _ = try stage.render(24_000)
        stage.change(to: 96_000)
        expect(try stage.render(9600), from: 24_000, step: 0.5)
        #expect(abs(player.currentTime - 28_800.0 / 48_000) < 0.000_1)
        stage.change(to: 48_000)
        #expect(Signal.firstDifference(try stage.render(4800), stage.source[28_800..<33_600]) == nil)
    }

    @Test("Several changes in a row, and back again")
    func twice() throws {
        let stage = try PlaybackFixture()
        let player = stage.player
        try player.play()
        _ = try stage.render(24_000)
        for rate in [96_000, 44_100, 8_000, 96_000] { stage.driver.setSampleRate(rate) }
        expect(try stage.render(2000), from: 24_000, step: 0.5)
        for rate in [44_100, 48_000] { stage.driver.setSampleRate(rate) }
        #expect(Signal.firstDifference(try stage.render(2000), stage.source[25_000..<27_000]) == nil)
    }

    @Test("Paused: the player keeps its position, and resumes there, resampled as well as from the beginning")
    func paused() throws {
        let stage = try PlaybackFixture()
        let player = stage.player
        try player.play()
        _ = try stage.render(24_000)
        player.pause()
        _ = try stage.render(1000)
        let time = player.currentTime
        stage.change(to: 96_000)
        #expect(player.currentTime == time && !player.isPlaying)
        #expect(try stage.render(1000).allSatisfy { $0 == 0 })
        try player.play()
        let output = try stage.render(9600)
        let fade = PlaybackFixture.fade * 2
        expect(output[fade...], from: time * 48_000 + Double(fade) / 2, step: 0.5, within: 1)
    }

    @Test("Prepared, not yet played: pitch and position are those of the new rate")
    func prepared() throws {
        let stage = try PlaybackFixture()
        let player = stage.player
        try stage.session.setActive(true)
        _ = try stage.render(256)
        stage.change(to: 96_000)
        try player.play()
        expect(try stage.render(4800)[200...], from: 100, step: 0.5, within: 1)
    }

    @Test("Looping: every pass is as long as the file")
    func looping() throws {
        let stage = try PlaybackFixture(frames: 9600)
        let player = stage.player
        player.numberOfLoops = -1
        try player.play()
        _ = try stage.render(9600 + 4800)
        stage.change(to: 96_000)
        let output = try stage.render(9600 + 4 * 19_200)
        for pass in 0..<4 {
            let begin = 9600 + pass * 19_200
            expect(output[(begin + 4)..<(begin + 19_190)], from: 2, step: 0.5)
        }
        #expect(player.isPlaying)
    }

    @Test("Looping, paused in the second of three passes: two are left, including this one")
    func pausedWithinLoops() throws {
        let stage = try PlaybackFixture(frames: 9600)
        let player = stage.player
        let endings = EventLog<AudioPlayer.Ending>()
        player.onFinish { _, ending in endings.note(ending) }
        player.numberOfLoops = 2
        try player.play()
        _ = try stage.render(14_400)
        player.pause()
        _ = try stage.render(500)
        stage.change(to: 96_000)
        try player.play()
        // The rest after the fade of 240 frames.
        let left = 2 * (28_800 - 14_400 - PlaybackFixture.fade)
        _ = try stage.render(left - 600)
        #expect(player.isPlaying)
        _ = try stage.render(1200)
        #expect(!player.isPlaying && endings.noted == [.finished])
    }

    @Test("At the very end: the remaining frames play, and then the player has finished")
    func end() throws {
        let stage = try PlaybackFixture()
        let player = stage.player
        let endings = EventLog<AudioPlayer.Ending>()
        player.onFinish { _, ending in endings.note(ending) }
        try player.play()
        _ = try stage.render(95_900)
        stage.change(to: 96_000)
        let output = try stage.render(1000)
        expect(output[..<190], from: 95_900, step: 0.5)
        #expect(output[202...].allSatisfy { $0 == 0 })
        #expect(endings.noted == [.finished] && !player.isPlaying)
    }

    @Test("INT-8, INT-9: if the rate changes during an interruption, the player resumes at its position")
    func interrupted() throws {
        let stage = try PlaybackFixture()
        let player = stage.player
        try player.play()
        _ = try stage.render(24_000)
        try stage.host.ring()
        _ = try stage.render(5000)
        let time = player.currentTime
        stage.change(to: 96_000)
        #expect(player.currentTime == time)
        try stage.host.declineCall()
        let output = try stage.render(9600)
        let first = try #require(output.firstIndex { $0 != 0 })
        let fade = first + PlaybackFixture.fade * 2
        expect(output[fade...], from: time * 48_000 + Double(PlaybackFixture.fade), step: 0.5, within: 2)
    }

    @Test("Several players each keep their position")
    func several() throws {
        let stage = try PlaybackFixture()
        let players = try (0..<4).map { _ in try stage.makePlayer() } + [stage.player]
        for player in players {
            try player.play()
            _ = try stage.render(1024)
        }
        let before = players.map(\.currentTime)
        stage.change(to: 96_000)
        _ = try stage.render(9600)
        for (player, time) in zip(players, before) { #expect(abs(player.currentTime - time - 0.1) < 0.000_1) }
    }
}
