internal import AudioRendering
internal import CFFmpeg

/// Decodes one track of a file to interleaved frames with positions. For one thread at a time.
final class TrackDecoder {
    let path: String
    let channels: Int
    let sampleRate: Int
    let timeline: MediaTimeline
    private(set) var demuxer: MediaDemuxer
    private(set) var nonFiniteSamples = 0
    /// Why decoding ended before the end of the file; nil until then.
    private(set) var defect: AudioFileError?
    /// The position of the next frame.
    private(set) var position: Int64 = 0
    /// The number of frames that the decoder holds, and of those that were taken.
    private var decoded = 0
    private var taken = 0
    /// The samples of the decoder's frames from `converted` on, once one of them was taken.
    private var samples: [Float] = []
    private var converted: Int?
    /// Frames missing in the file, which are silent, before those that the decoder holds.
    private var silence: Int64 = 0
    private var decoder: PacketDecoder
    private let bytes: MediaBytes
    private let track: Int?
    /// False once timestamps contradicted the number of frames: from then on, a seek counts frames.
    private var trustsTimestamps: Bool

    /// The longest gap that is filled with silence, in seconds.
    private static let longestGap: Int64 = 60

    /// Opens a track and decodes its first frames. Throws why it cannot.
    init(_ bytes: MediaBytes, path: String, track: Int?) throws(AudioFileError) {
        demuxer = try MediaDemuxer(bytes, path: path, track: track)
        guard let decoder = PacketDecoder(demuxer) else {
            throw .undecodable(path: path, reason: "FFmpeg cannot decode its \(Self.codecName(demuxer))")
        }
        guard decoder.next(from: demuxer) else {
            if decoder.damagedPackets == 0, decoder.readingError == nil { throw .empty(path: path) }
            throw .undecodable(path: path, reason: "it is damaged")
        }
        let first = decoder.frame.pointee
        channels = Int(first.ch_layout.nb_channels)
        sampleRate = Int(first.sample_rate)
        guard (1...64).contains(channels), (1_000...768_000).contains(sampleRate) else {
            throw .unsupportedShape(path: path, channels: channels, sampleRate: sampleRate)
        }
        timeline = MediaTimeline(demuxer, first: first)
        trustsTimestamps = timeline.isExact
        (self.decoder, self.bytes, self.path, self.track) = (decoder, bytes, path, track)
        keepFrame()
    }

    /// The number of frames that can be taken without decoding.
    private var available: Int64 { silence + Int64(decoded - taken) }

    /// Decodes until frames are available. Returns false at the end.
    func fill() -> Bool {
        while available == 0, defect == nil {
            guard decodeFrame() else { return false }
        }
        return available > 0
    }

    /// Copies up to `count` available frames to `target`. Returns their number.
    func take(_ count: Int, into target: UnsafeMutablePointer<Float>) -> Int {
        let silent = Int(min(Int64(count), silence))
        if silent > 0 {
            target.update(repeating: 0, count: silent * channels)
            silence -= Int64(silent)
            position += Int64(silent)
            return silent
        }
        let first = converted ?? convert()
        let frames = min(count, decoded - taken)
        samples.withUnsafeBufferPointer { source in
            guard let base = source.baseAddress, frames > 0 else { return }
            target.update(from: base + (taken - first) * channels, count: frames * channels)
        }
        drop(frames)
        return frames
    }

    /// The number of packets that were damaged.
    var damagedPackets: Int { decoder.damagedPackets }
    /// Whether reading ended by an error, and not at the end of the file.
    var endedByError: Bool { decoder.readingError != nil }

    // MARK: Decoding

    private func drop(_ frames: Int) {
        taken += frames
        position += Int64(frames)
    }

    // Decodes one frame behind those that were taken.
    private func decodeFrame() -> Bool {
        guard decoder.next(from: demuxer) else { return false }
        let frame = decoder.frame.pointee
        guard Int(frame.ch_layout.nb_channels) == channels, Int(frame.sample_rate) == sampleRate else {
            let change = "\(frame.ch_layout.nb_channels) channels at \(frame.sample_rate) Hz"
            let reason = "it changes to \(change) after \(position) frames"
            defect = .undecodable(path: path, reason: reason)
            return false
        }
        if trustsTimestamps, let actual = timeline.position(at: frame.best_effort_timestamp) {
            let gap = actual - position
            if gap >= timeline.leastGap, gap <= Self.longestGap * Int64(sampleRate) {
                silence = gap
            } else if abs(gap) >= timeline.leastGap {
                trustsTimestamps = false
            }
        }
        keepFrame()
        return true
    }

    private func keepFrame() {
        (decoded, taken, converted) = (Int(decoder.frame.pointee.nb_samples), 0, nil)
    }

    private func forgetFrame() { (silence, decoded, taken) = (0, 0, 0) }

    // Converts what the decoder holds, from the next frame on: a seek discards most frames.
    private func convert() -> Int {
        converted = taken
        let found = SampleConversion.convert(decoder.frame.pointee, skipping: taken, channels: channels, to: &samples)
        guard let found else {
            defect = .undecodable(path: path, reason: "FFmpeg decodes it to an unknown sample format")
            forgetFrame()
            return 0
        }
        nonFiniteSamples += found
        return taken
    }

    // MARK: Seeking

    /// Moves to a frame. At the end of the file, the position is where the frames end.
    func seek(to target: Int64) {
        defect = nil
        let isNear = target >= position && target - position <= Int64(sampleRate) / 2
        if !isNear, !(trustsTimestamps && jump(to: target)), target < position || trustsTimestamps {
            guard restart() else { return }
        }
        // Decodes what precedes the target, and discards it.
        while position < target, fill() {
            let wanted = target - position
            if silence > 0 {
                let silent = min(silence, wanted)
                silence -= silent
                position += silent
            } else {
                drop(min(decoded - taken, Int(clamping: wanted)))
            }
        }
    }

    // Seeks in the container to a packet far enough before the target for the decoder to produce
    // the same frames as from the beginning. Returns false if that is impossible.
    private func jump(to target: Int64) -> Bool {
        var distance = preroll
        for _ in 0..<3 {
            let wanted = target - distance
            guard wanted > 0, demuxer.seek(to: timeline.timestamp(at: wanted)) else { return false }
            decoder.flush()
            forgetFrame()
            guard decoder.next(from: demuxer) else { return false }
            let frame = decoder.frame.pointee
            let hasShape = Int(frame.ch_layout.nb_channels) == channels && Int(frame.sample_rate) == sampleRate
            guard hasShape, let actual = timeline.position(at: frame.best_effort_timestamp) else { return false }
            if actual >= 0, actual <= target - preroll {
                position = actual
                keepFrame()
                return true
            }
            distance = distance * 4 + Int64(sampleRate)
        }
        return false
    }

    // Opens the file again, at its beginning.
    private func restart() -> Bool {
        let reopened: (MediaDemuxer, PacketDecoder)? = {
            guard let demuxer = try? MediaDemuxer(bytes, path: path, track: track),
                let decoder = PacketDecoder(demuxer), decoder.next(from: demuxer)
            else { return nil }
            // The file may have been overwritten by another one.
            let frame = decoder.frame.pointee
            let hasShape = Int(frame.ch_layout.nb_channels) == channels && Int(frame.sample_rate) == sampleRate
            return hasShape ? (demuxer, decoder) : nil
        }()
        forgetFrame()
        position = 0
        guard let (demuxer, decoder) = reopened else {
            defect = .undecodable(path: path, reason: "it could not be read again")
            return false
        }
        (self.demuxer, self.decoder) = (demuxer, decoder)
        keepFrame()
        return true
    }

    // How many frames before its target a seek begins to decode: codecs of which each block can be
    // decoded alone need none; others overlap blocks, reserve bits or adapt to the signal.
    private var preroll: Int64 {
        let parameters = demuxer.stream.pointee.codecpar.pointee
        let name = String(cString: avcodec_get_name(parameters.codec_id))
        let isIndependent = name.hasPrefix("pcm_") || ["alac", "ape", "flac", "tta", "wavpack"].contains(name)
        if isIndependent { return 0 }
        // Its filters need longer than it declares until no bit differs.
        if parameters.codec_id == AV_CODEC_ID_OPUS { return Int64(sampleRate) }
        return max(Int64(parameters.seek_preroll), 16 * Int64(parameters.frame_size), Int64(sampleRate) / 4)
    }

    private static func codecName(_ demuxer: MediaDemuxer) -> String {
        MediaDemuxer.name(of: demuxer.stream.pointee.codecpar.pointee.codec_id)
    }
}
