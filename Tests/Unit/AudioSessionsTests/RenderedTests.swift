import AudioRendering
import AudioSessions
import SessionArbiter
import TestSupport
import Testing

/// The effect of the rules on samples: the real engine on the offline driver.
@Suite struct RenderedTests {
    private let signal = Signal.counting(frames: 200_000)
    /// Frames of the 5 ms fade.
    private let fade = 240

    @Test(
        "INT-1, INT-6, INT-8: ringing silences within a period and the fade; music resumes at the very next frame"
    )
    func interruption() throws {
        let stage = HostFixture()
        let music = try stage.session(.playback)
        try music.setActive(true)
        try stage.play(signal, in: music)
        _ = try stage.render(480)
        let before = try stage.render(1_000)
        #expect(before == Array(signal[480..<1_480]))

        try stage.host.ring()
        let ringing = try stage.render(2_000)
        #expect(ringing[fade...].allSatisfy { $0 == 0 })
        for (frame, sample) in ringing[..<fade].enumerated() { #expect(sample <= signal[1_480 + frame]) }
        #expect(Signal.largestStep(before + ringing) < 2 * signal[1_480] / Float(fade), "no click")

        try stage.host.declineCall()
        #expect(try stage.render(500).allSatisfy { $0 == 0 }, "the end was reported; the app has not activated yet")
        try music.setActive(true)
        let after = try stage.render(1_000)
        let resumed = 1_480 + fade
        #expect(Array(after[fade...]) == Array(signal[(resumed + fade)..<(resumed + 1_000)]))
        #expect(after[..<fade].enumerated().allSatisfy { $1 <= signal[resumed + $0] })
    }

    @Test(
        "DUCK-1, DUCK-3, DUCK-5: a prompt ducks music by 14 dB in 50 ms; in 500 ms it is bit-exact again"
    )
    func duck() throws {
        let stage = HostFixture()
        let music = try stage.session(.playback)
        let prompt = try stage.session(.playback, mode: .voicePrompt, options: .duckOthers)
        try music.setActive(true)
        try stage.play(signal, in: music)
        _ = try stage.render(4_800)
        try prompt.setActive(true)
        let ducked = try stage.render(4_800)
        for frame in stride(from: 2_400, to: 4_800, by: 100) {
            #expect(abs(Signal.decibels(ducked[frame] / signal[4_800 + frame]) + 14) < 0.01)
        }
        let half = Signal.decibels(ducked[1_199] / signal[4_800 + 1_199])
        #expect(abs(half + 7) < 0.1, "linear in decibels")
        #expect(music.state.isDucked && music.state.reasons.map(\.rule) == ["DUCK-1"])
        #expect(music.state.reasons.first?.by == prompt.id)
        #expect(!prompt.state.isDucked)

        try prompt.setActive(false, options: .notifyOthersOnDeactivation)
        let released = try stage.render(30_000)
        #expect(Array(released[24_000...]) == Array(signal[33_600..<39_600]))
        #expect(music.state.reasons.isEmpty)
    }

    @Test("DUCK-7: playback that starts during a duck starts ducked, with its fade")
    func startsDucked() throws {
        let stage = HostFixture()
        let prompt = try stage.session(.ambient, options: .duckOthers)
        let music = try stage.session(.playback)
        try prompt.setActive(true)
        try music.setActive(true)
        _ = try stage.render(1_024)
        try stage.play([Float](repeating: 0.5, count: 48_000), in: music)
        let heard = try stage.render(4_800)
        #expect(Signal.peak(heard) < 0.5 * 0.2)
        #expect(abs(Signal.decibels(heard[4_000] / 0.5) + 14) < 0.01)
    }

    @Test("CAT-4, VOL-2, SIM-2: record and the silent switch mute the sessions they apply to, which keep running")
    func muted() throws {
        let stage = HostFixture()
        let game = try stage.session(.ambient)
        try game.setActive(true)
        try stage.play(signal, in: game)
        _ = try stage.render(256)
        try stage.host.setSilentSwitch(true)
        #expect(try stage.render(1_000)[fade...].allSatisfy { $0 == 0 })
        try stage.host.setSilentSwitch(false)
        #expect(try Array(stage.render(1_000)[fade...]) == Array(signal[(1_256 + fade)..<2_256]))
        let recorder = try stage.session(.record)
        try recorder.setActive(true)
        #expect(try stage.render(1_000)[fade...].allSatisfy { $0 == 0 })
        #expect(game.state.isMuted && game.state.reasons.map(\.rule) == ["CAT-4"])
        try recorder.setActive(false)
        #expect(try Array(stage.render(1_000)[fade...]) == Array(signal[(3_256 + fade)..<4_256]))
    }

    @Test("VOL-1: the system volume scales everything")
    func volume() throws {
        let stage = HostFixture()
        let music = try stage.session(.playback)
        try music.setActive(true)
        try stage.play([Float](repeating: 0.5, count: 48_000), in: music)
        _ = try stage.render(256)
        try stage.host.setSystemVolume(0.5)
        #expect(try stage.render(4_800).last == 0.25)
        #expect(music.outputVolume == 0.5)
    }

    @Test("ACT-1, ACT-2: a session is silent before its grant; of two primary sessions the newer one is heard")
    func twoPrimary() throws {
        let stage = HostFixture()
        let first = try stage.session(.playback)
        let second = try stage.session(.playback)
        try first.setActive(true)
        try stage.play([Float](repeating: 0.25, count: 48_000), in: first)
        try stage.play([Float](repeating: 0.5, count: 48_000), in: second)
        #expect(try stage.render(1_000).last == 0.25)
        try second.setActive(true)
        #expect(try stage.render(1_000).last == 0.5)
        #expect(first.state.activity == .interrupted)
        try second.setActive(false)
        try first.setActive(true)
        #expect(try stage.render(1_000).last == 0.25)
    }

    @Test("ACT-5, DUCK-3: playback during a call is ducked by 35 dB")
    func duringCall() throws {
        let stage = HostFixture()
        try stage.host.ring()
        try stage.host.acceptCall()
        let music = try stage.session(.playback)
        try music.setActive(true)
        try stage.play([Float](repeating: 0.5, count: 48_000), in: music)
        let heard = try stage.render(4_800)
        #expect(abs(Signal.decibels(heard[4_000] / 0.5) + 35) < 0.01)
        try stage.host.endCall()
        #expect(try stage.render(48_000)[30_000] == 0.5)
    }

    @Test("The same scene twice gives identical bits")
    func deterministic() throws {
        func scene() throws -> [Float] {
            let stage = HostFixture()
            let music = try stage.session(.playback)
            let prompt = try stage.session(.playback, options: .duckOthers)
            try music.setActive(true)
            try stage.play(signal, in: music)
            var heard = try stage.render(777)
            try prompt.setActive(true)
            heard += try stage.render(1_111)
            try stage.host.ring()
            heard += try stage.render(999)
            try stage.host.declineCall()
            try music.setActive(true)
            return heard + (try stage.render(30_000))
        }
        #expect(try scene() == scene())
    }
}
