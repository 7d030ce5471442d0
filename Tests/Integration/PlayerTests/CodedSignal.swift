import AudioRendering
import Foundation
import TestSupport

/// A signal of which each sample states its channel and its frame, exactly. It repeats after
/// `length` frames.
struct CodedSignal {
    let channels: Int
    let length: Int

    /// Frames of the fade with which an input starts, and of a gate that closes.
    static func fade(_ sampleRate: Int) -> Int { sampleRate / 200 }

    private func sample(_ frame: Int, _ channel: Int) -> Float {
        Float(frame * channels + channel + 1) / 16_777_216
    }

    /// Writes the signal to a WAV file.
    func write(to path: String, sampleRate: Int) throws {
        let writer = try AudioFileWriter(path: path, channels: channels, sampleRate: sampleRate)
        for frame in stride(from: 0, to: length, by: 8_192) {
            let frames = frame..<min(frame + 8_192, length)
            try writer.write(
                frames.flatMap { frame in (0..<channels).map { sample(frame, $0) } }, frameCount: frames.count)
        }
        writer.close()
    }

    /// A part of a file in which each sample of each channel continues the signal.
    struct Run: Equatable {
        /// Its first frame in the file, and its frames.
        var begin: Int
        var frames: Int
    }

    /// Returns the number of frames of a file, and its runs in order, without those shorter than
    /// `minimum`. Reads the file in blocks. A run continues after the given gaps, in which the file
    /// must be silent.
    func runs(in path: String, minimum: Int = 2, gaps: [Range<Int>] = []) throws -> (frames: Int, runs: [Run]) {
        let file = try AudioFile(path: path)
        guard file.channels == channels else { throw TestFailure("'\(path)' has \(file.channels) channels.") }
        var block: [Float] = []
        var (position, current, expected) = (0, Run(begin: 0, frames: 0), -1)
        var runs: [Run] = []
        func end() {
            if current.frames >= minimum { runs.append(current) }
        }
        while true {
            let count = file.read(into: &block, maximumFrames: 65_536)
            guard count > 0 else { break }
            block.withUnsafeBufferPointer { samples in
                for frame in 0..<count {
                    if gaps.contains(where: { $0.contains(position + frame) }), samples[frame * channels] == 0 {
                        current.frames += expected >= 0 ? 1 : 0
                        continue
                    }
                    let number = Int(samples[frame * channels] * 16_777_216) - 1
                    let isCoded = number >= 0 && number % channels == 0 && isFrame(samples, frame, number)
                    if isCoded, number == expected {
                        current.frames += 1
                    } else {
                        end()
                        current = Run(begin: position + frame, frames: isCoded ? 1 : 0)
                    }
                    expected = isCoded ? (number + channels) % (length * channels) : -1
                }
            }
            position += count
        }
        end()
        return (position, runs)
    }

    @inline(__always)
    private func isFrame(_ samples: UnsafeBufferPointer<Float>, _ frame: Int, _ number: Int) -> Bool {
        var channel = 0
        while channel < channels {
            guard samples[frame * channels + channel] == Float(number + channel + 1) / 16_777_216 else { return false }
            channel += 1
        }
        return true
    }
}
