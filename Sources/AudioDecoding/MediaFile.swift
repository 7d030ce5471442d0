internal import CFFmpeg
public import AudioRendering

/// An audio track of a media file, in any format that FFmpeg decodes: AAC and ALAC in MP4, WMA,
/// Matroska, AC-3, WavPack and others, and the sound of videos.
///
/// Not for concurrent use by two threads. Samples are interleaved 32-bit floats at the file's
/// sample rate, in FFmpeg's order of channels, which is that of WAV. Integers are scaled as
/// libsndfile scales them. Reading replaces NaN and infinite samples by silence, and counts them;
/// it omits the delay and padding that an encoder added, where the file declares them.
public final class MediaFile: AudioReader {
    /// The path of the file, as text.
    public let path: String
    /// The channel count, 1…64.
    public let channels: Int
    /// The sample rate in Hz, 1,000…768,000.
    public let sampleRate: Int
    /// The number of frames; 0 if the file does not declare it exactly, as in Matroska, WMA, MP3
    /// and raw streams. `estimatedDuration` is often known nevertheless.
    public let frameCount: Int64
    /// The length in seconds, as the file declares it or as its bit rate suggests; nil if neither
    /// is known.
    public let estimatedDuration: Double?
    /// Sample rate, channels, container and codec, for display: "44100 Hz, 2 ch, QuickTime / MOV,
    /// AAC (Advanced Audio Coding)".
    public let formatDescription: String
    /// What the file says about its content, and its cover.
    public let tags: MediaTags
    /// The audio tracks of the file.
    public let audioTracks: [AudioTrack]
    /// The number of the track that is decoded.
    public let track: Int
    /// The defect of a file that could be opened nevertheless; nil until one is found.
    public private(set) var defect: AudioFileError?

    private let decoder: TrackDecoder

    /// Opens a file. Throws if it is missing, not a file, not readable, empty or undecodable, or if
    /// its channel count or sample rate is out of range. `track`: the number of an audio track; nil
    /// chooses the one that the file marks, or the best one.
    public convenience init(path: String, track: Int? = nil) throws(AudioFileError) {
        try self.init(path: AudioFilePath(path), track: track)
    }

    /// Opens a file whose name need not be valid UTF-8. Throws like the other initializer.
    public convenience init(path: AudioFilePath, track: Int? = nil) throws(AudioFileError) {
        try self.init(MediaBytes(path: path), path: path.description, track: track)
    }

    /// Opens a media file in memory; `name` stands for its path in error messages, and its
    /// extension helps to recognise formats without a signature. Throws if it is empty or
    /// undecodable, or if its channel count or sample rate is out of range.
    public convenience init(data: [UInt8], name: String, track: Int? = nil) throws(AudioFileError) {
        try self.init(MediaBytes(data, name: name), path: name, track: track)
    }

    private init(_ bytes: MediaBytes, path: String, track: Int?) throws(AudioFileError) {
        self.path = path
        let opened = try DecoderLog.silenced { () throws(AudioFileError) in
            let decoder = try TrackDecoder(bytes, path: path, track: track)
            let length = MediaLength.frames(decoder.demuxer, of: bytes, path: path, sampleRate: decoder.sampleRate)
            return (decoder, length)
        }
        (decoder, frameCount) = opened
        (channels, sampleRate) = (decoder.channels, decoder.sampleRate)
        estimatedDuration =
            frameCount > 0 ? Double(frameCount) / Double(sampleRate) : MediaLength.estimatedSeconds(decoder.demuxer)
        tags = decoder.demuxer.tags
        audioTracks = decoder.demuxer.audioTracks
        self.track = decoder.demuxer.trackIndex
        let codec = audioTracks.indices.contains(self.track) ? audioTracks[self.track].codec : "unknown codec"
        formatDescription = "\(sampleRate) Hz, \(channels) ch, \(decoder.demuxer.formatName), \(codec)"
    }

    public var nonFiniteSampleCount: Int { decoder.nonFiniteSamples }

    public func read(into frames: inout [Float], maximumFrames: Int) -> Int {
        let wanted = frameCount == 0 ? maximumFrames : Int(min(Int64(maximumFrames), frameCount - decoder.position))
        let samples = maximumFrames * channels
        if frames.count < samples { frames += [Float](repeating: 0, count: samples - frames.count) }
        let count = frames.withUnsafeMutableBufferPointer { buffer in
            DecoderLog.silenced { () -> Int in
                guard let base = buffer.baseAddress else { return 0 }
                var count = 0
                while count < wanted, decoder.fill() {
                    count += decoder.take(wanted - count, into: base + count * channels)
                }
                return count
            }
        }
        if count < wanted { recordEnd() }
        if defect == nil, decoder.damagedPackets > 0 { defect = damage }
        return max(0, count)
    }

    @discardableResult
    public func seek(toFrame frame: Int64) -> Int64 {
        let target = max(0, frameCount == 0 ? frame : min(frame, frameCount))
        DecoderLog.silenced { decoder.seek(to: target) }
        return decoder.position
    }

    // Records a defect if the decoder ended early: the data is damaged, or the file is truncated.
    private func recordEnd() {
        guard defect == nil else { return }
        if let found = decoder.defect {
            defect = found
        } else if decoder.position < frameCount {
            defect = .truncated(path: path, frames: decoder.position, expected: frameCount)
        } else if decoder.endedByError || frameCount == 0 && isShort {
            defect = .truncated(path: path, frames: decoder.position, expected: nil)
        }
    }

    // Whether the end is too early even for a length that is rounded.
    private var isShort: Bool {
        let declared = MediaLength.roundedFrames(decoder.demuxer, sampleRate: sampleRate) ?? 0
        return declared - decoder.position > Int64(sampleRate) / 4
    }

    private var damage: AudioFileError {
        let packets = decoder.damagedPackets == 1 ? "a packet is" : "packets are"
        return .undecodable(path: path, reason: "\(packets) damaged before frame \(decoder.position)")
    }
}
