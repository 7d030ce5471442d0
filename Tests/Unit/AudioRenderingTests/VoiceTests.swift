import AudioRendering
import Foundation
import TestSupport
import Testing

/// Voices from Swift: loops, pans, seeks, priorities. The C tests check the output to the frame.
@Suite struct VoiceTests {
    @Test("A loop repeats as often as requested, with its crossfade, then the rest plays")
    func loops() throws {
        let stage = try EngineFixture()
        let buffer = try AudioBuffer([Signal.counting(frames: 1000)])
        let loop = Loop(count: 2, frames: 200..<500, fadeFrames: 100)
        let voice = try stage.engine.play(.buffer(buffer, loop: loop), on: stage.bus)
        let output = try stage.driver.render(frames: 2000)[0]
        #expect(Array(output[0..<400]) == Array(Signal.counting(frames: 400)))
        #expect(output[500] == Signal.counting(frames: 201)[200])
        #expect(output[1599] == Signal.counting(frames: 1000)[999])
        #expect(output[1600] == 0)
        #expect(voice.framesRendered == 1600)
        #expect(voice.endReason == .finished)
    }

    @Test("After leaving a loop, the voice plays to the end")
    func leaving() throws {
        let stage = try EngineFixture()
        let buffer = try AudioBuffer([Signal.counting(frames: 1000)])
        let voice = try stage.engine.play(.buffer(buffer, loop: .forever), on: stage.bus)
        try stage.driver.render(frames: 5100)
        #expect(voice.endReason == nil)
        try voice.leaveLoop()
        try stage.driver.render(frames: 1000)
        #expect(voice.endReason == .finished)
        #expect(voice.framesRendered == 6000)
    }

    @Test("A pan routes a mono source by its law, and ramps; stereo is balanced")
    func pans() throws {
        let stage = try EngineFixture()
        let mono = try AudioBuffer([[Float](repeating: 0.5, count: 4000)])
        let voice = try stage.engine.play(.buffer(mono), on: stage.bus, pan: Pan(0))
        try voice.setPan(1, rampFrames: 1000, at: 1000)
        let output = try stage.driver.render(frames: 3000)
        #expect(abs(output[0][999] - 0.5 * Float(0.5).squareRoot()) < 1e-6)
        #expect(output[0][1999] == 0 && output[1][1999] == 0.5)
        #expect(abs(output[1][1499] - 0.5 * Float(sin(0.75 * Double.pi / 2))) < 1e-4)
        let plain = try stage.engine.play(.buffer(mono), on: stage.bus)
        #expect(throws: AudioEngineError.self) { try plain.setPan(0, rampFrames: 0) }
        #expect(throws: AudioEngineError.self) { try voice.setPan(1.5, rampFrames: 0) }
        #expect(throws: AudioEngineError.self) {
            try stage.engine.play(.buffer(mono), on: stage.bus, pan: Pan(.nan))
        }
    }

    @Test("A seek crossfades to its position; a stream throws")
    func seeks() throws {
        let stage = try EngineFixture()
        let buffer = try AudioBuffer([Signal.counting(frames: 1000)])
        let voice = try stage.engine.play(.buffer(buffer), on: stage.bus)
        try voice.seek(to: 700, fadeFrames: 50, at: 100)
        let output = try stage.driver.render(frames: 1000)[0]
        #expect(output[149] == Signal.counting(frames: 1000)[749])
        #expect(output[399] == Signal.counting(frames: 1000)[999])
        #expect(output[400] == 0)
        #expect(throws: AudioEngineError.voiceEnded) { try voice.seek(to: 0) }
        let other = try stage.engine.play(.buffer(buffer), on: stage.bus)
        #expect(throws: AudioEngineError.self) { try other.seek(to: -1) }
    }

    @Test("At the polyphony limit, the oldest voice of the lowest priority is stolen; lower ones are refused")
    func polyphony() throws {
        let stage = try EngineFixture(configuration: AudioEngine.Configuration(maximumVoices: 16, polyphony: 2))
        let buffer = try AudioBuffer([[Float](repeating: 0.25, count: 48_000)])
        let ended = EventLog<VoiceEnd?>()
        let music = try stage.engine.play(.buffer(buffer), on: stage.bus, priority: .high) { ended.note($0.endReason) }
        let effect = try stage.engine.play(.buffer(buffer), on: stage.bus) { ended.note($0.endReason) }
        try stage.driver.render(frames: 512)
        let louder = try stage.engine.play(.buffer(buffer), on: stage.bus, priority: .high)
        let late = try stage.engine.play(.buffer(buffer), on: stage.bus, priority: .low)
        let output = try stage.driver.render(frames: 1024)[0]
        #expect(effect.endReason == .stolen)
        #expect(late.endReason == .refused)
        #expect(music.endReason == nil && louder.endReason == nil)
        #expect(ended.noted == [.stolen])
        // The new voice's attack; the fade of the other has no step.
        #expect(Signal.largestStep(output) < 0.26)
        #expect(stage.engine.counters.stolenVoices == 1 && stage.engine.counters.refusedVoices == 1)
    }

    @Test("Invalid loops: a clear error for each, and nothing plays")
    func badLoops() throws {
        let stage = try EngineFixture()
        let buffer = try AudioBuffer([Signal.counting(frames: 100)])
        for loop in [
            Loop(count: -1), Loop(count: 1, frames: 50..<50), Loop(count: 1, frames: -5..<50),
            Loop(count: 1, frames: 0..<101), Loop(count: 1, frames: 10..<50, fadeFrames: 11),
            Loop(count: 1, frames: 50..<60, fadeFrames: 11), Loop(count: 1, fadeFrames: -1),
            Loop(count: .min, frames: .min..<(.max)),
        ] {
            #expect(throws: AudioEngineError.self) {
                try stage.engine.play(.buffer(buffer, loop: loop), on: stage.bus)
            }
        }
        #expect(Signal.peak(try stage.driver.render(frames: 256)[0]) == 0)
    }

    @Test("Invalid engine sizes are refused, not fatal")
    func absurdSizes() {
        typealias Sizes = AudioEngine.Configuration
        for sizes in [
            Sizes(maximumVoices: 0), Sizes(maximumVoices: 4, polyphony: 5), Sizes(polyphony: -1),
            Sizes(maximumRoutes: 0), Sizes(maximumInputs: .max), Sizes(maximumQueues: .max), Sizes(maximumQueues: 64),
        ] {
            #expect(throws: AudioEngineError.self) {
                try AudioEngine(driver: OfflineDriver(), configuration: sizes)
            }
        }
    }

    @Test("The end of a bus's last voice is reported once; paused voices do not count as playing")
    func busEnds() throws {
        let stage = try EngineFixture()
        let ends = EventLog<Int>()
        let observation = stage.engine.observe { event in
            if case .busEnded(let bus) = event { ends.note(bus) }
        }
        defer { observation.cancel() }
        #expect(!stage.bus.hasPlayingVoices)
        let short = try AudioBuffer([[Float](repeating: 0.5, count: 300)])
        let long = try AudioBuffer([[Float](repeating: 0.5, count: 3_000)])
        try stage.engine.play(.buffer(short), on: stage.bus)
        let voice = try stage.engine.play(.buffer(long), on: stage.bus)
        #expect(stage.bus.hasPlayingVoices)
        try stage.driver.render(frames: 1_500)
        #expect(ends.noted.isEmpty, "one is still playing")
        try voice.pause()
        try stage.driver.render(frames: 1_500)
        #expect(!stage.bus.hasPlayingVoices)
        try voice.resume()
        try stage.driver.render(frames: 500)
        #expect(stage.bus.hasPlayingVoices)
        try stage.driver.render(frames: 5_000)
        #expect(ends.noted == [stage.bus.slot] && !stage.bus.hasPlayingVoices)
    }
}
