import AudioInstruments
import AudioRendering
import Foundation
import TestRandom
import TestSupport
import Testing

/// SoundFonts with random damage.
@Suite struct SoundFontFuzzTests {
    /// A file that uses everything that the reader knows.
    private static func file() throws -> [UInt8] {
        var writer = SoundFontWriter()
        writer.samples = [
            .init(frames: Array(repeating: 1_000, count: 50), loop: 10..<40),
            .init(compressed: try ogg(), loop: 10..<400, kind: 0x11), .init(kind: 0x8001),
        ]
        writer.lowBytes = Array(repeating: 9, count: 10_000)
        writer.instruments = [
            .init(zones: [
                .init(generators: [(.attackVolEnv, -600), (.decayVolEnv, 300), (.sustainVolEnv, 100)], target: nil),
                .init(generators: [
                    (.keyRange, 10 + 70 << 8), (.keynumToVolEnvDecay, 50), (.sampleModes, 1), (.startAddrsOffset, 5),
                    (.endAddrsOffset, -2), (.coarseTune, 12), (.exclusiveClass, 3), (.modLfoToPitch, 9),
                ]),
                .init(
                    generators: [(.initialFilterFc, 6_000), (.initialFilterQ, 60), (.modEnvToFilterFc, 900)],
                    modulators: [[0x081, 8, 500, 0, 0], [0x502, 48, 960, 0, 0]], target: 1),
            ]), .init(zones: [.init(target: 2), .init(generators: [(.sampleModes, 3), (.keynum, 61)])]),
        ]
        writer.presets = [
            .init(zones: [.init(generators: [(.pan, 100)], target: nil), .init(), .init(target: 1)]),
            .init(name: "Other", program: 7, zones: [.init(generators: [(.velRange, 3 + 90 << 8)], target: 1)]),
            .init(name: "Kit", bank: 128),
        ]
        return writer.bytes()
    }

    private static func ogg() throws -> [UInt8] {
        let folder = try TestFolder()
        let path = folder.path + "/silence.ogg"
        let file = try AudioFileWriter(path: path, channels: 1, sampleRate: 8_000)
        try file.write([Float](repeating: 0.1, count: 500), frameCount: 500)
        _ = file.close()
        return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test("no damaged file crashes or hangs; what is read has zones that instruments accept", arguments: 0..<4)
    func damage(_ number: Int) throws {
        var generator = SeededGenerator(seed: TestSeed.ofCase(UInt64(number)))
        let engine = try AudioEngine(driver: OfflineDriver())
        let gate = try TestGate()
        let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        let original = try Self.file()
        var outcomes = (read: 0, refused: 0, problems: 0)
        for step in 0..<TestLength.times(150, long: 3_000) {
            let bytes = Self.mutate(original, &generator)
            do {
                let font = try SoundFont(data: bytes)
                let loaded = try font.load(
                    font.presets, memoryLimit: 1 << 20, head: step.isMultiple(of: 2) ? nil : 0.01)
                #expect(loaded.problems.count <= 1_001 && loaded.problems.allSatisfy { !"\($0)".isEmpty })
                _ = try engine.makeInstrument(loaded.zones, on: bus, configuration: loaded.configuration)
                outcomes.read += 1
                outcomes.problems += loaded.problems.count
            } catch let error as SoundFontError {
                #expect(!"\(error)".isEmpty)
                outcomes.refused += 1
            } catch {
                Issue.record("\(error) in step \(step), \(TestSeed.text)")
            }
        }
        #expect(outcomes.read > 0 && outcomes.refused > 0 && outcomes.problems > 0, "\(outcomes), \(TestSeed.text)")
    }

    /// Truncates the file or changes numbers in it, most of them in its tables, at the end.
    private static func mutate(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        if generator.oneIn(10) { return Array(bytes.prefix(generator.below(bytes.count))) }
        var bytes = bytes
        for _ in 0...generator.below(6) {
            let begin = generator.oneIn(3) ? generator.below(bytes.count) : bytes.count - 1 - generator.below(1_400)
            let number = generator.pick([0, 1, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0xFFFF_FFFF, bytes.count])
            switch generator.below(4) {
            case 0: bytes[begin] = UInt8(truncatingIfNeeded: generator.next())
            case 1: bytes[begin] ^= 1 << UInt8(generator.below(8))
            case 2: for i in 0..<min(2, bytes.count - begin) { bytes[begin + i] = UInt8(number >> (8 * i) & 0xFF) }
            default: for i in 0..<min(4, bytes.count - begin) { bytes[begin + i] = UInt8(number >> (8 * i) & 0xFF) }
            }
        }
        return bytes
    }

    @Test("what many chunks or records claim is read once, and not once for each of them")
    func hostile() throws {
        let chunk = SoundFontWriter.chunk("pdta", [])
        let many = SoundFontWriter.chunk("RIFF", Array("sfbk".utf8) + (0..<100_000).flatMap { _ in chunk })
        #expect(throws: SoundFontError.self) { try SoundFont(data: many) }
        // Presets that all claim the same zones: each zone belongs to one preset at most.
        var writer = SoundFontWriter()
        writer.presets[0].zones = Array(repeating: .init(), count: 200)
        writer.presets += (0..<5_000).map { .init(name: "\($0)", program: $0 % 128, zones: []) }
        var bytes = writer.bytes()
        let name = Array("phdr".utf8)
        let table = try #require(bytes.indices.first { bytes[$0...].starts(with: name) }) + 8
        for preset in 0..<5_000 {
            bytes[table + 38 * preset + 24] = preset % 2 == 0 ? 0 : 200
        }
        let font = try SoundFont(data: bytes)
        #expect(font.problems.count == 1)
        #expect(try font.load(font.presets).zones.count == 200)
    }

    @Test("samples that all claim the same compressed bytes are read a few times, and not once each")
    func overlappingSamples() throws {
        var writer = SoundFontWriter()
        writer.samples = [.init(compressed: Array(repeating: 1, count: 908), kind: 0x11)]
        writer.samples += (1..<300).map { .init(name: "\($0)", frames: [], claimed: 0..<908, kind: 0x11) }
        writer.samples.append(.init())
        writer.instruments[0].zones = (0..<301).map { .init(target: $0) }
        let font = try SoundFont(data: writer.bytes())
        let problems = try font.load(font.presets).problems
        #expect(problems.count == 300)
        let overlapping = problems.count { "\($0)".contains("overlaps many others") }
        // The chunk also has the zeros after each sample, and one sample that is not compressed.
        let bytes = 300 * 92 + 908 + 2_092
        #expect(overlapping == 300 - 4 * bytes / 908)
    }
}
