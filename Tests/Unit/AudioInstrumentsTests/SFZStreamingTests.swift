import AudioInstruments
import AudioRendering
import Foundation
import TestSupport
import Testing

/// The sounds of SFZ files that are streamed.
@Suite struct SFZStreamingTests {
    private let folder: SFZTestFolder

    init() throws { folder = try SFZTestFolder() }

    /// Writes noise at 44.1 kHz.
    private func write(_ name: String, frames: Int = 132_300, channels: Int = 2) throws {
        let writer = try AudioFileWriter(path: folder.path + "/" + name, channels: channels, sampleRate: 44_100)
        try writer.write(InstrumentStage.noise(channels * frames).map { Float($0) / 32_768 }, frameCount: frames)
        #expect(writer.close() == nil)
    }

    @Test("streamed sounds are heard as those in memory, bit for bit: offsets, ends, loops, formats")
    func playing() throws {
        for name in ["a.wav", "a.flac", "a.aiff"] { try write(name) }
        try folder.writeSound("looped.wav", frames: 60_000, loop: 20_000...50_000)
        let file = try folder.read(
            """
            <global> ampeg_release=1
            <region> sample=a.wav key=60
            <region> sample=a.wav key=61 offset=30000 transpose=5
            <region> sample=a.wav key=62 loop_mode=loop_sustain loop_start=40000 loop_end=90000 loop_crossfade=0.05
            <region> sample=a.wav key=63 offset=5000 end=100000 loop_mode=one_shot
            <region> sample=a.wav key=64 offset=20000 end=70000 loop_mode=loop_continuous loop_start=10000
            <region> sample=a.flac key=65 end=120000 cutoff=2000 <region> sample=a.flac key=65 tune=7
            <region> sample=a.aiff key=66 <region> sample=looped.wav key=67
            """)
        let (memory, streamed) = (try file.load(), try file.load(head: 0.1))
        #expect(streamed.zones.allSatisfy { $0.streamed != nil } && streamed.problems.isEmpty)
        #expect(memory.zones.allSatisfy { $0.sound is AudioBuffer })
        #expect(streamed.zones.map(\.startFrame) == memory.zones.map(\.startFrame))
        #expect(streamed.zones.map(\.loop) == memory.zones.map(\.loop))
        #expect(streamed.zones.map(\.sound.frameCount) == memory.zones.map(\.sound.frameCount))
        try InstrumentStage.compare(
            (memory.zones, memory.configuration), (streamed.zones, streamed.configuration), keys: 60...67)
        #expect(streamed.zones.allSatisfy { $0.streamed?.failure == nil })
    }

    @Test("regions share a sound, whose head reaches beyond the offsets of all that are played; the limit counts heads")
    func heads() throws {
        try write("a.wav")
        let file = try folder.read(
            """
            <region> sample=a.wav <region> sample=a.wav offset=10000 <region> sample=a.wav offset=132300
            <region> sample=a.wav offset=1000 end=99999 <region> sample=a.wav offset=1000 end=99999
            """)
        let bytes = 8 * (10_000 + 4_410 + 4_410)
        let loaded = try file.load(memoryLimit: bytes, head: 0.1)
        let heads = loaded.zones.map(\.sound.preloaded.frameCount)
        #expect(heads == [14_410, 14_410, 4_410, 4_410] && loaded.problems.count == 1)
        #expect(loaded.zones[0].sound === loaded.zones[1].sound && loaded.zones[2].sound === loaded.zones[3].sound)
        for limit in [bytes - 1, 0, Int.min] {
            #expect(throws: SFZFileError.self) { try file.load(memoryLimit: limit, head: 0.1) }
        }
        #expect(throws: SFZFileError.self) { try file.load(memoryLimit: 8 * 132_300) }
    }

    @Test("short sounds, late offsets, other formats and many channels are in memory, as without a head")
    func inMemory() throws {
        try write("twice.wav", frames: 8_820)
        try write("longer.wav", frames: 8_821)
        try write("late.wav")
        try write("many.wav", frames: 20_000, channels: 9)
        try write("a.ogg")
        func isStreamed(_ opcodes: String) throws -> Bool {
            try #require(try folder.read("<region> \(opcodes)").load(head: 0.1).zones.first).streamed != nil
        }
        #expect(try !isStreamed("sample=twice.wav") && isStreamed("sample=longer.wav"))
        #expect(try isStreamed("sample=late.wav offset=61739") && !isStreamed("sample=late.wav offset=61740"))
        #expect(try !isStreamed("sample=late.wav offset=50000 end=58819"))
        #expect(try isStreamed("sample=late.wav offset=50000 end=58820"))
        #expect(try !isStreamed("sample=many.wav") && !isStreamed("sample=a.ogg"))
    }

    @Test("sounds that cannot be read are the same problems, streamed or not")
    func problems() throws {
        try write("a.wav")
        try folder.write("no sound", to: "text.wav")
        let content = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/a.wav"))
        try folder.write(Array(content.prefix(300_000)), to: "truncated.wav")
        let file = try folder.read(
            """
            <region> sample=none.wav
            <region> sample=text.wav
            <region> sample=truncated.wav
            <region> sample=truncated.wav end=50000
            <region> sample=a.wav offset=132300
            <region> sample=a.wav
            """)
        let (memory, streamed) = (try file.load(), try file.load(head: 0.1))
        #expect(streamed.problems == memory.problems && memory.problems.count == 4, "\(streamed.problems)")
        #expect(streamed.zones.count == 1)
        for head in [0, -1, 61, .infinity] {
            let error = #expect(throws: SFZFileError.self) { try file.load(head: head) }
            #expect(error?.cause == .invalidHead(head))
        }
        #expect(throws: SFZFileError.self) { try file.load(head: .nan) }
    }

    @Test("a note of a file that is deleted, truncated or replaced after the load ends with the head, and says why")
    func damage() throws {
        for name in ["deleted.wav", "truncated.wav", "replaced.wav"] { try write(name) }
        let file = try folder.read(
            """
            <region> sample=deleted.wav key=60 <region> sample=truncated.wav key=61
            <region> sample=replaced.wav key=62
            """)
        let loaded = try file.load(head: 0.1)
        try FileManager.default.removeItem(atPath: folder.path + "/deleted.wav")
        let handle = try #require(FileHandle(forUpdatingAtPath: folder.path + "/truncated.wav"))
        try handle.truncate(atOffset: 10_000)
        try handle.close()
        try write("replaced.wav", channels: 1)
        // 4,410 frames at 48 kHz, from frame 1,000 on.
        let end = 5_900
        for key: UInt8 in 60...62 {
            let output = try InstrumentStage.play(
                loaded.zones, loaded.configuration, keys: key...key, misses: true)[0]
            #expect(Signal.peak(Array(output[1_000..<end - 600])) > 0.02 && Signal.peak(Array(output[end...])) == 0)
        }
        let failures = loaded.zones.map { $0.streamed?.failure ?? "" }
        #expect(!failures.contains(""), "\(failures)")
    }
}
