import AudioInstruments
import AudioRendering
import Foundation
import TestRandom
import Testing

@Suite struct MIDISequenceTests {
    @Test("tracks are merged in the order of the file at equal ticks")
    func merge() throws {
        func track(_ texts: [(Int, String)]) -> MIDIFile.Track {
            .init(events: texts.map { .init(tick: $0.0, .text($0.1)) })
        }
        let file = MIDIFile(tracks: [
            track([(0, "a"), (0, "b"), (10, "e"), (20, "i")]), track([(0, "c"), (10, "f"), (10, "g")]),
            track([(0, "d"), (10, "h")]),
        ])
        let sequence = file.sequence()
        #expect(sequence.events.compactMap { $0.kind.text(.text) }.joined() == "abcdefghi")
        #expect(sequence.events.map(\.track) == [0, 0, 1, 2, 0, 1, 1, 2, 0])
        #expect(file.sequences() == [sequence])
        let patterns = MIDIFile(format: .independentTracks, tracks: file.tracks).sequences()
        #expect(patterns.map { $0.events.compactMap { $0.kind.text(.text) }.joined() } == ["abei", "cfg", "dh"])
        #expect(patterns.map { Set($0.events.map(\.track)) } == [[0], [1], [2]])
        #expect(MIDIFile(format: .independentTracks, tracks: []).sequences() == [])
        #expect(MIDIFile(format: .independentTracks, tracks: []).sequence().duration == 0)
    }

    @Test("the tempo is 120 until any track changes it")
    func tempo() throws {
        let tempo = MIDIFile.Event(tick: 960, .tempo(microsecondsPerQuarterNote: 1_000_000))
        let note = MIDIFile.Event(tick: 1_440, .message(.noteOn(channel: 0, key: 60, velocity: 1)))
        let file = MIDIFile(tracks: [.init(events: [note], endTick: 2_400), .init(events: [tempo])])
        let sequence = file.sequence()
        #expect(sequence.events.map(\.seconds) == [1, 2])
        #expect(sequence.duration == 4)
        #expect(sequence.endTick == 2_400)
        #expect(sequence.seconds(atTick: 480) == 0.5)
        #expect(sequence.seconds(atTick: 3_360) == 6)
        #expect([-1, 0, 0.25, 1, 1.999, 2, 6].map(sequence.tick(atSeconds:)) == [0, 0, 240, 960, 1_439, 1_440, 3_360])
        #expect(sequence.seconds(atTick: -5) == 0)
        #expect(sequence.seconds(atTick: .min) == 0)
        #expect(sequence.tick(atSeconds: .nan) == 0)
        #expect(sequence.tick(atSeconds: -.infinity) == 0)
        #expect(sequence.tick(atSeconds: .infinity) > 1 << 61)
        #expect(sequence.seconds(atTick: .max) > 1e15)
        // A tempo of 0 is no tempo. Of two at one tick, the second counts.
        let zero = MIDIFile.Event(tick: 0, .meta(type: 0x51, data: [0, 0, 0]))
        #expect(MIDIFile(tracks: [.init(events: [zero], endTick: 480)]).sequence().duration == 0.5)
        for tick in [0, 480] {
            let fast = MIDIFile.Event(tick: tick, .tempo(microsecondsPerQuarterNote: 1))
            let twice = MIDIFile(tracks: [.init(events: [fast, .init(tick: tick, tempo.kind)], endTick: tick + 480)])
            #expect(twice.sequence().duration == (tick == 0 ? 1 : 1.5))
        }
        let patterns = MIDIFile(format: .independentTracks, tracks: [.init(events: [tempo]), .init(endTick: 1_920)])
        #expect(patterns.sequences().map(\.duration) == [1, 2])
    }

    @Test(
        "time code does not follow the tempo",
        arguments: [
            (MIDIFile.FrameRate.frames24, 24.0), (.frames25, 25), (.frames2997, 30_000 / 1_001), (.frames30, 30),
        ])
    func timeCode(_ rate: MIDIFile.FrameRate, _ framesPerSecond: Double) {
        let tempo = MIDIFile.Event(tick: 0, .tempo(microsecondsPerQuarterNote: 1_000_000))
        let file = MIDIFile(
            division: .timeCode(framesPerSecond: rate, ticksPerFrame: 80),
            tracks: [.init(events: [tempo], endTick: 80 * 108_000)])
        #expect(abs(file.sequence().duration - 108_000 / framesPerSecond) < 1e-9)
    }

    @Test("times agree with decimal arithmetic, over hours and many tempos")
    func exactTimes() throws {
        for number in 0..<40 {
            var generator = SeededGenerator(seed: TestSeed.ofCase(UInt64(number)))
            let ticks = 1 + generator.below(0x7FFF)
            var (tick, tempo, microseconds) = (0, 500_000, Decimal(0))
            var events: [MIDIFile.Event] = []
            var expected: [Decimal] = []
            while microseconds < Decimal(3_600_000_000) * Decimal(1 + number % 3), events.count < 3_000 {
                let delta = generator.below(40 * ticks)
                tick += delta
                microseconds += Decimal(delta) * Decimal(tempo) / Decimal(ticks)
                if generator.oneIn(2) {
                    tempo = 1 + generator.below(generator.oneIn(4) ? 0xFF_FFFF : 1_000_000)
                    events.append(.init(tick: tick, .tempo(microsecondsPerQuarterNote: tempo)))
                } else {
                    events.append(.init(tick: tick, .text("")))
                }
                expected.append(microseconds)
            }
            let file = MIDIFile(division: .ticksPerQuarterNote(ticks), tracks: [.init(events: events)])
            let sequence = file.sequence()
            try #require(sequence.events.count == expected.count)
            for (event, microseconds) in zip(sequence.events, expected) {
                let error = Decimal(event.seconds) * 1_000_000 - microseconds
                #expect(abs(error) < Decimal(0.01), "file \(number), \(TestSeed.text)")
                #expect(sequence.tick(atSeconds: event.seconds) == event.tick, "file \(number), \(TestSeed.text)")
            }
            for _ in 0..<50 {
                let seconds = Double(generator.below(4_000_000)) / 1_000
                let tick = sequence.tick(atSeconds: seconds)
                let times = (sequence.seconds(atTick: tick), sequence.seconds(atTick: tick + 1))
                #expect(times.0 <= seconds && seconds < times.1, "file \(number), \(TestSeed.text)")
            }
        }
    }
}
