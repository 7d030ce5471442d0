internal import AudioRendering
internal import CFFmpeg
internal import Foundation

/// The length of a track, from its container.
enum MediaLength {
    /// Returns the number of frames that the container declares; 0 if it declares none, or only an
    /// approximate one.
    static func frames(_ demuxer: MediaDemuxer, of bytes: MediaBytes, path: String, sampleRate: Int) -> Int64 {
        let stream = demuxer.stream.pointee
        let isPCM = stream.codecpar.pointee.isPCM
        if demuxer.format == "caf" { return isPCM ? max(0, stream.nb_frames) : 0 }
        let isDeclared = demuxer.context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_STREAM
        guard isDeclared, stream.duration != cffmpeg_no_timestamp, stream.duration > 0 else { return 0 }
        let duration = frames(stream.duration, stream.time_base, sampleRate)
        switch demuxer.format {
        case "flac", "tta", "wv", "ape": return duration
        case "wav", "w64", "aiff", "au": return isPCM ? duration : 0
        case "ogg":
            // The pre-skip of Opus is part of the duration.
            let isOpus = stream.codecpar.pointee.codec_id == AV_CODEC_ID_OPUS
            let known = isOpus || stream.codecpar.pointee.codec_id == AV_CODEC_ID_VORBIS
            return known ? max(0, duration - Int64(isOpus ? stream.codecpar.pointee.initial_padding : 0)) : 0
        case let format where format.hasPrefix("mov,"):
            return movie(demuxer, of: bytes, path: path, sampleRate: sampleRate)
        default: return 0
        }
    }

    /// Returns the length in seconds that the container declares or that follows from its bit rate;
    /// nil if neither is known.
    static func estimatedSeconds(_ demuxer: MediaDemuxer) -> Double? {
        let stream = demuxer.stream.pointee
        if stream.duration != cffmpeg_no_timestamp, stream.duration > 0, stream.time_base.den > 0 {
            return Double(stream.duration) * Double(stream.time_base.num) / Double(stream.time_base.den)
        }
        let duration = demuxer.context.pointee.duration
        return duration != cffmpeg_no_timestamp && duration > 0 ? Double(duration) / Double(AV_TIME_BASE) : nil
    }

    /// Returns the least number of frames that a file with nothing but this track declares, perhaps
    /// rounded; nil if it declares none.
    static func roundedFrames(_ demuxer: MediaDemuxer, sampleRate: Int) -> Int64? {
        let isDeclared = demuxer.context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_STREAM
        guard isDeclared, demuxer.isAlone, let seconds = estimatedSeconds(demuxer), seconds < 1e9 else { return nil }
        // Some formats count from time 0, and not from the first frame.
        let start = demuxer.context.pointee.start_time
        let late = start == cffmpeg_no_timestamp ? 0 : max(0, Double(start) / Double(AV_TIME_BASE))
        return Int64((seconds - late) * Double(sampleRate))
    }

    /// MP4 and QuickTime: an edit list says what of the media is played, but its length is rounded
    /// to the movie's time scale, often to milliseconds. The length of the media itself is exact.
    private static func movie(
        _ demuxer: MediaDemuxer, of bytes: MediaBytes, path: String, sampleRate: Int
    ) -> Int64 {
        let edited = demuxer.stream
        let declared = frames(edited.pointee.duration, edited.pointee.time_base, sampleRate)
        guard let first = avformat_index_get_entry(edited, 0)?.pointee,
            let media = try? Media(bytes, path: path, id: edited.pointee.id, first: first), media.duration > 0
        else { return 0 }
        let visible = frames(media.duration - media.delay, edited.pointee.time_base, sampleRate)
        // An edit that ends the media before its end counts; one that was rounded does not.
        var length = visible <= declared + Int64(sampleRate) / 500 ? visible : declared
        if Int64(edited.pointee.time_base.den) == Int64(sampleRate), let total = iTunesLength(demuxer, media) {
            length = min(length, total)
        }
        return max(0, length)
    }

    /// What the media of a movie's track declares, without its edit list.
    private struct Media {
        var duration: Int64 = 0
        /// What precedes the first edit.
        var delay: Int64 = 0

        /// `first`: the first packet that the edit list leaves.
        init(_ bytes: MediaBytes, path: String, id: Int32, first: AVIndexEntry) throws(AudioFileError) {
            let (context, input) = try MediaDemuxer.open(bytes, path: path, options: ["ignore_editlist": "1"])
            var closed: UnsafeMutablePointer<AVFormatContext>? = context
            defer { withExtendedLifetime(input) { avformat_close_input(&closed) } }
            for index in 0..<Int(context.pointee.nb_streams) {
                guard let stream = context.pointee.streams[index], stream.pointee.id == id else { continue }
                // A fragmented file has no frames in its header; its length is then unknown.
                guard stream.pointee.nb_frames > 0 else { continue }
                for number in 0..<avformat_index_get_entries_count(stream) {
                    guard let entry = avformat_index_get_entry(stream, number)?.pointee, entry.pos == first.pos else {
                        continue
                    }
                    (duration, delay) = (stream.pointee.duration, max(0, entry.timestamp &- first.timestamp))
                    break
                }
            }
        }
    }

    // iTunes writes delay, padding and length into a tag, in hexadecimal digits.
    private static func iTunesLength(_ demuxer: MediaDemuxer, _ media: Media) -> Int64? {
        let dictionaries = [demuxer.context.pointee.metadata, demuxer.stream.pointee.metadata]
        guard let text = MediaTags.text("iTunSMPB", in: dictionaries) else { return nil }
        let numbers = text.split(separator: " ").map { Int64($0, radix: 16) }
        guard numbers.count >= 4, let total = numbers[3], total > 0, total <= media.duration else { return nil }
        // Only what an encoder adds: a few packets.
        return media.duration - total <= 20_000 ? total : nil
    }

    // Returns 0 for a length that no file can have.
    private static func frames(_ duration: Int64, _ timeBase: AVRational, _ sampleRate: Int) -> Int64 {
        guard timeBase.num > 0, timeBase.den > 0 else { return 0 }
        let frames = av_rescale_q(duration, timeBase, AVRational(num: 1, den: Int32(sampleRate)))
        return (0..<(1 << 53)).contains(frames) ? frames : 0
    }
}
