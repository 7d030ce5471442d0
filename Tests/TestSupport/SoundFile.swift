import AudioRendering

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
}
