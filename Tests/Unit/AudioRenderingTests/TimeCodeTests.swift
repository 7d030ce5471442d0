import AudioRendering
import TestRandom
import TestSupport
import Testing

/// Time codes, and a transport that follows MIDI time code, on the offline driver.
@Suite struct TimeCodeTests {
    @Test("Each frame of a day has one time code, and back", arguments: TimeCode.Rate.allCases)
    func day(rate: TimeCode.Rate) throws {
        let count = rate == .fps29_97Drop ? 2_589_408 : 86_400 * Int(rate.framesPerSecond)
        var random = SeededGenerator(seed: TestSeed.current)
        // The frames around minutes, and others.
        let around = stride(from: 0, to: count, by: 899).flatMap { [$0, $0 + 1] }
        for number in around + (0..<2_000).map({ _ in .random(in: 0..<count, using: &random) }) {
            let seconds = Double(number) / rate.framesPerSecond
            let code = TimeCode(totalSeconds: seconds, rate: rate)
            #expect(abs(code.totalSeconds - (number < count ? seconds : 0)) < 1e-6)
            let same = TimeCode(
                hours: code.hours, minutes: code.minutes, seconds: code.seconds, frames: code.frames, rate: rate)
            #expect(same == code, "a time code that exists")
        }
    }

    @Test("Descriptions, limits, and times out of range")
    func values() throws {
        let code = try #require(TimeCode(hours: 1, minutes: 2, seconds: 3, frames: 4, rate: .fps25))
        #expect(code.description == "01:02:03:04" && code.totalSeconds == 3_723.16)
        let dropped = TimeCode(totalSeconds: 60.06, rate: .fps29_97Drop)
        #expect(dropped.description == "00:01:00;02")
        #expect(TimeCode(hours: 0, minutes: 1, seconds: 0, frames: 1, rate: .fps29_97Drop) == nil)
        #expect(TimeCode(hours: 0, minutes: 10, seconds: 0, frames: 1, rate: .fps29_97Drop) != nil)
        #expect(TimeCode(hours: 24, minutes: 0, seconds: 0, frames: 0, rate: .fps24) == nil)
        #expect(TimeCode(hours: 0, minutes: 0, seconds: 0, frames: 24, rate: .fps24) == nil)
        #expect(TimeCode(hours: 0, minutes: 60, seconds: 0, frames: 0, rate: .fps24) == nil)
        #expect(TimeCode(hours: 0, minutes: 0, seconds: -1, frames: 0, rate: .fps24) == nil)
        #expect(TimeCode(totalSeconds: -1, rate: .fps24).description == "23:59:59:00")
        #expect(TimeCode(totalSeconds: 86_400, rate: .fps30).description == "00:00:00:00")
        for wrong in [Double.nan, .infinity, 1e300, -1e300] {
            #expect((0..<24).contains(TimeCode(totalSeconds: wrong, rate: .fps29_97Drop).hours))
        }
    }

    /// Returns quarter frames of 25 frames per second from a time on.
    private func quarters(from first: Double, at frame: UInt64, count: Int) -> [MIDIEvent] {
        (0..<count).map { number in
            let code = TimeCode(totalSeconds: first + Double(number / 8) * 0.08, rate: .fps25)
            let values = [code.frames, code.seconds, code.minutes, code.hours | 1 << 5]
            let value = values[number % 8 / 2]
            let data = number % 2 == 0 ? value & 15 : value >> 4
            return MIDIEvent(
                message: .timeCodeQuarterFrame(UInt8((number % 8) << 4 | data)), frame: frame + UInt64(number) * 480)
        }
    }

    @Test("The transport follows MIDI time code: beats from the start of the piece on, on their frames")
    func follow() throws {
        let stage = try EngineFixture(channels: 1)
        let transport = stage.engine.transport
        var zone = InstrumentZone(try AudioBuffer([[1]]))
        (zone.keyTracking, zone.isOneShot) = (0, true)
        var configuration = AudioInstrument.Configuration()
        configuration.panLaw = nil
        let instrument = try stage.engine.makeInstrument([zone], on: stage.bus, configuration: configuration)
        let ranges = EventLog<BeatRange>()
        let scheduler = try stage.engine.makeBeatScheduler { beats, queue in
            ranges.note(beats)
            for number in beats.steps(every: 0.5) {
                try? queue.at(Double(number) * 0.5, in: beats.pass) {
                    try queue.send(.noteOn(channel: 0, key: 60, velocity: 127), to: instrument)
                }
            }
        }
        let input = try stage.engine.makeMIDIInput(name: "time code")
        try input.connect(to: transport)
        try transport.setRole(.midiTimeCode)
        transport.timeCodeStart = try #require(
            TimeCode(hours: 1, minutes: 0, seconds: 0, frames: 0, rate: .fps25))
        #expect(throws: AudioEngineError.self) { try transport.start() }
        #expect(transport.position.timeCode == nil)
        let events = quarters(from: 3_599, at: 1_000, count: 400)
        let output = try stage.driver.render(frames: 180_000, midi: ["time code": events])[0]
        #expect(output.indices.filter { output[$0] != 0 } == stride(from: 49_000, to: 180_000, by: 12_000).map { $0 })
        #expect(ranges.noted.allSatisfy { $0.lowerBound > -0.001 } && stage.engine.counters.lateCommands == 0)
        let position = transport.position
        #expect(position.isRolling && position.timeCode?.description == "01:00:02:18")
        try stage.driver.render(frames: 48_000)
        #expect(!transport.position.isRolling && !transport.position.isStarting)
        try transport.setRole(.own)
        try transport.start()
        try stage.driver.render(frames: 1_024)
        #expect(transport.position.isRolling && transport.position.timeCode == nil)
        withExtendedLifetime((scheduler, input)) {}
    }
}
