import AudioDecoding
import AudioRendering
import Foundation
import TestRandom
import TestSupport

/// Makes media files with the program `ffmpeg`, and decodes them with it, in a folder that is
/// removed at the end.
final class MediaLab: Sendable {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    func path(_ name: String) -> String { folder.file(name) }

    /// Runs `ffmpeg`, or another program. Throws with what it printed if it fails.
    func run(program: String = "ffmpeg", _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let standard = program == "ffmpeg" ? ["-nostdin", "-hide_banner", "-loglevel", "error", "-y"] : []
        process.arguments = [program] + standard + arguments
        let log = path("log-\(UUID().uuidString)")
        guard FileManager.default.createFile(atPath: log, contents: nil) else { throw TestFailure("no file '\(log)'") }
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            throw TestFailure("\(program) \(arguments.joined(separator: " ")) failed: \(text)")
        }
    }

    /// Encodes samples to a file; its extension selects the container.
    func encode(
        _ samples: [Float], channels: Int, sampleRate: Int, options: [String], to name: String
    ) throws -> String {
        let raw = path(name + ".input")
        try samples.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: raw))
        defer { try? FileManager.default.removeItem(atPath: raw) }
        let layouts = [1: "mono", 2: "stereo", 6: "5.1", 8: "7.1"]
        let input = [
            "-f", "f32le", "-ar", "\(sampleRate)", "-channel_layout", layouts[channels] ?? "stereo", "-i", raw,
        ]
        try run(["-bitexact"] + input + options + ["-bitexact", path(name)])
        return path(name)
    }

    /// Decodes a file by the program `ffmpeg`.
    func decode(_ path: String, track: Int = 0) throws -> [Float] {
        let raw = path + ".output"
        try run(["-i", path, "-map", "0:a:\(track)", "-c:a", "pcm_f32le", "-f", "f32le", raw])
        defer { try? FileManager.default.removeItem(atPath: raw) }
        return Self.floats(try Data(contentsOf: URL(fileURLWithPath: raw)))
    }

    private static func floats(_ data: Data) -> [Float] {
        [Float](unsafeUninitializedCapacity: data.count / 4) { buffer, count in
            count = data.copyBytes(to: buffer) / 4
        }
    }

    /// Returns interleaved frames in which each channel has a tone and noise, as multiples of
    /// 2^(1 − bits). The channels differ by their place in the tone.
    static func signal(frames: Int, channels: Int, bits: Int = 16) -> [Float] {
        [Float](unsafeUninitializedCapacity: frames * channels) { samples, count in
            tone.withUnsafeBufferPointer { tone in
                let scale = Float(1 << (bits - 1))
                var source = 0
                // Loops over ranges would take most of the tests' time, without optimization.
                var channel = 0
                while channel < channels {
                    source = channel * 7_919
                    var index = channel
                    while index < frames * channels {
                        samples[index] = Float(tone[source & 0xFFFF] >> (24 - bits)) / scale
                        source += 1
                        index += channels
                    }
                    channel += 1
                }
            }
            count = frames * channels
        }
    }

    /// 65,536 samples of 24 bits.
    private static let tone: [Int] = {
        var generator = SeededGenerator(seed: 65_536)
        return (0..<65_536).map { index in
            let noise = Float(generator.next() & 0xFFFF) / 65_536 - 0.5
            let value = 0.5 * sin(2 * .pi * 400 * Float(index) / 65_536) + 0.02 * noise
            return Int((value * 0x1p23).rounded())
        }
    }()
}

extension AudioReader {
    /// Reads up to `frames` frames, in blocks of a size.
    func readAll(_ frames: Int = .max, block: Int = 3_001) -> [Float] {
        var result: [Float] = []
        var buffer: [Float] = []
        while result.count < frames.multipliedReportingOverflow(by: channels).partialValue || frames == .max {
            let wanted = frames == .max ? block : min(block, frames - result.count / channels)
            let count = read(into: &buffer, maximumFrames: wanted)
            guard count > 0 else { break }
            result += buffer[..<(count * channels)]
        }
        return result
    }
}

/// Describes how two signals differ, in length or in a sample; nil if they are the same.
func inequality(_ a: [Float], _ b: ArraySlice<Float>) -> String? {
    guard a.count == b.count else { return "\(a.count) samples, not \(b.count)" }
    return difference(a[...], b)
}

/// Describes the greatest difference of the common part of two signals if it is greater than
/// `tolerance`; nil otherwise.
func difference(_ a: ArraySlice<Float>, _ b: ArraySlice<Float>, tolerance: Float = 0) -> String? {
    let count = min(a.count, b.count)
    return a.withUnsafeBufferPointer { first in
        b.withUnsafeBufferPointer { second -> String? in
            guard let first = first.baseAddress, let second = second.baseAddress else { return nil }
            if memcmp(first, second, count * MemoryLayout<Float>.size) == 0 { return nil }
            var (index, greatest, place) = (0, Float(0), 0)
            while index < count {
                let distance = abs(first[index] - second[index])
                if !(distance <= greatest) { (greatest, place) = (distance, index) }
                index += 1
            }
            return greatest <= tolerance ? nil : "sample \(place) of \(count) differs by \(greatest)"
        }
    }
}
