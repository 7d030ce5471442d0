import AudioInstruments
import AudioRendering
import Glibc
import TestRandom
import TestSupport
import Testing

/// SFZ texts with random damage, and texts that would take more time or memory than they have
/// bytes.
@Suite struct SFZFuzzTests {
    /// A text that uses everything that the reader knows.
    private static let text = """
        // A set.
        #define $KEY 60 #define $EXT wav
        <control> default_path=Samples\\ note_offset=-1 octave_offset=1 set_cc7=100 label_cc1=Mix
        <global> ampeg_release=0.3 amp_veltrack=80 bend_up=700 bend_down=-700
        <master> volume=-3.5 sw_default=c3
        <group> key=$KEY group=1 off_by=1 off_mode=normal seq_length=2 /* of two */
        <region> sample=one.$EXT seq_position=1 loop_mode=loop_sustain loop_start=10 loop_end=90
        <region> sample=two three.$EXT seq_position=2 lovel=64 trigger=release offset=5 end=80
        <region> sample=*sine sw_last=c#3 locc64=64 hicc64=127 cutoff=440
        #include "other.sfz"
        <curve> v000=0
        <group> cutoff=800 fil_type=lpf_4p resonance=6 fil_veltrack=2400 cutoff_oncc74=4800 cutoff_curvecc74=1
        fileg_depth=1200 fileg_attack=0.1 fileg_sustain=20 amp_veltrack_oncc99=100 amplitude_oncc7=100 offset_cc9=70
        <region>sample=one.wav lorand=0.5 tune=-10 transpose=12 pan=-30 phase=invert pitch_keycenter=db4
        <region>sample=looped.wav hirand=0.5 pitch_keycenter=sample loop_crossfade=0.001 off_time=0.2 end=70 offset=3
        <control>set_cc9=3 set_hdcc8=0.5 <region>sample=looped.wav locc9=2 hihdcc8=0.6 count=1 trigger=first

        """

    private let folder: SFZTestFolder

    init() throws {
        folder = try SFZTestFolder()
        for name in ["one.wav", "two three.wav"] { try folder.writeSound("Samples/" + name, frames: 100) }
        try folder.writeSound("looped.wav", frames: 100, loop: 20...80)
        try folder.write("<region> sample=one.wav key=$KEY volume=3\n", to: "other.sfz")
    }

    @Test("no damaged text crashes or hangs; what is read has zones that instruments accept", arguments: 0..<4)
    func damage(_ number: Int) throws {
        var generator = SeededGenerator(seed: TestSeed.ofCase(UInt64(number)))
        let engine = try AudioEngine(driver: OfflineDriver())
        let gate = try TestGate()
        let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        var outcomes = (read: 0, refused: 0)
        for step in 0..<TestLength.times(200, long: 10_000) {
            let bytes = Self.mutate(Array(Self.text.utf8), &generator)
            do {
                let file = try SFZFile(data: bytes, folder: AudioFilePath(folder.path))
                let loaded = try file.load(head: step.isMultiple(of: 2) ? nil : 0.01)
                let last = bytes.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } + 1
                #expect(loaded.problems.allSatisfy { (1...last).contains($0.line) && !"\($0)".isEmpty })
                _ = try engine.makeInstrument(loaded.zones, on: bus, configuration: loaded.configuration)
                outcomes.read += 1
            } catch let error as SFZFileError {
                #expect(!"\(error)".isEmpty)
                outcomes.refused += 1
            } catch {
                Issue.record("\(error) for \(String(decoding: bytes, as: UTF8.self)), \(TestSeed.text)")
            }
        }
        #expect(outcomes.read > 0 && outcomes.refused > 0, "\(outcomes), \(TestSeed.text)")
    }

    private static func mutate(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0...generator.below(8) where bytes.count > 8 {
            let begin = generator.below(bytes.count)
            let count = min(1 + generator.below(20), bytes.count - begin)
            let words = [
                "<region>", "=", "$", "\"", "/*", "//", "#define ", "-99999999999", "1e400", "1e-20", "nan", "sample=",
                "\r",
            ]
            switch generator.below(6) {
            case 0: bytes.removeSubrange(begin..<(begin + count))
            case 1: bytes.insert(contentsOf: bytes[begin..<(begin + count)], at: generator.below(bytes.count))
            case 2: bytes.insert(contentsOf: generator.pick(words).utf8, at: begin)
            case 3: bytes[begin] = UInt8(truncatingIfNeeded: generator.next())
            case 4: bytes.replaceSubrange(begin..<(begin + count), with: "\(Int64(bitPattern: generator.next()))".utf8)
            default: bytes[begin] = UInt8(ascii: "0") + UInt8(generator.below(10))
            }
        }
        return bytes
    }

    /// Texts in which every part makes the reader work; $N is the number of the part.
    @Test(
        "hostile texts take time in proportion to their bytes",
        arguments: [
            "<region>", "<region>sample=*", "<region>sample=a key=1", "<region>sample=a locc$N=1 ", "<", "<a>", "=",
            "a=",
            "a=b ", "/*", "/**/", "//", "//\n", "\n", "$", "a=$A", "#define $A$N $A ", "#define $A $A$A\n",
            "#include \"none.sfz\" ", "<group>locc$N=0<region>sample=a\n", "\"", "-", "a=-1e99 ", "a= <b> ",
            "<region>x$Nx=1 ", "<region>sample=x/../x/../Y$N\n", "<region>sample=a hirand=0.01 ",
        ])
    func hostile(_ part: String) throws {
        func time(_ byteCount: Int) throws -> Double {
            var text = "#define $A a\n<region> sample=a locc1=0 "
            var number = 0
            while text.utf8.count < byteCount {
                text += part.replacing("$N", with: "\(number)")
                number += 1
            }
            let begin = Self.processorTime
            let file = try? SFZFile(data: Array(text.utf8), folder: AudioFilePath(folder.path))
            #expect((file?.problems.count ?? 0) <= 1_000)
            #expect((file?.regionCount ?? 0) <= SFZFile.maximumRegionCount)
            if let file { #expect(throws: SFZFileError.self, "no sound exists") { try file.load() } }
            return Self.processorTime - begin
        }
        let (short, long) = (try time(10_000), try time(160_000))
        // A quadratic reader would need 256 times as long.
        #expect(long < 64 * short + 0.1, "\(short) s, then \(long) s")
    }

    /// The time that this thread has used a processor, in seconds.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test("a file that includes itself is read until the limit of bytes")
    func recursion() throws {
        let text = String(repeating: "#include \"self.sfz\"\n", count: 15_000)
        try folder.write(text, to: "self.sfz")
        #expect(throws: SFZFileError.self) { try SFZFile(path: folder.path + "/self.sfz") }
    }
}
