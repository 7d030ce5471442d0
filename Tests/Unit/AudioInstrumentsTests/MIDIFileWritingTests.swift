import AudioInstruments
import AudioRendering
import TestRandom
import TestSupport
import Testing

@Suite struct MIDIFileWritingTests {
    @Test("random files survive a round trip")
    func roundTrips() throws {
        for number in 0..<TestLength.times(300, long: 20_000) {
            var random = RandomMIDIFile(generator: SeededGenerator(seed: TestSeed.ofCase(UInt64(number))))
            let file = random.file()
            let data = try file.data()
            let read = try MIDIFile(data: data)
            #expect(read == file, "file \(number), \(TestSeed.text)")
            #expect(try read.data() == data, "file \(number), \(TestSeed.text)")
            #expect(read.problems == [], "file \(number), \(TestSeed.text)")
        }
    }

    @Test("running status is used, and written again after other events")
    func runningStatus() throws {
        let on = MIDIFile.Event.Kind.message(.noteOn(channel: 0, key: 60, velocity: 1))
        let file = MIDIFile(
            format: .singleTrack, division: .ticksPerQuarterNote(96),
            tracks: [
                .init(events: [
                    .init(tick: 0, on), .init(tick: 0, on), .init(tick: 1, .text("A")), .init(tick: 1, on),
                    .init(tick: 1, .message(.clock)), .init(tick: 2, on), .init(tick: 2, on),
                ])
            ])
        let expected: [UInt8] = [
            0, 0x90, 60, 1, 0, 60, 1, 1, 0xFF, 1, 1, 0x41, 0, 0x90, 60, 1, 0, 0xF7, 1, 0xF8, 1, 0x90, 60, 1, 0, 60, 1,
        ]
        #expect(try file.data() == MIDIBytes.file(expected + MIDIBytes.end))
    }

    @Test("events are sorted, those of one tick stay in their order, and the end is not before them")
    func order() throws {
        let events: [MIDIFile.Event] = [(5, "c"), (0, "a"), (5, "d"), (0, "b")].map { .init(tick: $0, .text($1)) }
        var file = MIDIFile(format: .singleTrack, tracks: [.init(events: events, endTick: 2)])
        let read = try MIDIFile(data: try file.data())
        #expect(read.tracks[0].events.map { $0.kind.text(.text) } == ["a", "b", "c", "d"])
        #expect(read.tracks[0].endTick == 5)
        #expect(file.sequence().endTick == 5)
        #expect(file.sequence().events.map { $0.kind.text(.text) } == ["a", "b", "c", "d"])
        file.tracks = [.init(events: events)]
        #expect(file.tracks[0].endTick == 5)
    }

    @Test("values out of range are refused")
    func refused() throws {
        func cause(_ file: MIDIFile) -> MIDIFileError.Cause? {
            let error = #expect(throws: MIDIFileError.self) { try file.data() }
            #expect(error.map { "\($0)".hasSuffix(".") } == true)
            return error?.cause
        }
        func refuses(_ event: MIDIFile.Event, _ end: Int = 0) -> Bool {
            let file = MIDIFile(tracks: [.init(), .init(events: [.init(tick: 0, .text("")), event], endTick: end)])
            guard case .invalidEvent(1, 1, _) = cause(file) else { return false }
            return true
        }
        #expect(refuses(.init(tick: -1, .text(""))))
        #expect(refuses(.init(tick: 0x1000_0000, .text(""))))
        #expect(refuses(.init(tick: .max, .text(""))))
        #expect(refuses(.init(tick: 0, .meta(type: 0x2F, data: []))))
        #expect(refuses(.init(tick: 0, .message(.noteOn(channel: 16, key: 0, velocity: 0)))))
        #expect(refuses(.init(tick: 0, .message(.systemExclusive([0x80])))))
        guard case .invalidEvent(0, nil, _) = cause(MIDIFile(tracks: [.init(endTick: 0x1000_0000)])) else {
            Issue.record("the end is not refused")
            return
        }
        #expect(cause(MIDIFile(format: .singleTrack, tracks: [])) == .trackCount(0, format: 0))
        #expect(cause(MIDIFile(format: .singleTrack, tracks: [.init(), .init()])) == .trackCount(2, format: 0))
        let many = [MIDIFile.Track](repeating: .init(), count: 65_536)
        #expect(cause(MIDIFile(tracks: many)) == .trackCount(65_536, format: 1))
        #expect(try MIDIFile(data: MIDIFile(tracks: many.dropLast()).data()).tracks.count == 65_535)
        for ticks in [0, -1, 32_768, .max, .min] {
            let file = MIDIFile(division: .ticksPerQuarterNote(ticks), tracks: [.init()])
            #expect(cause(file) == .invalidDivision(ticks))
            #expect(file.sequence().duration == 0)
        }
        for ticks in [0, -1, 256, .min] {
            let division = MIDIFile.Division.timeCode(framesPerSecond: .frames25, ticksPerFrame: ticks)
            let file = MIDIFile(division: division, tracks: [.init()])
            #expect(cause(file) == .invalidDivision(ticks))
            #expect(file.sequence().seconds(atTick: 100_000) > 0)
        }
    }

    @Test("meta events with a meaning")
    func meta() throws {
        typealias Kind = MIDIFile.Event.Kind
        #expect(Kind.tempo(microsecondsPerQuarterNote: 500_000) == .meta(type: 0x51, data: [7, 0xA1, 0x20]))
        #expect(Kind.tempo(microsecondsPerQuarterNote: 500_000).tempo == 500_000)
        #expect(Kind.tempo(microsecondsPerQuarterNote: 0).tempo == 1)
        #expect(Kind.tempo(microsecondsPerQuarterNote: .max).tempo == 16_777_215)
        #expect(Kind.meta(type: 0x51, data: [0, 0, 0]).tempo == nil)
        #expect(Kind.meta(type: 0x51, data: [7, 0xA1]).tempo == nil)
        #expect(Kind.meta(type: 0x51, data: [7, 0xA1, 0x20, 9]).tempo == 500_000)
        let meter = Kind.meta(type: 0x58, data: [6, 3, 36, 8])
        #expect(meter.timeSignature.map { Kind.timeSignature($0) } == meter)
        #expect(meter.timeSignature?.denominator == 8)
        #expect(Kind.meta(type: 0x58, data: [6, 255, 36, 8]).timeSignature?.denominator == 1 << 62)
        #expect(Kind.meta(type: 0x58, data: [6, 3]).timeSignature == nil)
        let key = Kind.keySignature(.init(sharps: -3, isMinor: true))
        #expect(key == .meta(type: 0x59, data: [0xFD, 1]))
        #expect(key.keySignature == .init(sharps: -3, isMinor: true))
        #expect(Kind.meta(type: 0x59, data: [8, 0]).keySignature == nil)
        #expect(Kind.keySignature(.init(sharps: -128)).keySignature?.sharps == -7)
        for kind in MIDIFile.TextKind.allCases {
            #expect(Kind.text("Größe", as: kind).text(kind) == "Größe")
            #expect(Kind.text("a", as: kind) == .meta(type: kind.rawValue, data: [0x61]))
        }
        #expect(Kind.text("a", as: .lyric).text(.marker) == nil)
        #expect(Kind.meta(type: 1, data: [0x47, 0xF6]).text(.text) == "Gö")
        let track = MIDIFile.Track(events: [.init(tick: 0, .text("x")), .init(tick: 9, .text("Bass", as: .trackName))])
        #expect(track.name == "Bass")
        #expect(MIDIFile.Track().name == nil)
    }
}
