import AudioInstruments
import AudioRendering
import TestRandom
import TestSupport
import Testing

/// Plays loaded instruments on the offline driver, and compares loads in memory with streamed ones.
enum InstrumentStage {
    /// Plays a note on each of these keys, 1,000 frames apart, releases them after a second, and
    /// returns what is heard in three. `misses`: frames cannot be read.
    static func play(
        _ zones: [InstrumentZone], _ configuration: AudioInstrument.Configuration, keys: ClosedRange<UInt8>,
        misses: Bool = false
    ) throws -> [[Float]] {
        let driver = OfflineDriver()
        let engine = try AudioEngine(driver: driver)
        let gate = try TestGate()
        let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        try engine.start()
        let instrument = try engine.makeInstrument(zones, on: bus, configuration: configuration)
        let input = try engine.makeMIDIInput(name: "keys")
        try input.connect(to: instrument)
        let starts = keys.enumerated().map { place, key in
            MIDIEvent(message: .noteOn(channel: 0, key: key, velocity: 100), frame: UInt64(1_000 * (place + 1)))
        }
        let ends = keys.enumerated().map { place, key in
            MIDIEvent(message: .noteOff(channel: 0, key: key, velocity: 0), frame: UInt64(48_000 + 100 * place))
        }
        let output = try driver.render(frames: 144_000, midi: ["keys": starts + ends])
        #expect((engine.counters.underrunFrames > 0) == misses)
        return output
    }

    /// Requires that each key is audible, and sounds the same in both, bit for bit.
    static func compare(
        _ memory: ([InstrumentZone], AudioInstrument.Configuration),
        _ streamed: ([InstrumentZone], AudioInstrument.Configuration), keys: ClosedRange<UInt8>
    ) throws {
        for keys in keys.map({ $0...$0 }) + [keys] {
            let expected = try play(memory.0, memory.1, keys: keys)
            let output = try play(streamed.0, streamed.1, keys: keys)
            #expect(Signal.peak(expected[0]) > 0.02, "keys \(keys)")
            for channel in 0..<2 {
                #expect(Signal.firstDifference(output[channel], expected[channel]) == nil, "keys \(keys)")
            }
        }
    }

    /// Returns 16-bit noise.
    static func noise(_ samples: Int) -> [Int16] {
        var generator = SeededGenerator(seed: TestSeed.current)
        return (0..<samples).map { _ in Int16.random(in: -8_000...8_000, using: &generator) }
    }
}

extension InstrumentZone {
    /// The sound, if it is streamed.
    var streamed: StreamedSound? { (sound as? StreamedSound).flatMap { $0.isStreamed ? $0 : nil } }
}
