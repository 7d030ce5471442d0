internal import AudioRendering

extension SoundFont {
    /// Frames of 16 or 24 bits in a SoundFont.
    struct Frames: Sendable {
        let bytes: SoundFontBytes
        /// Bytes of the file: two for each frame, and a low one for each frame of 24 bits.
        let high: Range<Int>
        let low: Range<Int>?

        var count: Int { high.count / 2 }

        /// Reads frames of the range `0..<count`; fewer if the file has become shorter.
        func read(_ frames: Range<Int>) throws(RegularFile.Failure) -> [Float] {
            let begin = high.lowerBound + 2 * frames.lowerBound
            let high = try bytes.read(begin..<begin + 2 * frames.count)
            var low: [UInt8]?
            if let range = self.low {
                let begin = range.lowerBound + frames.lowerBound
                low = try bytes.read(begin..<begin + frames.count)
            }
            let available = min(high.count / 2, low?.count ?? .max)
            return [Float](unsafeUninitializedCapacity: available) { samples, count in
                for frame in 0..<available {
                    let sample = Int32(Int16(bitPattern: UInt16(littleEndian: high, at: 2 * frame))) << 8
                    samples.initializeElement(at: frame, to: Float(sample | Int32(low?[frame] ?? 0)) / 8_388_608)
                }
                count = available
            }
        }
    }

    /// Reads the frames of one sample, which keep the file open.
    final class FrameReader: AudioReader {
        let channels = 1
        let sampleRate: Int
        var frameCount: Int64 { Int64(frames.count) }
        private(set) var defect: AudioFileError?
        private let frames: Frames
        /// For errors.
        private let name: String
        private var position = 0

        init(_ frames: Frames, sampleRate: Int, name: String) {
            (self.frames, self.sampleRate, self.name) = (frames, sampleRate, name)
        }

        func read(into block: inout [Float], maximumFrames: Int) -> Int {
            let range = position..<min(position + maximumFrames, frames.count)
            do throws(RegularFile.Failure) {
                let samples = try frames.read(range)
                block.replaceSubrange(0..<min(samples.count, block.count), with: samples)
                position += samples.count
                if samples.count < range.count {
                    defect = .truncated(path: name, frames: Int64(position), expected: frameCount)
                }
                return samples.count
            } catch {
                defect = .undecodable(path: name, reason: error.reason)
                return 0
            }
        }

        func seek(toFrame frame: Int64) -> Int64 {
            position = Int(min(max(frame, 0), frameCount))
            return Int64(position)
        }
    }
}
