import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import TestSupport
import Testing

/// Timed starts, loops, fades, pan, speed, levels and events of a player (PLAY-1).
@Suite struct PlayerControlTests {
    @Test("PLAY-1: players that start on one frame of the engine are together, sample for sample")
    func timedStart() throws {
        let stage = try PlaybackFixture()
        let other = try stage.makePlayer()
        try stage.session.setActive(true)
        _ = try stage.render(256)
        let begin = try stage.session.engine.currentFrame
        try stage.player.play(atFrame: begin + 1_001)
        _ = try stage.render(512)
        #expect(stage.player.isPlaying && stage.player.currentTime == 0)
        other.currentFrame = 500
        try other.play(atFrame: begin + 1_001)
        let output = try stage.render(2_048)
        let first = 1_001 - 512
        #expect(output[..<first].allSatisfy { $0 == 0 })
        let sum = (0..<1_500).map { stage.source[$0] + stage.source[$0 + 500] }
        #expect(Signal.firstDifference(output[first...].prefix(1_500), sum) == nil)
        #expect(stage.player.currentFrame == Int64(2_048 - first))
        // A frame that has passed: at once.
        stage.player.stop()
        other.stop()
        _ = try stage.render(512)
        stage.player.currentFrame = 0
        try stage.player.play(atFrame: begin)
        #expect(Signal.firstDifference(try stage.render(1_000), stage.source[..<1_000]) == nil)
    }

    @Test("PLAY-1: pause() and stop() cancel a start that is to come")
    func cancelledStart() throws {
        for cancel in [{ $0.pause() }, { $0.stop() }] as [(AudioPlayer) -> Void] {
            let stage = try PlaybackFixture()
            try stage.session.setActive(true)
            _ = try stage.render(256)
            try stage.player.play(atFrame: try stage.session.engine.currentFrame + 1_000)
            _ = try stage.render(256)
            cancel(stage.player)
            #expect(try stage.render(4_000).allSatisfy { $0 == 0 })
            #expect(!stage.player.isPlaying && stage.player.currentTime == 0)
            try stage.player.play()
            #expect(Signal.firstDifference(try stage.render(1_000), stage.source[..<1_000]) == nil)
        }
    }

    @Test("INT-9, PLAY-1: a start that is to come survives an interruption, or comes right after it")
    func interruptedStart() throws {
        for (delay, isLate) in [(5_000, false), (1_000, true)] {
            let stage = try PlaybackFixture()
            try stage.session.setActive(true)
            _ = try stage.render(256)
            let begin = Int(try stage.session.engine.currentFrame)
            try stage.player.play(atFrame: UInt64(begin + delay))
            _ = try stage.render(256)
            try stage.host.ring()
            _ = try stage.render(2_048)
            #expect(!stage.player.isPlaying)
            try stage.host.declineCall()
            let output = try stage.render(6_000)
            let first = try #require(output.firstIndex { $0 != 0 })
            let now = Int(try stage.session.engine.currentFrame) - 6_144 + first
            #expect(isLate ? first < 1_024 : abs(now - begin - delay) <= 256, "\(first) \(now - begin)")
            if !isLate { #expect(2_304 + first == delay) }
            // The session's gate fades in.
            let later = output[(first + 1_000)..<(first + 1_500)]
            #expect(Signal.firstDifference(later, stage.source[1_000..<1_500]) == nil)
        }
    }

    @Test("PLAY-1: a loop within a file: the beginning, the loop as often as set, and then the end")
    func loop() throws {
        let stage = try PlaybackFixture(frames: 10_000)
        let source = stage.source
        try stage.player.setLoop(2_000..<5_000)
        stage.player.numberOfLoops = 2
        try stage.player.play()
        let loop = Array(source[2_000..<5_000])
        let expected = Array(source[..<5_000]) + loop + loop + Array(source[5_000...])
        #expect(Signal.firstDifference(try stage.render(15_500), expected[..<15_500]) == nil)
        #expect(stage.player.currentFrame == 9_500)
        _ = try stage.render(1_000)
        #expect(!stage.player.isPlaying)

        // A beginning after the loop repeats nothing, nor does a seek to the end.
        stage.player.currentFrame = 6_000
        try stage.player.play()
        #expect(Signal.firstDifference(try stage.render(4_000), source[6_000...]) == nil)
        #expect(!stage.player.isPlaying)
        try stage.player.play()
        _ = try stage.render(1_000)
        stage.player.currentTime = .infinity
        #expect(!stage.player.isPlaying && stage.player.currentTime == 0)
        // A loop at the end: the next pass.
        try stage.player.setLoop(2_000..<10_000)
        try stage.player.play()
        _ = try stage.render(1_000)
        stage.player.currentTime = .infinity
        #expect(stage.frame(of: try stage.render(1_000)[999]) == 2_999)
        #expect(stage.player.isPlaying)
    }

    @Test("PLAY-1: a tiny loop repeats exactly, and leaveLoop() goes on behind it")
    func tinyLoop() throws {
        let stage = try PlaybackFixture(frames: 4_000)
        try stage.player.setLoop(1_000..<1_007)
        stage.player.numberOfLoops = -1
        try stage.player.play()
        let output = try stage.render(9_000)
        let repeated = (0..<8_000).map { stage.source[1_000 + $0 % 7] }
        #expect(Signal.firstDifference(output, Array(stage.source[..<1_000]) + repeated) == nil)
        stage.player.leaveLoop()
        // What has been read ahead still repeats.
        var rest: [Float] = []
        while stage.player.isPlaying, rest.count < 200_000 { rest += try stage.render(2_048) }
        let end = try #require(rest.firstIndex { stage.frame(of: $0) == 1_007 })
        #expect(Signal.firstDifference(rest[end...].prefix(2_993), stage.source[1_007...]) == nil)
        #expect(!stage.player.isPlaying)
    }

    @Test("PLAY-1: a loop that was left stays left when the stream starts again, until a seek")
    func leftLoop() throws {
        let stage = try PlaybackFixture(frames: 10_000)
        stage.player.numberOfLoops = -1
        try stage.player.play()
        _ = try stage.render(2_000)
        stage.player.leaveLoop()
        try stage.player.setOutputs(nil)
        let rest = try stage.render(9_000)
        #expect(Signal.firstDifference(rest[500..<8_000], stage.source[2_500..<10_000]) == nil)
        #expect(!stage.player.isPlaying)
        try stage.player.play()
        #expect(try stage.render(12_000).last == stage.source[1_999])
    }

    @Test("PLAY-1: a seek to less than half a frame before the end ends playback, and never leaves it silent")
    func seekingToAlmostTheEnd() throws {
        let stage = try PlaybackFixture(frames: 10_000)
        let endings = EventLog<AudioPlayer.Ending>()
        stage.player.onFinish { _, ending in endings.note(ending) }
        try stage.player.play()
        _ = try stage.render(1_000)
        stage.player.currentTime = stage.player.duration - 1e-6
        #expect(!stage.player.isPlaying && endings.noted == [.finished])
        stage.player.numberOfLoops = 1
        try stage.player.play()
        _ = try stage.render(1_000)
        stage.player.currentTime = stage.player.duration - 1e-6
        #expect(stage.frame(of: try stage.render(1_000)[999]) == 999)
    }

    @Test("PLAY-1: a loop outside of the file is refused, and the earlier one stays")
    func badLoops() throws {
        let stage = try PlaybackFixture(frames: 1_000)
        try stage.player.setLoop(0..<1_000)
        for frames in [5..<5, -1..<5, 0..<1_001] as [Range<Int64>] {
            let error = #expect(throws: AudioSessionError.self) { try stage.player.setLoop(frames) }
            #expect(error?.errorCode == .badParam)
        }
        #expect(stage.player.loop == 0..<1_000)
    }

    @Test("PLAY-1: fades of any length at the start, the pause and the stop")
    func fades() throws {
        let stage = try PlaybackFixture()
        let ones = try AudioPlayer(
            .buffer(try AudioBuffer([[Float](repeating: 1, count: 96_000)], sampleRate: PlaybackFixture.rate)),
            session: stage.session)
        func middle(_ output: [Float]) -> Float { output[2_400] }
        try ones.play(fadeDuration: 0.1)
        let rise = try stage.render(4_800)
        #expect(abs(middle(rise) - 0.5) < 0.01 && rise[4_799] > 0.99)
        ones.pause(fadeDuration: 0.1)
        let fall = try stage.render(5_000)
        #expect(abs(middle(fall) - 0.5) < 0.01 && fall[4_900...].allSatisfy { $0 == 0 })
        try ones.play(fadeDuration: 0.1)
        #expect(abs(middle(try stage.render(4_800)) - 0.5) < 0.01)
        ones.stop(fadeDuration: 0.1)
        #expect(abs(middle(try stage.render(5_000)) - 0.5) < 0.01)
        #expect(try stage.render(1_000).allSatisfy { $0 == 0 })
    }

    @Test("PLAY-1: the balance makes one channel softer and the other not louder; mono goes to both")
    func pan() throws {
        let stage = try StereoFixture()
        let sine = Signal.sine(frequency: 480, sampleRate: 48_000, frames: 48_000)
        let stereo = try AudioPlayer(try stage.file("s.wav", [sine, sine]), session: stage.session)
        let mono = try AudioPlayer(try stage.file("m.wav", [sine]), session: stage.session)
        for player in [stereo, mono] {
            try player.play()
            let center = try stage.render(1_000)
            #expect(Signal.firstDifference(center[0], sine[..<1_000]) == nil)
            #expect(Signal.firstDifference(center[1], sine[..<1_000]) == nil)
            player.pan = 1
            let right = try stage.render(1_000)
            #expect(right[0][500...].allSatisfy { $0 == 0 })
            #expect(Signal.firstDifference(right[1][500...], sine[1_500..<2_000]) == nil)
            #expect(Signal.largestStep(right[0]) < 0.04, "a ramp")
            player.pan = -7
            player.pan = .nan
            #expect(player.pan == -1)
            let left = try stage.render(1_000)
            #expect(left[1][500...].allSatisfy { $0 == 0 } && Signal.peak(Array(left[0][500...])) > 0.49)
            // A seek keeps it.
            player.currentTime = 0.5
            #expect(try stage.render(1_000)[1][500...].allSatisfy { $0 == 0 })
            player.stop()
            _ = try stage.render(1_000)
        }
    }

    @Test("PLAY-1: the speed changes pitch and tempo, and the position advances in frames of the source")
    func speed() throws {
        let stage = try PlaybackFixture()
        stage.player.speed = 0.5
        try stage.player.play()
        let slow = try stage.render(4_000)
        #expect(abs(stage.frame(of: slow[3_999]) - 2_000) <= 2)
        #expect(abs(stage.player.currentFrame - 2_000) <= 2)
        stage.player.speed = 2
        let fast = try stage.render(4_000)
        #expect(abs(stage.frame(of: fast[3_999]) - 10_000) < 400)
        #expect(abs((fast[3_999] - fast[2_999]) / 1_000 * 1_048_576 - 2) < 0.01)
        stage.player.speed = .nan
        stage.player.speed = 1_000
        #expect(stage.player.speed == 8)
        stage.player.speed = 1
        _ = try stage.render(2_000)
        let place = Int(stage.player.currentFrame)
        let plain = try stage.render(1_000)
        #expect(abs(stage.frame(of: plain[0]) - place) <= 2)
        #expect(Signal.largestStep(plain) < 1.01 / 1_048_576)
    }

    @Test("PLAY-1: the rate changes the tempo and not the pitch; positions and the end are those of the source")
    func rate() throws {
        for rate in [Float(0.5), 1.5, 3] {
            let stage = try StereoFixture()
            let sine = Signal.sine(frequency: 440, sampleRate: 44_100, frames: 4 * 44_100)
            let player = try AudioPlayer(try stage.file("s.wav", [sine], rate: 44_100), session: stage.session)
            player.rate = rate
            try player.play()
            let seconds = 4 / Double(rate)
            let output = try stage.render(Int(seconds / 2 * 48_000))[0]
            let steady = Array(output[4_800...])
            #expect(Signal.cents(Signal.frequency(of: steady, near: 440, sampleRate: 48_000), 440) < 3, "\(rate)")
            #expect(abs(player.currentTime - 2) < 0.001)
            let rest = try stage.render(Int(seconds * 48_000))[0]
            let end = try #require(rest.lastIndex { abs($0) > 0.01 })
            #expect(abs(Double(output.count + end) / 48_000 - seconds) < 0.03, "\(rate)")
            #expect(!player.isPlaying)
        }
    }

    @Test("PLAY-1: another rate while playing continues at the position, and rate 1 is the file again, bit for bit")
    func rateWhilePlaying() throws {
        let stage = try PlaybackFixture()
        try stage.player.play()
        _ = try stage.render(10_000)
        stage.player.rate = 2
        #expect(abs(stage.player.currentFrame - 10_000) < 2)
        let fast = try stage.render(10_000)
        #expect(abs(stage.player.currentFrame - 30_000) < 2)
        #expect(abs(stage.frame(of: fast[9_999]) - 30_000) < 50 * 48)
        #expect(Signal.largestStep(fast) < 0.01, "no gap")
        stage.player.rate = .nan
        stage.player.rate = 1
        let plain = try stage.render(1_000)
        #expect(stage.frame(of: plain[999]) == 30_999)
        stage.player.rate = 100
        #expect(stage.player.rate == 4)
        // Repetitions last as long as the tempo says.
        stage.player.stop()
        stage.player.currentTime = 0
        stage.player.numberOfLoops = 2
        try stage.player.play()
        var frames = 0
        while stage.player.isPlaying, frames < 100_000 {
            _ = try stage.render(1_000)
            frames += 1_000
        }
        #expect(abs(frames - 3 * 96_000 / 4) <= 1_500)
    }

    @Test("PLAY-1: more than 16 channels cannot change their tempo; playback ends with the reason")
    func rateOfManyChannels() throws {
        let stage = try StereoFixture()
        let sine = Signal.sine(frequency: 440, sampleRate: 48_000, frames: 48_000)
        let player = try AudioPlayer(try stage.file("s.wav", Array(repeating: sine, count: 17)), session: stage.session)
        let endings = EventLog<AudioPlayer.Ending>()
        player.onFinish { _, ending in endings.note(ending) }
        try player.play()
        _ = try stage.render(1_000)
        player.rate = 2
        guard case .refused(.invalidArgument(let what)) = endings.noted.first else {
            Issue.record("\(endings.noted)")
            return
        }
        #expect(what.contains("17 channels") && what.contains("at most 16"))
        #expect(throws: AudioEngineError.self) { try player.play() }
        player.rate = 1
        try player.play()
        #expect(player.isPlaying)
    }

    @Test("PLAY-1: the levels are those of what is heard, per channel of the source, before the volume")
    func levels() throws {
        let stage = try StereoFixture()
        let loud = Signal.sine(frequency: 1_000, sampleRate: 48_000, frames: 48_000, amplitude: 0.8)
        let quiet = loud.map { $0 / 8 }
        let silence = [Float](repeating: 0, count: 48_000)
        let player = try AudioPlayer(
            try stage.file("l.wav", [silence + loud, silence + quiet]), session: stage.session)
        #expect(player.levels == [AudioLevel(), AudioLevel()])
        player.volume = 0.1
        try player.play()
        _ = try stage.render(40_000)
        #expect(player.levels == [AudioLevel(), AudioLevel()], "the sound has been read, but is not heard")
        _ = try stage.render(20_000)
        let levels = player.levels
        #expect(abs(levels[0].peak - 0.8) < 0.001 && abs(levels[1].peak - 0.1) < 0.001)
        #expect(abs(levels[0].rmsDecibels - 20 * log10(0.8 / Float(2).squareRoot())) < 0.1)
        #expect(abs(levels[1].peakDecibels + 20) < 0.1)
        player.pause()
        #expect(player.levels == [AudioLevel(), AudioLevel()])
        #expect(AudioLevel().peakDecibels == -.infinity)
    }

    @Test("INT-9, PLAY-1: events arrive as an asynchronous sequence, which ends with the player")
    func events() async throws {
        let stage = try PlaybackFixture(frames: 20_000)
        var player: AudioPlayer? = try stage.makePlayer()
        let events = try #require(player?.events)
        try player?.play()
        _ = try stage.render(1_000)
        try stage.host.ring()
        _ = try stage.render(1_000)
        try stage.host.declineCall()
        _ = try stage.render(21_000)
        #expect(player?.isPlaying == false)
        player = nil
        var seen: [AudioPlayer.Event] = []
        for await event in events { seen.append(event) }
        #expect(seen == [.pausedBySession, .resumed, .ended(.finished)])
    }
}
