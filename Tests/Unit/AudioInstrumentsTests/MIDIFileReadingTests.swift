import AudioInstruments
import AudioRendering
import Testing

@Suite struct MIDIFileReadingTests {
    /// A song in format 1: tempo and meter in the first track, notes with running status in others.
    static let song: [UInt8] =
        MIDIBytes.header(format: 1, tracks: 3, division: 96)
        + MIDIBytes.track(
            [0, 0xFF, 0x58, 4, 4, 2, 24, 8, 0, 0xFF, 0x51, 3, 0x07, 0xA1, 0x20, 0x83, 0, 0xFF, 0x2F, 0])
        + MIDIBytes.track([0, 0xC0, 5, 0x81, 0x40, 0x90, 0x4C, 0x20, 0x81, 0x40, 0x4C, 0, 0, 0xFF, 0x2F, 0])
        + MIDIBytes.track([0, 0xC1, 0x2E, 0x60, 0x91, 0x43, 0x40, 0x82, 0x20, 0x43, 0, 0, 0xFF, 0x2F, 0])

    @Test("a file of format 1 has these events")
    func song() throws {
        let file = try MIDIFile(data: Self.song)
        #expect(file.format == .simultaneousTracks)
        #expect(file.division == .ticksPerQuarterNote(96))
        #expect(file.problems == [])
        let expected = [
            MIDIFile.Track(
                events: [
                    .init(tick: 0, .timeSignature(.init(numerator: 4, denominatorExponent: 2))),
                    .init(tick: 0, .tempo(microsecondsPerQuarterNote: 500_000)),
                ], endTick: 384),
            MIDIFile.Track(events: [
                .init(tick: 0, .message(.programChange(channel: 0, program: 5))),
                .init(tick: 192, .message(.noteOn(channel: 0, key: 76, velocity: 32))),
                .init(tick: 384, .message(.noteOn(channel: 0, key: 76, velocity: 0))),
            ]),
            MIDIFile.Track(events: [
                .init(tick: 0, .message(.programChange(channel: 1, program: 46))),
                .init(tick: 96, .message(.noteOn(channel: 1, key: 67, velocity: 64))),
                .init(tick: 384, .message(.noteOn(channel: 1, key: 67, velocity: 0))),
            ]),
        ]
        #expect(file.tracks == expected)
        #expect(try file.data() == Self.song)
    }

    @Test(
        "delta times have one to four bytes",
        arguments: [
            ([0], 0), ([0x40], 0x40), ([0x7F], 0x7F), ([0x81, 0], 0x80), ([0xC0, 0], 0x2000), ([0xFF, 0x7F], 0x3FFF),
            ([0x81, 0x80, 0], 0x4000), ([0xC0, 0x80, 0], 0x10_0000), ([0xFF, 0xFF, 0x7F], 0x1F_FFFF),
            ([0x81, 0x80, 0x80, 0], 0x20_0000), ([0xC0, 0x80, 0x80, 0], 0x800_0000),
            ([0xFF, 0xFF, 0xFF, 0x7F], 0xFFF_FFFF),
        ] as [([UInt8], Int)])
    func deltaTimes(_ bytes: [UInt8], _ tick: Int) throws {
        let content = MIDIBytes.file(bytes + [0x90, 60, 1] + bytes + [0xFF, 0x2F, 0])
        let file = try MIDIFile(data: content)
        #expect(file.tracks[0].events.map(\.tick) == [tick])
        #expect(file.tracks[0].endTick == 2 * tick)
        #expect(file.problems == [])
        #expect(try file.data() == content)
        // More bytes than necessary are allowed, up to four.
        let padded = [UInt8](repeating: 0x80, count: 4 - bytes.count) + bytes
        #expect(try MIDIFile(data: MIDIBytes.file(padded + [0x90, 60, 1] + bytes + [0xFF, 0x2F, 0])) == file)
        let tooLong = try MIDIFile(data: MIDIBytes.file([0, 0x90, 60, 1, 0x80] + padded + [61, 1] + MIDIBytes.end))
        #expect(tooLong.tracks[0].events.count == 1)
        #expect(tooLong.problemKinds == [.unreadableEvent])
    }

    @Test("system-exclusive messages and their parts", arguments: [true, false])
    func exclusive(_ isWhole: Bool) throws {
        let content =
            isWhole
            ? MIDIBytes.file([0, 0xF0, 5, 0x43, 0x12, 0, 7, 0xF7] + MIDIBytes.end)
            : MIDIBytes.file(
                [0, 0xF0, 3, 0x43, 0x12, 0, 0x81, 0x48, 0xF7, 6, 0x43, 0x12, 0, 0x43, 0x12, 0, 0x64, 0xF7, 4]
                    + [0x43, 0x12, 0, 0xF7, 0, 0xF7, 2, 0xF3, 1, 0, 0xF7, 0] + MIDIBytes.end)
        let file = try MIDIFile(data: content)
        let kinds: [MIDIFile.Event.Kind] =
            isWhole
            ? [.message(.systemExclusive([0x43, 0x12, 0, 7]))]
            : [
                .escape([0xF0, 0x43, 0x12, 0]), .escape([0x43, 0x12, 0, 0x43, 0x12, 0]),
                .escape([0x43, 0x12, 0, 0xF7]), .escape([0xF3, 1]), .escape([]),
            ]
        #expect(file.tracks[0].events.map(\.kind) == kinds)
        #expect(file.tracks[0].events.map(\.tick) == (isWhole ? [0] : [0, 200, 300, 300, 300]))
        #expect(file.problems == [])
        #expect(try file.data() == content)
        let messages: [MIDIMessage?] =
            isWhole ? [.systemExclusive([0x43, 0x12, 0, 7])] : [nil, nil, nil, .songSelect(1), nil]
        #expect(kinds.map(\.message) == messages)
    }

    @Test("an exclusive message in one escape, or with a status inside, keeps its form")
    func exclusiveForms() throws {
        let content = MIDIBytes.file(
            [0, 0xF7, 3, 0xF0, 1, 0xF7, 0, 0xF0, 3, 1, 0x80, 0xF7, 0, 0xF0, 0, 0, 0xF0, 1, 0xF7] + MIDIBytes.end)
        let file = try MIDIFile(data: content)
        #expect(
            file.tracks[0].events.map(\.kind) == [
                .escape([0xF0, 1, 0xF7]), .escape([0xF0, 1, 0x80, 0xF7]), .escape([0xF0]),
                .message(.systemExclusive([])),
            ])
        #expect(file.tracks[0].events[0].kind.message == .systemExclusive([1]))
        #expect(try file.data() == content)
    }

    @Test("meta and exclusive events cancel running status; a file that continues it is read")
    func runningStatus() throws {
        for event in [[0xFF, 1, 1, 0x41], [0xF0, 2, 1, 0xF7], [0xF7, 1, 0xF8]] as [[UInt8]] {
            let note: [UInt8] = [0, 0x93, 60, 1, 0]
            let correct = MIDIBytes.file(note + event + [0, 0x93, 61, 2, 0, 62, 3] + MIDIBytes.end)
            let file = try MIDIFile(data: correct)
            #expect(file.problems == [])
            #expect(try file.data() == correct)
            var other = try MIDIFile(data: MIDIBytes.file(note + event + [0, 61, 2, 0, 62, 3] + MIDIBytes.end))
            #expect(other.problemKinds == [.continuedRunningStatus])
            #expect(other.problems.first?.track == 0)
            #expect(other.problems.first?.offset == 22 + note.count + event.count)
            other.problems = []
            #expect(other == file)
        }
        // Running status does not continue in the next track.
        let tracks = MIDIBytes.track([0, 0x90, 60, 1] + MIDIBytes.end) + MIDIBytes.track([0, 61, 1] + MIDIBytes.end)
        let file = try MIDIFile(data: MIDIBytes.header(format: 1, tracks: 2) + tracks)
        #expect(file.tracks.map(\.events.count) == [1, 0])
        #expect(file.problemKinds == [.unreadableEvent])
    }

    @Test("system messages without an escape are read as escapes")
    func unescaped() throws {
        let file = try MIDIFile(
            data: MIDIBytes.file([0, 0x90, 60, 1, 5, 0xF8, 0, 61, 1, 0, 0xF2, 1, 2, 0, 62, 1] + MIDIBytes.end))
        #expect(
            file.tracks[0].events.map(\.kind.message) == [
                .noteOn(channel: 0, key: 60, velocity: 1), .clock, .noteOn(channel: 0, key: 61, velocity: 1),
                .songPosition(257), .noteOn(channel: 0, key: 62, velocity: 1),
            ])
        #expect(file.tracks[0].events[1].kind == .escape([0xF8]))
        #expect(file.problemKinds == [.unescapedMessage, .continuedRunningStatus])
        for status: UInt8 in [0xF4, 0xF5, 0xF9, 0xFD] {
            let file = try MIDIFile(data: MIDIBytes.file([0, 0x90, 60, 1, 0, status] + MIDIBytes.end))
            #expect(file.tracks[0].events.count == 1)
            #expect(file.problemKinds == [.unreadableEvent])
        }
    }

    @Test("a longer header and unknown chunks are skipped")
    func unknownChunks() throws {
        var data = MIDIBytes.header()
        data[7] = 9
        data += [1, 2, 3] + MIDIBytes.chunk("XFIH", [1, 2, 3]) + MIDIBytes.track([0, 0x90, 60, 1] + MIDIBytes.end)
        data += MIDIBytes.chunk("    ", [])
        let file = try MIDIFile(data: data)
        #expect(file.tracks.map(\.events.count) == [1])
        #expect(file.problems == [])
    }

    @Test("RIFF files (.rmi)")
    func riff() throws {
        let plain = try MIDIFile(data: Self.song)
        // A chunk of odd length is padded.
        let chunks = MIDIBytes.riff("LIST", [1, 2, 3]) + MIDIBytes.riff("data", Self.song)
        let content = MIDIBytes.riff("RIFF", Array("RMID".utf8) + chunks + MIDIBytes.riff("DLS ", [0, 1]))
        #expect(try MIDIFile(data: content) == plain)
        // The declared length may be wrong, as in files that were cut or written to a pipe.
        let endless = MIDIBytes.riff("data", Self.song, length: 0xFFFF_FFFF)
        var read = try MIDIFile(data: MIDIBytes.riff("RIFF", Array("RMID".utf8) + endless, length: 0))
        #expect(read.problemKinds == (Self.song.count % 2 == 0 ? [] : [.noChunk]))
        read.problems = []
        #expect(read == plain)
        for wrong in [
            MIDIBytes.riff("RIFF", Array("WAVE".utf8) + chunks), MIDIBytes.riff("RIFF", Array("RMID".utf8)),
            MIDIBytes.riff("RIFF", Array("RMID".utf8) + MIDIBytes.riff("LIST", Self.song)),
            MIDIBytes.riff("RIFF", Array("RMID".utf8) + MIDIBytes.riff("LIST", Self.song, length: 0xFFFF_FFFF)),
            MIDIBytes.riff("RIFF", Array("RMID".utf8) + MIDIBytes.riff("data", [])),
        ] { #expect(throws: MIDIFileError.self) { try MIDIFile(data: wrong) } }
    }

    @Test(
        "divisions",
        arguments: [
            (1, .ticksPerQuarterNote(1)), (0x7FFF, .ticksPerQuarterNote(32_767)),
            (0xE728, .timeCode(framesPerSecond: .frames25, ticksPerFrame: 40)),
            (0xE801, .timeCode(framesPerSecond: .frames24, ticksPerFrame: 1)),
            (0xE3FF, .timeCode(framesPerSecond: .frames2997, ticksPerFrame: 255)),
            (0xE250, .timeCode(framesPerSecond: .frames30, ticksPerFrame: 80)),
            (0, nil), (0xE700, nil), (0xE601, nil), (0x8001, nil), (0xFF01, nil),
        ] as [(Int, MIDIFile.Division?)])
    func divisions(_ word: Int, _ division: MIDIFile.Division?) throws {
        let data = MIDIBytes.header(division: word) + MIDIBytes.track(MIDIBytes.end)
        guard let division else {
            let error = #expect(throws: MIDIFileError.self) { try MIDIFile(data: data) }
            #expect(error?.cause == .invalidDivision(word))
            return
        }
        let file = try MIDIFile(data: data)
        #expect(file.division == division)
        #expect(try file.data() == data)
    }
}
