import AudioRendering
import Foundation

/// Sound files, written and read whole.
public enum SoundFile {
    /// Writes planar samples; the format follows the extension.
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

    /// The samples of a WAV file of 32-bit floats, as its bytes say: no reader of ours in between that would silence what is wrong.
    /// Of whole frames of so many channels, the last ones, at most so many.
    public static func readRaw(_ path: String, channels: Int = 1, last frames: Int = .max) throws -> [Float] {
        // Not mapped: a recording that begins anew meanwhile would end the test by SIGBUS.
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
        return stride(from: samples.startIndex, to: samples.endIndex - 3, by: 4).map { place in
            let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(samples[place + $1]) << (8 * $1) }
            return Float(bitPattern: bits)
        }
    }
}
