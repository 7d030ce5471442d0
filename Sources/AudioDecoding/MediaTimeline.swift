internal import CFFmpeg

/// Converts between the timestamps of a track and the frames that are played.
struct MediaTimeline {
    let sampleRate: Int
    /// Whether a timestamp determines a frame. Otherwise a seek decodes from the beginning.
    let isExact: Bool
    /// The least distance of a timestamp from the expected one that is a gap in the file.
    let leastGap: Int64
    private let timeBase: AVRational
    /// The timestamp of frame 0.
    private let origin: Int64
    /// Every block of decoded frames begins at a multiple of this number, plus `offset`: timestamps
    /// in milliseconds then still determine the frame.
    private let grid: Int64
    private let offset: Int64

    /// Formats whose timestamps, also after a seek, are those of the encoder or follow from
    /// counting packets.
    private static let exactFormats: Set<String> = [
        "aac", "ac3", "aiff", "ape", "au", "caf", "eac3", "flac", "matroska", "mov", "ogg", "tta", "w64", "wav", "wv",
    ]
    /// Codecs whose decoders, after some packets, no longer depend on where they began.
    private static let settlingCodecs: Set<AVCodecID> = [
        AV_CODEC_ID_AAC, AV_CODEC_ID_AC3, AV_CODEC_ID_ALAC, AV_CODEC_ID_APE, AV_CODEC_ID_EAC3, AV_CODEC_ID_FLAC,
        AV_CODEC_ID_MP1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_OPUS, AV_CODEC_ID_TTA, AV_CODEC_ID_VORBIS,
        AV_CODEC_ID_WAVPACK,
    ]

    /// Creates the timeline of a track from its first decoded frame.
    init(_ demuxer: MediaDemuxer, first: AVFrame) {
        let parameters = demuxer.stream.pointee.codecpar.pointee
        sampleRate = Int(first.sample_rate)
        timeBase = demuxer.stream.pointee.time_base
        origin = first.best_effort_timestamp
        let rate = Int64(sampleRate)
        let isValid = timeBase.num > 0 && timeBase.den > 0 && origin != cffmpeg_no_timestamp
        grid = Self.grid(parameters, sampleRate: rate)
        offset = Int64(first.nb_samples) % grid
        // Frames from one tick of the time base to the next.
        let tick = isValid ? Double(timeBase.num) * Double(rate) / Double(timeBase.den) : .infinity
        let format = demuxer.format.split(separator: ",").first.map(String.init) ?? ""
        let isSettling = Self.settlingCodecs.contains(parameters.codec_id) || parameters.isPCM
        // In Ogg, the demuxer knows the length of a packet of these codecs only.
        let isDated = format != "ogg" || [AV_CODEC_ID_OPUS, AV_CODEC_ID_VORBIS].contains(parameters.codec_id)
        let isFine = tick <= 1 || Double(grid) > 1.2 * tick
        isExact = Self.exactFormats.contains(format) && isSettling && isDated && isFine
        leastGap = max(min(grid > 1 ? grid : rate, rate / 50), tick.isFinite && tick < 0x1p40 ? Int64(3 * tick) : 0)
    }

    /// Returns the frame at a timestamp; nil if there is no timestamp.
    func position(at timestamp: Int64) -> Int64? {
        guard timestamp != cffmpeg_no_timestamp, isExact else { return nil }
        let (distance, overflows) = timestamp.subtractingReportingOverflow(origin)
        guard !overflows else { return nil }
        let exact = av_rescale_q(distance, timeBase, AVRational(num: 1, den: Int32(sampleRate)))
        guard exact.magnitude < 1 << 53 else { return nil }
        guard grid > 1, exact > 0 else { return exact }
        let (blocks, rest) = (exact - offset).quotientAndRemainder(dividingBy: grid)
        return offset + (rest * 2 >= grid ? blocks + 1 : blocks) * grid
    }

    /// Returns the timestamp of a frame.
    func timestamp(at position: Int64) -> Int64 {
        origin &+ av_rescale_q(min(position, 1 << 40), AVRational(num: 1, den: Int32(sampleRate)), timeBase)
    }

    /// Returns the greatest number of frames of which the lengths of all of the codec's blocks are
    /// multiples; 1 if it has none.
    private static func grid(_ parameters: AVCodecParameters, sampleRate: Int64) -> Int64 {
        switch parameters.codec_id {
        case AV_CODEC_ID_AAC, AV_CODEC_ID_MP1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_AC3, AV_CODEC_ID_ALAC:
            return max(1, Int64(parameters.frame_size))
        case AV_CODEC_ID_EAC3: return 256
        // 2.5 ms at 48 kHz.
        case AV_CODEC_ID_OPUS: return 120
        case AV_CODEC_ID_FLAC:
            // STREAMINFO begins with the least and the greatest length of a block.
            guard parameters.extradata_size >= 4, let info = parameters.extradata else { return 1 }
            let least = Int64(info[0]) << 8 | Int64(info[1])
            return least == Int64(info[2]) << 8 | Int64(info[3]) ? max(1, least) : 1
        default: return 1
        }
    }
}
