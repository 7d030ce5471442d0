import AudioInstruments
import AudioRendering
import TestSupport
import Testing

/// Files with errors: what can be read is kept, and the problem is stated.
@Suite struct MIDIFileProblemTests {
    static let note: [UInt8] = [0, 0x90, 60, 1]
    static let track = MIDIBytes.track(note + note + MIDIBytes.end)

    @Test("data that is no MIDI file is refused with the reason")
    func refused() throws {
        func cause(_ data: [UInt8]) -> MIDIFileError.Cause? {
            let error = #expect(throws: MIDIFileError.self) { try MIDIFile(data: data) }
            #expect(error?.path == nil)
            #expect(error.map { "\($0)".hasPrefix("The data ") } == true)
            return error?.cause
        }
        for other in [[], [0], Array("MTh".utf8), Array("MTrk".utf8), [UInt8](repeating: 0, count: 100)] as [[UInt8]] {
            #expect(cause(other) == .notMIDI)
        }
        for count in 4..<14 { #expect(cause(Array(MIDIBytes.header()[..<count])) == .incompleteHeader) }
        var short = MIDIBytes.header() + Self.track
        short[7] = 5
        #expect(cause(short) == .incompleteHeader)
        for format in [3, 256, 0xFFFF] {
            #expect(cause(MIDIBytes.header(format: format) + Self.track) == .unknownFormat(format))
        }
    }

    @Test("tracks with the wrong number")
    func trackCounts() throws {
        let two = try MIDIFile(data: MIDIBytes.header(format: 1, tracks: 3) + Self.track + Self.track)
        #expect(two.tracks.count == 2)
        #expect(two.problemKinds == [.trackCount(declared: 3, found: 2)])
        let more = try MIDIFile(data: MIDIBytes.header(format: 1, tracks: 1) + Self.track + Self.track)
        #expect(more.tracks.count == 2)
        #expect(more.problemKinds == [.trackCount(declared: 1, found: 2)])
        let several = try MIDIFile(data: MIDIBytes.header(format: 0, tracks: 2) + Self.track + Self.track)
        #expect(several.problemKinds == [.severalTracks(2)])
        #expect(several.sequence().events.count == 4)
        #expect(try MIDIFile(data: MIDIBytes.header(format: 1, tracks: 0)).tracks == [])
    }

    @Test(
        "wrong lengths of tracks",
        arguments: [
            // Too short: unfinished, or within an event.
            (0, .wrongTrackLength), (1, .wrongTrackLength), (6, .wrongTrackLength), (11, .wrongTrackLength),
            // Too long: over the next track, or over the end of the file.
            (13, .wrongTrackLength), (32, .wrongTrackLength), (33, .wrongTrackLength), (1_000, .wrongTrackLength),
            (0x7FFF_FFFF, .wrongTrackLength), (0xFFFF_FFFF, .wrongTrackLength),
        ] as [(Int, MIDIFile.Problem.Kind)])
    func lengths(_ length: Int, _ kind: MIDIFile.Problem.Kind) throws {
        let wrong = MIDIBytes.track(Self.note + Self.note + MIDIBytes.end, length: length)
        let file = try MIDIFile(data: MIDIBytes.header(format: 1, tracks: 2) + wrong + Self.track)
        #expect(file.tracks.map(\.events.count) == [2, 2])
        #expect(file.problemKinds == [kind])
        #expect(file.problems.first?.track == 0)
    }

    @Test("a track without its end, with bytes after it, or with damage leaves the next one intact")
    func trackEnds() throws {
        func read(_ content: [UInt8]) throws -> (file: MIDIFile, first: MIDIFile.Track) {
            let file = try MIDIFile(
                data: MIDIBytes.header(format: 1, tracks: 2) + MIDIBytes.track(content) + Self.track)
            #expect(file.tracks.count == 2)
            #expect(file.tracks.last?.events.count == 2)
            #expect(file.problems.allSatisfy { $0.track == 0 })
            return (file, try #require(file.tracks.first))
        }
        let open = try read([9, 0x90, 60, 1])
        #expect((open.first.events.count, open.first.endTick) == (1, 9))
        #expect(open.file.problemKinds == [.noEndOfTrack])
        #expect(try read([]).file.problemKinds == [.noEndOfTrack])
        let longer = try read(Self.note + [5, 0xFF, 0x2F, 0] + Self.note)
        #expect((longer.first.events.count, longer.first.endTick) == (1, 5))
        #expect(longer.file.problemKinds == [.bytesAfterEndOfTrack])
        #expect(longer.file.problems.first?.offset == 22 + 8)
        let damages: [[UInt8]] = [
            [0, 0xF9], [0, 0x90, 0x80, 1], [0, 0x90, 1, 0xFF], [0, 0xF2, 0x80, 0], [0x80, 0x80, 0x80, 0x80],
        ]
        for damage in damages {
            let damaged = try read(Self.note + damage + Self.note)
            #expect(damaged.first.events.count == 1)
            #expect(damaged.file.problemKinds == [.unreadableEvent])
            #expect(damaged.file.problems.first?.offset == 22 + 4)
        }
        // An event that is longer than the track, before another one.
        let cut = try read(Self.note + [0, 0xFF, 1, 0x7F])
        #expect(cut.first.events.count == 1)
        #expect(cut.file.problemKinds == [.truncated])
        // "End of track" with data.
        #expect(try read(Self.note + [0, 0xFF, 0x2F, 1, 0]).file.problems == [])
    }

    @Test("bytes between chunks are skipped up to the next track")
    func otherBytes() throws {
        let text = Array("no chunk, but a text".utf8)
        for other in [[0], [0xFF, 0xFF], text, [UInt8](repeating: 0, count: 50)] as [[UInt8]] {
            let file = try MIDIFile(data: MIDIBytes.header(format: 1, tracks: 2) + Self.track + other + Self.track)
            #expect(file.tracks.map(\.events.count) == [2, 2])
            #expect(file.problemKinds == [.noChunk])
            let end = try MIDIFile(data: MIDIBytes.header(format: 1, tracks: 1) + Self.track + other)
            #expect(end.tracks.count == 1)
            #expect(end.problemKinds == [.noChunk])
        }
        var long = MIDIBytes.header()
        long.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xFF])
        let file = try MIDIFile(data: long + Self.track)
        #expect(file.tracks.count == 1)
        #expect(file.problemKinds == [.truncated])
    }

    @Test("every truncation keeps a part of the events, and states a problem")
    func truncations() throws {
        let whole = try MIDIFile(data: MIDIFileReadingTests.song)
        var counts: [Int] = []
        for count in 14..<MIDIFileReadingTests.song.count {
            let file = try MIDIFile(data: Array(MIDIFileReadingTests.song[..<count]))
            #expect(!file.problems.isEmpty, "\(count) bytes")
            for (track, intact) in zip(file.tracks, whole.tracks) {
                #expect(track.events[...] == intact.events.prefix(track.events.count), "\(count) bytes")
            }
            counts.append(file.tracks.map(\.events.count).reduce(0, +))
            #expect(file.problems.allSatisfy { $0.offset <= count && !"\($0)".isEmpty })
            _ = file.sequences()
        }
        #expect(counts == counts.sorted())
        #expect(counts.last == 8)
    }
}
