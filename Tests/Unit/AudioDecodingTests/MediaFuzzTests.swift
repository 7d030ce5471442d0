import AudioDecoding
import AudioRendering
import Foundation
import TestRandom
import TestSupport
import Testing

/// Files with random damage: each ends with an error or at an end, soon.
@Suite struct MediaFuzzTests {
    private static let formats: [(name: String, options: String)] = [
        ("a.m4a", "-c:a aac"), ("a.mp4", "-c:a alac -movflags +faststart"), ("a.mka", "-c:a libopus"),
        ("a.webm", "-c:a libvorbis"),
        ("a.aac", "-c:a aac"), ("a.mp3", "-c:a libmp3lame"), ("a.wma", "-c:a wmav2"), ("a.ac3", "-c:a ac3"),
        ("a.flac", "-c:a flac"), ("a.ogg", "-c:a libvorbis"), ("a.wv", "-c:a wavpack"), ("a.tta", "-c:a tta"),
        ("a.aiff", "-c:a pcm_s16be"), ("a.caf", "-c:a alac"), ("a.avi", "-c:a adpcm_ms"), ("a.ts", "-c:a mp2"),
        ("a.dts", "-c:a dca -strict -2"), ("a.wav", "-c:a adpcm_ima_wav"), ("a.flv", "-c:a aac"), ("a.nut", "-c:a ac3"),
    ]

    @Test("no damaged file crashes, hangs or returns without end", arguments: 0..<20)
    func damage(_ number: Int) throws {
        let lab = try MediaLab()
        let format = Self.formats[number]
        let samples = MediaLab.signal(frames: 6_000, channels: 2)
        let options = format.options.split(separator: " ").map(String.init)
        let path = try lab.encode(samples, channels: 2, sampleRate: 48_000, options: options, to: format.name)
        let intact = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var generator = SeededGenerator(seed: TestSeed.ofCase(UInt64(number)))
        var outcomes = (opened: 0, refused: 0)
        let clock = ContinuousClock()
        for mutant in 0..<150 {
            let bytes = mutant == 0 ? intact : Self.mutate(intact, &generator)
            let begin = clock.now
            if try play(bytes, name: format.name, &generator) { outcomes.opened += 1 } else { outcomes.refused += 1 }
            #expect(clock.now - begin < .seconds(5), "file \(mutant) of \(format.name), \(TestSeed.text)")
        }
        #expect(outcomes.opened > 0, "\(TestSeed.text)")
    }

    /// Opens, reads and seeks; returns false if the file was refused.
    private func play(_ bytes: [UInt8], name: String, _ generator: inout SeededGenerator) throws -> Bool {
        let file: MediaFile
        do { file = try MediaFile(data: bytes, name: name) } catch {
            #expect(!"\(error)".isEmpty)
            return false
        }
        #expect((1...64).contains(file.channels))
        #expect((1_000...768_000).contains(file.sampleRate))
        let first = file.readAll(9_000).count / file.channels
        #expect(first <= 9_000)
        let target = Int64(generator.below(8_000))
        let position = file.seek(toFrame: target)
        #expect(position >= 0 && position <= target)
        let rest = file.readAll(2_000)
        #expect(rest.allSatisfy { $0.isFinite })
        return true
    }

    private static func mutate(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        // Most of the structure is at the beginning and at the end.
        func place() -> Int {
            let near = min(300, bytes.count)
            return switch generator.below(3) {
            case 0: generator.below(near)
            case 1: bytes.count - 1 - generator.below(near)
            default: generator.below(bytes.count)
            }
        }
        for _ in 0...generator.below(6) {
            guard bytes.count > 16 else { break }
            let begin = place()
            let count = min(1 + generator.below(40), bytes.count - begin)
            switch generator.below(7) {
            case 0: bytes.removeSubrange(begin..<(begin + count))
            case 1: bytes.insert(contentsOf: bytes[begin..<(begin + count)], at: generator.below(bytes.count))
            case 2: bytes.removeLast(generator.below(bytes.count / 2))
            case 3: for index in begin..<min(begin + 4, bytes.count) { bytes[index] = 0xFF }
            case 4: for index in begin..<min(begin + 4, bytes.count) { bytes[index] = 0 }
            default: bytes[begin] = UInt8(truncatingIfNeeded: generator.next())
            }
        }
        return bytes
    }
}
