import AudioInstruments
import AudioRendering
import Foundation
import TestSupport
import Testing

/// The samples of SoundFonts that are streamed.
@Suite struct SoundFontStreamingTests {
    private let folder: SFZTestFolder
    private var path: String { folder.path + "/bank.sf2" }

    init() throws { folder = try SFZTestFolder() }

    /// Two samples of noise, and zones on keys from 60 on.
    private func writer(bits: Int = 16) -> SoundFontWriter {
        var writer = SoundFontWriter()
        let noise = InstrumentStage.noise(80_000)
        writer.samples = [
            .init(frames: noise, rate: 44_100, loop: 30_000..<70_000),
            .init(frames: noise.reversed(), loop: 20_000..<60_000),
        ]
        let zones: [[(SoundFontWriter.Generator, Int)]] = [
            [], [(.startAddrsOffset, 20_000)], [(.endAddrsOffset, -10_000), (.coarseTune, 7)], [(.sampleModes, 1)],
            [(.sampleModes, 3), (.startAddrsOffset, 500)],
        ]
        writer.instruments[0].zones = zones.enumerated().map { place, generators in
            .init(generators: [(.keyRange, (60 + place) * 257), (.releaseVolEnv, 0)] + generators)
        }
        writer.instruments[0].zones.append(.init(generators: [(.keyRange, 65 * 257), (.sampleModes, 1)], target: 1))
        writer.instruments[0].zones.append(.init(generators: [(.keyRange, 65 * 257), (.pan, 300)]))
        if bits == 24 { writer.lowBytes = (0..<160_092).map { UInt8(truncatingIfNeeded: $0 * 37) } }
        return writer
    }

    @Test("streamed samples are heard as those in memory, bit for bit, also of fonts in memory", arguments: [16, 24])
    func playing(bits: Int) throws {
        let bytes = writer(bits: bits).bytes()
        try folder.write(bytes, to: "bank.sf2")
        let memory = try SoundFont(path: path).load(bank: 0)
        for font in [try SoundFont(path: path), try SoundFont(data: bytes)] {
            let streamed = try font.load(bank: 0, head: 0.1)
            #expect(streamed.zones.allSatisfy { $0.streamed != nil } && streamed.problems.isEmpty)
            #expect(memory.zones.allSatisfy { $0.sound is AudioBuffer })
            #expect(streamed.zones.map(\.loop) == memory.zones.map(\.loop))
            #expect(streamed.zones.map(\.sound.frameCount) == memory.zones.map(\.sound.frameCount))
            try InstrumentStage.compare(
                (memory.zones, memory.configuration), (streamed.zones, streamed.configuration), keys: 60...65)
            #expect(streamed.zones.allSatisfy { $0.streamed?.failure == nil })
        }
    }

    @Test("zones share a sample, whose head reaches beyond the starts of those that are loaded; the limit counts heads")
    func heads() throws {
        var writer = writer()
        writer.samples.append(.init())
        writer.instruments.append(.init(zones: [.init(generators: [(.startAddrsOffset, 30_000)]), .init(target: 2)]))
        writer.presets.append(.init(name: "Later", program: 1, zones: [.init(target: 1)]))
        let font = try SoundFont(data: writer.bytes())
        // The first sample, the part of it that ends earlier, and the second sample.
        let bytes = 4 * (24_410 + 4_410 + 4_800)
        let loaded = try font.load([font.presets[0]], memoryLimit: bytes, head: 0.1)
        #expect(
            loaded.zones.map(\.sound.preloaded.frameCount) == [
                24_410, 24_410, 4_410, 24_410, 24_410, 4_800, 24_410,
            ])
        #expect(loaded.zones[0].sound === loaded.zones[1].sound && loaded.zones[0].sound === loaded.zones[6].sound)
        for limit in [bytes - 1, 0, Int.min] {
            #expect(throws: SoundFontError.self) {
                try font.load([font.presets[0]], memoryLimit: limit, head: 0.1)
            }
        }
        let all = try font.load(bank: 0, head: 0.1)
        #expect(all.zones.map(\.sound.preloaded.frameCount).suffix(2) == [34_410, 1_000], "a short one is in memory")
        for head in [0, -1, 61, .infinity] {
            let error = #expect(throws: SoundFontError.self) { try font.load(bank: 0, head: head) }
            #expect(error?.cause == .invalidHead(head))
        }
    }

    @Test("a file that is deleted stays open; a note of one that is truncated ends with the head, and says why")
    func damage() throws {
        try folder.write(writer(bits: 24).bytes(), to: "bank.sf2")
        let expected = try SoundFont(path: path).load(bank: 0)
        // Without the value that opened it.
        let loaded = try SoundFont(path: path).load(bank: 0, head: 0.1)
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        try FileManager.default.removeItem(atPath: path)
        try InstrumentStage.compare(
            (expected.zones, expected.configuration), (loaded.zones, loaded.configuration), keys: 60...60)
        #expect(loaded.zones[0].streamed?.failure == nil)
        try handle.truncate(atOffset: 100)
        let output = try InstrumentStage.play(
            loaded.zones, loaded.configuration, keys: 60...60, misses: true)[0]
        // 24,410 frames at 48 kHz, from frame 1,000 on.
        let end = 27_700
        #expect(Signal.peak(Array(output[1_000..<end - 600])) > 0.02 && Signal.peak(Array(output[end...])) == 0)
        #expect(loaded.zones[0].streamed?.failure?.contains("truncated") == true)
    }

    @Test("a file that has become shorter before the load is the same problem, streamed or not")
    func shorter() throws {
        try folder.write(writer().bytes(), to: "bank.sf2")
        let font = try SoundFont(path: path)
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        // Within the second sample.
        try handle.truncate(atOffset: 200_000)
        try handle.close()
        let (memory, streamed) = (try font.load(bank: 0), try font.load(bank: 0, head: 0.1))
        #expect(streamed.problems == memory.problems && memory.problems.count == 1, "\(streamed.problems)")
        #expect(streamed.zones.count == 6 && memory.zones.count == 6)
    }
}
