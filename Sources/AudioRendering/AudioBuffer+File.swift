extension AudioBuffer {
    /// The most samples, over all channels, that a file may have to be read into memory: 1 GiB.
    private static let maximumSamples: Int64 = 1 << 28

    /// Reads a whole sound file into memory, with its sample rate: for sounds and instruments.
    /// (Play music from its file instead: `AudioStream`.) Throws an `AudioFileError` if the file
    /// cannot be read to its end, or an `AudioEngineError` if it has no frames or more than 2²⁸
    /// samples.
    public convenience init(path: String) throws {
        try self.init(reading: try AudioFile(path: path), name: path)
    }

    /// Reads all frames of a reader into memory, from its current position on. `name` is for
    /// errors. Throws what `init(path:)` throws.
    public convenience init(reading reader: any AudioReader, name: String) throws {
        var samples: [Float] = []
        var block: [Float] = []
        while true {
            let count = reader.read(into: &block, maximumFrames: 65_536)
            guard count > 0 else { break }
            samples += block.prefix(count * reader.channels)
            guard samples.count <= Self.maximumSamples else {
                throw AudioEngineError.invalidArgument(
                    what:
                        "'\(name)' as a sound in memory: it has more than \(Self.maximumSamples) samples; play it as a stream"
                )
            }
        }
        if let defect = reader.defect { throw defect }
        guard !samples.isEmpty else {
            throw AudioEngineError.invalidArgument(what: "'\(name)' as a sound in memory: it has no frames")
        }
        try self.init(interleaved: samples, channels: reader.channels, sampleRate: reader.sampleRate)
    }
}
