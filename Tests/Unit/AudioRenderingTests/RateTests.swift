import AudioRendering
import TestSupport
import Testing

/// Server sample rates that differ from those of the sources, and that change during playback.
@Suite struct RateTests {
    /// The largest step of a 440 Hz sine with an amplitude of 0.5 at 44,100 Hz, plus a tolerance.
    static let step: Float = 0.5 * 2 * .pi * 440 / 44_100 * 1.05

    private func follows(_ source: VoiceSource, on stage: EngineFixture, pitch: Double = 440) throws {
        let voice = try stage.engine.play(source, on: stage.bus)
        var last: Float?
        for rate in [48_000, 44_100, 96_000, 8_000, 48_000] {
            stage.driver.setSampleRate(rate)
            let output = try stage.driver.render(frames: rate / 2)[0]
            #expect(
                Signal.cents(Signal.frequency(of: output, near: pitch, sampleRate: rate), pitch) < 0.1, "\(rate) Hz")
            if let last { #expect(abs(output[0] - last) < Self.step, "no click at the change to \(rate) Hz") }
            last = rate == 8_000 ? nil : output.last
        }
        #expect(voice.underrunFrames == 0)
    }

    @Test("HW-3, HW-5: a stream keeps its pitch when the server's sample rate changes, without a click")
    func streams() throws {
        let directory = try TemporaryDirectory()
        let sine = Signal.sine(frequency: 440, sampleRate: 44_100, frames: 44_100 * 3)
        try SoundFile.write([sine], sampleRate: 44_100, to: directory.file("a.wav"))
        let stage = try EngineFixture(channels: 1)
        let stream = try AudioStream(reader: AudioFile(path: directory.file("a.wav")), sampleRate: 48_000)
        try follows(.stream(stream), on: stage)
    }

    @Test("HW-3, HW-5: so do samples in memory with a known sample rate", arguments: [44_100, 48_000, 96_000])
    func buffers(rate: Int) throws {
        let sine = Signal.sine(frequency: 440, sampleRate: rate, frames: rate)
        let buffer = try AudioBuffer([sine], sampleRate: rate)
        try follows(.buffer(buffer, loop: .forever), on: EngineFixture(channels: 1))
    }

    @Test("Samples in memory without a sample rate play one source frame per output frame")
    func plainBuffers() throws {
        let stage = try EngineFixture(channels: 1)
        let source = Signal.counting(frames: 20_000)
        try stage.engine.play(.buffer(AudioBuffer([source])), on: stage.bus)
        _ = try stage.driver.render(frames: 1000)
        stage.driver.setSampleRate(96_000)
        #expect(Signal.firstDifference(try stage.driver.render(frames: 1000)[0], source[1000..<2000]) == nil)
    }

    @Test("HW-5: no frame is lost or doubled; back at the source's rate, the output is bit-identical")
    func positions() throws {
        let stage = try EngineFixture(channels: 1)
        let source = Signal.counting(frames: 30_000)
        let voice = try stage.engine.play(.buffer(AudioBuffer([source], sampleRate: 48_000)), on: stage.bus)
        #expect(Signal.firstDifference(try stage.driver.render(frames: 10_000)[0], source[..<10_000]) == nil)
        stage.driver.setSampleRate(96_000)
        let slow = try stage.driver.render(frames: 5000)[0]
        for (frame, sample) in slow.enumerated() {
            #expect(abs(Double(sample) * 1_048_576 - (10_001 + Double(frame) / 2)) < 0.01, "frame \(frame)")
        }
        #expect(voice.framesRendered == 12_500)
        stage.driver.setSampleRate(48_000)
        #expect(Signal.firstDifference(try stage.driver.render(frames: 10_000)[0], source[12_500..<22_500]) == nil)
    }

    @Test("HW-3: a speed multiplies the conversion, even one posted for a later frame before the rate changed")
    func speeds() throws {
        let stage = try EngineFixture(channels: 1)
        let sine = Signal.sine(frequency: 440, sampleRate: 44_100, frames: 44_100)
        let buffer = try AudioBuffer([sine], sampleRate: 44_100)
        let voice = try stage.engine.play(.buffer(buffer, loop: .forever), on: stage.bus)
        try voice.setSpeed(1.5, rampFrames: 0)
        var output = try stage.driver.render(frames: 24_000)[0]
        #expect(Signal.cents(Signal.frequency(of: output, near: 660, sampleRate: 48_000), 660) < 0.1)
        try voice.setSpeed(0.5, rampFrames: 0, at: 30_000)
        let later = try stage.engine.play(.buffer(buffer, loop: .forever), on: stage.bus, gain: 0, at: 30_000)
        stage.driver.setSampleRate(96_000)
        _ = try stage.driver.render(frames: 12_000)
        let before = later.framesRendered
        output = try stage.driver.render(frames: 48_000)[0]
        #expect(Signal.cents(Signal.frequency(of: output, near: 220, sampleRate: 96_000), 220) < 0.1)
        #expect(abs(Int(later.framesRendered - before) - 22_050) <= 1)
        for bad in [0, 100, .nan] as [Float] {
            #expect(throws: AudioEngineError.self) { try voice.setSpeed(bad, rampFrames: 0) }
        }
    }

    @Test("HW-3: 256 voices, half of them paused, follow any number of rate changes")
    func manyVoices() throws {
        let stage = try EngineFixture(channels: 1)
        let buffer = try AudioBuffer([Signal.counting(frames: 9600)], sampleRate: 48_000)
        let voices = try (0..<256).map { number in
            try stage.engine.play(
                .buffer(buffer, loop: .forever), on: stage.bus, gain: 0, paused: number.isMultiple(of: 2))
        }
        _ = try stage.driver.render(frames: 512)
        for rate in [44_100, 8_000, 192_000, 96_000] { stage.driver.setSampleRate(rate) }
        _ = try stage.driver.render(frames: 1024)
        for voice in voices.enumerated().filter({ $0.offset.isMultiple(of: 2) }) {
            try voice.element.resume()
            _ = try stage.driver.render(frames: 1)
        }
        let before = voices.map(\.framesRendered)
        _ = try stage.driver.render(frames: 2048)
        for (voice, frames) in zip(voices, before) { #expect(abs(Int(voice.framesRendered - frames) - 1024) <= 1) }
    }

    @Test("An invalid sample rate is refused")
    func absurd() {
        for rate in [-1, 0, 999, 768_001] {
            #expect(throws: AudioEngineError.self) { try AudioBuffer([[0, 0]], sampleRate: rate) }
        }
    }
}
