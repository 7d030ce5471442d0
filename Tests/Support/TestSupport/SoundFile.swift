import AudioRendering
import Foundation

/// Writes and reads complete sound files.
public enum SoundFile {
    /// Writes planar samples. The extension selects the format.
    public static func write(_ planes: [[Float]], sampleRate: Int, to path: String) throws {
        let writer = try AudioFileWriter(path: path, channels: planes.count, sampleRate: sampleRate)
        let frames = planes.first?.count ?? 0
        var interleaved = [Float](repeating: 0, count: frames * planes.count)
        for (channel, plane) in planes.enumerated() {
            for frame in 0..<frames { interleaved[frame * planes.count + channel] = plane[frame] }
        }
        try writer.write(interleaved, frameCount: frames)
        writer.close()
    }

    /// Reads a whole file as planar samples.
    public static func read(_ path: String) throws -> (planes: [[Float]], sampleRate: Int) {
        let file = try AudioFile(path: path)
        var planes = [[Float]](repeating: [], count: file.channels)
        var block: [Float] = []
        while true {
            let count = file.read(into: &block, maximumFrames: 4096)
            guard count > 0 else { return (planes, file.sampleRate) }
            for channel in 0..<file.channels {
                planes[channel] += (0..<count).map { block[$0 * file.channels + channel] }
            }
        }
    }

    /// Returns the samples of a WAV file of 32-bit floats directly from its bytes, without the
    /// library's reader, which replaces invalid samples by silence. Reads whole frames of
    /// `channels` channels, at most the last `frames` of them.
    public static func readRaw(_ path: String, channels: Int = 1, last frames: Int = .max) throws -> [Float] {
        // Not mapped: a recording that restarts meanwhile would end the test with SIGBUS.
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        let header = try file.read(upToCount: 4096) ?? Data()
        guard let marker = header.range(of: Data("data".utf8)) else { throw TestFailure("'\(path)' has no data.") }
        let begin = marker.upperBound + 4
        let size = 4 * channels
        let whole = max(0, Int(try file.seekToEnd()) - begin) / size
        let count = min(whole, frames)
        try file.seek(toOffset: UInt64(begin + size * (whole - count)))
        let samples = try file.read(upToCount: size * count) ?? Data()
        return stride(from: samples.startIndex, to: samples.endIndex - 3, by: 4).map { index in
            let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(samples[index + $1]) << (8 * $1) }
            return Float(bitPattern: bits)
        }
    }
}
