import AudioRendering
import Foundation
import TestSupport
import Testing

/// Filters and envelopes of an engine's instruments, on the offline driver. The render core's tests
/// cover the filters themselves (test_instrument_filters).
@Suite struct InstrumentFilterTests {
    typealias Filter = InstrumentZone.Filter

    /// Plays a tone with a filter; the messages take effect at frame 0, and after 0.1 s.
    private static func play(
        tone: Double = 1_000, _ filter: Filter, key: UInt8 = 60, velocity: UInt8 = 127, _ later: [MIDIMessage] = [],
        frames: Int = 12_000, _ change: (inout InstrumentZone) -> Void = { _ in }
    ) throws -> [Float] {
        let stage = try EngineFixture(channels: 1)
        // At 0 dB.
        let sound = Signal.sine(frequency: tone, sampleRate: 48_000, frames: 96_000).map { 2 * $0 }
        var zone = InstrumentZone(try AudioBuffer([sound], sampleRate: 48_000))
        zone.keyTracking = 0
        zone.velocityTracking = 0
        zone.filter = filter
        change(&zone)
        var configuration = AudioInstrument.Configuration()
        configuration.panLaw = nil
        let instrument = try stage.engine.makeInstrument([zone], on: stage.bus, configuration: configuration)
        try instrument.send(.noteOn(channel: 0, key: key, velocity: velocity), at: 0)
        for message in later { try instrument.send(message, at: 4_800) }
        return try stage.driver.render(frames: frames)[0]
    }

    /// The gain of a tone over the whole periods in a range of frames.
    private static func gain(_ output: [Float], _ frames: Range<Int>, tone: Double = 1_000) -> Double {
        var (real, imaginary) = (0.0, 0.0)
        for frame in frames {
            let phase = 2 * Double.pi * tone * Double(frame) / 48_000
            real += Double(output[frame]) * cos(phase)
            imaginary += Double(output[frame]) * sin(phase)
        }
        return 2 * hypot(real, imaginary) / Double(frames.count)
    }

    private static func decibels(_ gain: Double) -> Double { max(20 * log10(gain), -120) }

    /// The cutoff frequency of a low-pass filter of 6 dB per octave, as cents above 1 kHz, by what
    /// it leaves of a tone of 1 kHz.
    private static func cents(_ output: [Float], at frame: Int) -> Double {
        let gain = gain(output, frame..<frame + 480)
        let warped = tan(Double.pi / 48) / (1 / (gain * gain) - 1).squareRoot()
        return 1_200 * log2(atan(warped) * 48 / Double.pi)
    }

    @Test(
        "Each response passes what its name says, by its slope",
        arguments: [
            // At 10 kHz, a tenth of the sample rate and more, the slopes are steeper.
            (Filter.Response.lowPass6, [0, -3, -21.4]), (.lowPass12, [0, -3, -42.7]), (.lowPass24, [0, -3, -85.5]),
            (.highPass6, [-20, -3, 0]), (.highPass12, [-40, -3, 0]), (.highPass24, [-80, -3, 0]),
            (.bandPass, [-17, 0, -18.4]), (.bandReject, [-0.1, -120, 0]),
        ])
    func responses(response: Filter.Response, expected: [Double]) throws {
        for (tone, level) in zip([100, 1_000, 10_000], expected) {
            let output = try Self.play(tone: Double(tone), Filter(response, cutoff: 1_000))
            let actual = Self.decibels(Self.gain(output, 7_200..<12_000, tone: Double(tone)))
            #expect(abs(actual - level) < (level < -90 ? 40 : 0.2), "\(response) at \(tone) Hz: \(actual) dB")
        }
    }

    @Test("The resonance raises the gain at the cutoff frequency")
    func resonance() throws {
        for response in [Filter.Response.lowPass12, .lowPass24, .highPass12, .highPass24] {
            let output = try Self.play(Filter(response, cutoff: 1_000, resonance: 15))
            #expect(abs(Self.decibels(Self.gain(output, 7_200..<12_000)) - 12) < 0.1)
        }
    }

    @Test("Key, velocity, pressure and a controller add their cents")
    func sources() throws {
        var filter = Filter(.lowPass6, cutoff: 1_000)
        func expect(
            _ cents: Double, key: UInt8 = 60, velocity: UInt8 = 127, _ later: MIDIMessage..., line: UInt = #line
        ) throws {
            let output = try Self.play(filter, key: key, velocity: velocity, later)
            #expect(abs(Self.cents(output, at: 9_600) - cents) < 3, "line \(line)")
        }
        try expect(0)
        filter.keyTracking = 50
        filter.centerKey = 70
        try expect(-500)
        filter.velocityRange = 1_270
        try expect(-500 + 640, velocity: 64)
        filter.pressureRange = -635
        try expect(-500 + 640 - 100, velocity: 64, .channelPressure(channel: 0, pressure: 20))
        filter.controller = .init(74, range: 1_270, rest: 64)
        try expect(-500 + 640, velocity: 64)
        try expect(-500 + 640 + 300, velocity: 64, .controlChange(channel: 0, controller: 74, value: 94))
        try expect(-500 + 640, velocity: 64, .controlChange(channel: 0, controller: 1, value: 94))
    }

    @Test("The envelope of a filter takes its times in seconds, at the rate of the sound")
    func envelope() throws {
        var filter = Filter(.lowPass6, cutoff: 500)
        filter.envelopeRange = 2_400
        filter.envelope = .init(delay: 0.1, attack: 0.2, hold: 0.3, decay: 0.4, sustain: 0.25, release: 0.2)
        let output = try Self.play(filter, frames: 86_400) { $0.envelope.release = 60 }
        let expected: [(Double, Double)] = [
            (0.05, 0), (0.2, 0.5), (0.45, 1), (0.8, 0.625), (1.2, 0.25), (1.7, 0.25),
        ]
        for (seconds, level) in expected {
            let cents = Self.cents(output, at: Int(seconds * 48_000) - 240)
            #expect(abs(cents + 1_200 - 2_400 * level) < 30, "at \(seconds) s: \(cents)")
        }
        let released = try Self.play(filter, [.noteOff(channel: 0, key: 60, velocity: 0)], frames: 24_000) {
            $0.filter?.envelope = .init(sustain: 1, release: 0.2)
            $0.envelope.release = 60
        }
        #expect(abs(Self.cents(released, at: 4_000) - 1_200) < 10)
        #expect(abs(Self.cents(released, at: 9_360)) < 60, "half of the release, and 2 dB less in level")
    }

    @Test("An exponential envelope falls to within 90 dB in its times; a delay is silent")
    func curve() throws {
        let stage = try EngineFixture(channels: 1)
        var zone = InstrumentZone(try AudioBuffer([[Float](repeating: 1, count: 96_000)], sampleRate: 48_000))
        zone.keyTracking = 0
        zone.envelope = .init(delay: 0.01, decay: 1, sustain: 0.01, release: 0.5, curve: .exponential)
        var configuration = AudioInstrument.Configuration()
        configuration.panLaw = nil
        let instrument = try stage.engine.makeInstrument([zone], on: stage.bus, configuration: configuration)
        try instrument.send(.noteOn(channel: 0, key: 60, velocity: 127), at: 0)
        try instrument.send(.noteOff(channel: 0, key: 60, velocity: 0), at: 50_000)
        let output = try stage.driver.render(frames: 80_000)[0]
        #expect(output[..<480].allSatisfy { $0 == 0 })
        #expect(abs(Double(output[480 + 10_666]) - 0.01 - 0.99 * 0.1) < 1e-4, "−20 dB")
        #expect(output[480 + 48_000..<50_000].allSatisfy { $0 == 0.01 })
        #expect(abs(Self.decibels(Double(output[50_000 + 5_333])) + 60) < 0.1)
        #expect(output[50_000 + 24_000..<80_000].allSatisfy { $0 == 0 })
    }

    @Test("A filter with a value out of range is refused, and the error names the zone and the value")
    func refusals() throws {
        let stage = try EngineFixture()
        let sound = try AudioBuffer([[Float](repeating: 0.5, count: 100)])
        let changes: [(String, (inout Filter) -> Void)] = [
            ("cutoff", { $0.cutoff = 0 }), ("cutoff", { $0.cutoff = .nan }), ("cutoff", { $0.cutoff = 96_001 }),
            ("resonance", { $0.resonance = -1 }), ("resonance", { $0.resonance = 41 }),
            ("cents per key", { $0.keyTracking = 1_201 }), ("center key", { $0.centerKey = 128 }),
            ("range", { $0.velocityRange = .nan }), ("range", { $0.pressureRange = 12_001 }),
            ("range", { $0.envelopeRange = -12_001 }), ("range", { $0.controller = .init(1, range: .infinity) }),
            ("controller 120", { $0.controller = .init(120, range: 1) }),
            ("rests at 128", { $0.controller = .init(1, range: 1, rest: 128) }),
            ("envelope", { $0.envelope.delay = 61 }), ("sustain", { $0.envelope.sustain = -1 }),
        ]
        func expectRefusal(_ word: String, _ zone: InstrumentZone) {
            #expect("a filter with a wrong \(word)") {
                try stage.engine.makeInstrument([zone], on: stage.bus)
            } throws: { error in
                "\(error)".contains("zone 1") && "\(error)".contains("filter") && "\(error)".contains(word)
            }
        }
        for (word, change) in changes {
            var zone = InstrumentZone(sound)
            var filter = Filter(.lowPass12, cutoff: 1_000)
            change(&filter)
            zone.filter = filter
            expectRefusal(word, zone)
        }
        var zone = InstrumentZone(try AudioBuffer([[Float]](repeating: [0, 1], count: 9)))
        zone.filter = Filter(.lowPass12, cutoff: 1_000)
        expectRefusal("9 channels", zone)
    }
}
