import AudioDecoding
import AudioRendering
import Foundation
import TestRandom
import TestSupport

/// Makes media files with the program `ffmpeg`, and decodes them with it, in a folder that is removed
/// at the end.
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
        let input = ["-f", "f32le", "-ar", "\(sampleRate)", "-channel_layout", layouts[channels] ?? "stereo", "-i", raw]
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

    /// Returns interleaved frames in which each channel has tones and noise of its own, as multiples
    /// of 2^(1 − bits).
    static func signal(frames: Int, channels: Int, sampleRate: Int, bits: Int = 16) -> [Float] {
        var generator = SeededGenerator(seed: UInt64(frames * 64 + channels))
        var samples = [Float](repeating: 0, count: frames * channels)
        let scale = Float(1 << (bits - 1))
        var phases = [Float](repeating: 0, count: channels)
        samples.withUnsafeMutableBufferPointer { samples in
            for frame in 0..<frames {
                for channel in 0..<channels {
                    phases[channel] += 2 * .pi * (220 + 110 * Float(channel)) / Float(sampleRate)
                    if phases[channel] > 2 * .pi { phases[channel] -= 2 * .pi }
                    let noise = Float(generator.next() & 0xFFFF) / 65_536 - 0.5
                    let value = 0.5 * sin(phases[channel]) + 0.02 * noise
                    samples[frame * channels + channel] = (value * scale).rounded() / scale
                }
            }
        }
        return samples
    }
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

/// Describes the first difference of the common part of two signals that is greater than
/// `tolerance`; nil if there is none.
func difference(_ a: ArraySlice<Float>, _ b: ArraySlice<Float>, tolerance: Float = 0) -> String? {
    let count = min(a.count, b.count)
    let (first, second) = (a.prefix(count), b.prefix(count))
    if first == second { return nil }
    var greatest: (Int, Float) = (0, 0)
    first.withUnsafeBufferPointer { first in
        second.withUnsafeBufferPointer { second in
            for index in 0..<count where abs(first[index] - second[index]) > greatest.1 {
                greatest = (index, abs(first[index] - second[index]))
            }
        }
    }
    return greatest.1 > tolerance ? "sample \(greatest.0) of \(count) differs by \(greatest.1)" : nil
}
