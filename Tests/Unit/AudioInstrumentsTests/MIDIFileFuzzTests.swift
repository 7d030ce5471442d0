import AudioInstruments
import AudioRendering
import TestRandom
import TestSupport
import Testing

/// Files with random damage, and files that declare more than they have.
@Suite struct MIDIFileFuzzTests {
    @Test("no damaged file crashes or hangs; what is read can be written", arguments: 0..<8)
    func damage(_ number: Int) throws {
        var random = RandomMIDIFile(generator: SeededGenerator(seed: TestSeed.ofCase(UInt64(number))))
        var intact: [UInt8] = []
        var outcomes = (read: 0, refused: 0)
        for mutant in 0..<TestLength.times(1_500, long: 25_000) {
            if mutant % 50 == 0 { intact = try original(&random) }
            let bytes = Self.mutate(intact, &random.generator)
            if try check(bytes) { outcomes.read += 1 } else { outcomes.refused += 1 }
        }
        #expect(outcomes.read > outcomes.refused, "\(outcomes), \(TestSeed.text)")
        #expect(outcomes.refused > 0, "\(outcomes), \(TestSeed.text)")
    }

    private func original(_ random: inout RandomMIDIFile) throws -> [UInt8] {
        let data = try random.file(events: 12).data()
        guard random.generator.oneIn(4) else { return data }
        let chunks = MIDIBytes.riff("LIST", [1, 2, 3]) + MIDIBytes.riff("data", data)
        return MIDIBytes.riff("RIFF", Array("RMID".utf8) + chunks)
    }

    /// Reads the data; returns false if it is refused.
    private func check(_ bytes: [UInt8]) throws -> Bool {
        var file: MIDIFile
        do { file = try MIDIFile(data: bytes) } catch {
            if "\(error)".isEmpty { Issue.record("no reason for \(bytes)") }
            return false
        }
        let events = file.tracks.reduce(0) { $0 + $1.events.count }
        // The shortest event has two bytes.
        if 2 * events > bytes.count || file.problems.count > 1 + bytes.count {
            Issue.record("\(events) events and \(file.problems.count) problems in \(bytes), \(TestSeed.text)")
        }
        if file.problems.contains(where: { $0.offset > bytes.count }) {
            Issue.record("a problem after the end of \(bytes), \(TestSeed.text)")
        }
        let sequences = file.sequences()
        if sequences.reduce(0, { $0 + $1.events.count }) != events || !sequences.allSatisfy({ $0.duration.isFinite }) {
            Issue.record("the sequences of \(bytes) are not those of its events, \(TestSeed.text)")
        }
        if file.format == .singleTrack, file.tracks.count != 1 { file.format = .simultaneousTracks }
        file.problems = []
        let again = try MIDIFile(data: try file.data())
        if again != file { Issue.record("\(bytes) does not survive a round trip, \(TestSeed.text)") }
        return true
    }

    private static func mutate(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0...generator.below(4) where bytes.count > 16 {
            let begin = generator.oneIn(30) ? generator.below(14) : 14 + generator.below(bytes.count - 14)
            let count = min(1 + generator.below(8), bytes.count - begin)
            switch generator.below(8) {
            case 0: bytes.removeSubrange(begin..<(begin + count))
            case 1: bytes.insert(contentsOf: bytes[begin..<(begin + count)], at: 14 + generator.below(bytes.count - 14))
            case 2: bytes.removeLast(generator.below(bytes.count / 2))
            case 3: for index in begin..<min(begin + 4, bytes.count) { bytes[index] = 0xFF }
            case 4: bytes[begin] = generator.pick([0, 0x7F, 0x80, 0xF0, 0xF7, 0xF8, 0xFF, 0x2F])
            case 5: bytes.insert(contentsOf: "MTrk".utf8, at: begin)
            default: bytes[begin] = UInt8(truncatingIfNeeded: generator.next())
            }
        }
        return bytes
    }

    @Test("noise is refused, or read as far as it goes")
    func noise() throws {
        var generator = SeededGenerator(seed: TestSeed.current)
        for _ in 0..<TestLength.times(1_000, long: 20_000) {
            let noise = (0..<generator.below(200)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            #expect(throws: MIDIFileError.self) { try MIDIFile(data: noise) }
            #expect(try check(MIDIBytes.header(format: 1) + noise))
            #expect(try check(MIDIBytes.file(noise)))
        }
    }

    /// Files of about this many bytes, in which every part makes the reader work.
    private static let hostileByteCount = 300_000

    @Test(
        "hostile files take time and memory in proportion to their bytes",
        arguments: [
            // Lengths of 4 GiB, the longest events, empty tracks, beginnings of tracks.
            MIDIBytes.track([], length: 0xFFFF_FFFF), MIDIBytes.track([0, 0xFF, 1, 0xFF, 0xFF, 0xFF, 0x7F]),
            MIDIBytes.track([]), Array("MTrk".utf8), Array("MTrkMTrM".utf8), MIDIBytes.track([], length: 1),
            MIDIBytes.chunk("XXXX", [], length: 0xFFFF_FFFF), MIDIBytes.track([0, 0xF7, 0xFF, 0xFF, 0xFF, 0x7F]),
            MIDIBytes.chunk("XXXX", []), MIDIBytes.track([0x80]), MIDIBytes.track([0xFF, 0xFF, 0xFF, 0xFF, 0x7F]),
            // Within one track.
            [0, 0xF0, 0], [0, 0xF0, 1, 1], [0, 0xC0, 1], [0, 1], [0, 0xF8], [0, 0xFF, 1, 1, 1],
            [0xFF, 0xFF, 0xFF, 0x7F, 0x90, 1, 1], [0], [0xFF],
        ] as [[UInt8]])
    func hostile(_ part: [UInt8]) throws {
        let times = Self.hostileByteCount / part.count
        let content = Array(repeatElement(part, count: times).joined())
        let data =
            part[0] == UInt8(ascii: "M") || part[0] == UInt8(ascii: "X")
            ? MIDIBytes.header(format: 1, tracks: 65_535) + content
            : MIDIBytes.file([0, 0xC0, 1] + content, length: 0xFFFF_FFFF)
        let clock = ContinuousClock()
        let begin = clock.now
        let file = try MIDIFile(data: data)
        let sequences = file.sequences()
        let duration = clock.now - begin
        #expect(duration < .seconds(10), "\(part): \(duration)")
        #expect(Self.byteCount(of: file) < 60 * data.count, "\(part)")
        #expect(sequences.count == 1)
        #expect(sequences.allSatisfy { $0.duration.isFinite })
    }

    /// Returns the memory that a file occupies, in bytes: what its arrays have reserved.
    private static func byteCount(of file: MIDIFile) -> Int {
        func byteCount<Element>(_ array: [Element]) -> Int {
            // An array has a header of 32 bytes.
            array.capacity == 0 ? 0 : 32 + array.capacity * MemoryLayout<Element>.stride
        }
        func byteCount(_ kind: MIDIFile.Event.Kind) -> Int {
            switch kind {
            case .message(.systemExclusive(let data)), .escape(let data), .meta(_, let data): byteCount(data)
            case .message: 0
            }
        }
        return file.tracks.reduce(byteCount(file.tracks) + byteCount(file.problems)) { sum, track in
            sum + byteCount(track.events) + track.events.reduce(0) { $0 + byteCount($1.kind) }
        }
    }

    @Test("delta times add up beyond 32 bits")
    func longTimes() throws {
        let events = Array(repeatElement([0xFF, 0xFF, 0xFF, 0x7F, 0x90, 1, 1] as [UInt8], count: 10_000).joined())
        let file = try MIDIFile(data: MIDIBytes.file(events + MIDIBytes.end))
        #expect(file.tracks[0].endTick == 10_000 * 0x0FFF_FFFF)
        #expect(file.sequence().duration == Double(10_000 * 0x0FFF_FFFF) / 96 * 0.5)
    }
}
