internal import AudioRendering
internal import CFFmpeg

/// The container of a media file, open for one of its audio tracks.
final class MediaDemuxer {
    let context: UnsafeMutablePointer<AVFormatContext>
    /// The stream of the chosen track, and its decoder.
    private(set) var stream: UnsafeMutablePointer<AVStream>
    private(set) var codec: UnsafePointer<AVCodec>
    private let input: MediaInput

    /// Opens a file. Throws if its format is unknown, or if it has no audio track, or not this one,
    /// or no decoder for it. `track`: the number of an audio track; nil chooses the one that the
    /// file marks, or the best one.
    init(_ bytes: MediaBytes, path: String, track: Int?) throws(AudioFileError) {
        let (context, input) = try Self.open(bytes, path: path)
        func close() {
            var closed: UnsafeMutablePointer<AVFormatContext>? = context
            withExtendedLifetime(input) { avformat_close_input(&closed) }
        }
        let code = avformat_find_stream_info(context, nil)
        guard code >= 0 else {
            close()
            throw .undecodable(path: path, reason: Self.text(of: code))
        }
        do {
            (stream, codec) = try Self.choose(track, of: context, path: path)
        } catch {
            close()
            throw error
        }
        (self.context, self.input) = (context, input)
        for other in Self.streams(of: context) where other != stream { other.pointee.discard = AVDISCARD_ALL }
    }

    deinit {
        var closed: UnsafeMutablePointer<AVFormatContext>? = context
        // The stream reads through `input`, which is released after it.
        withExtendedLifetime(input) { avformat_close_input(&closed) }
    }

    /// The name of the container's format in FFmpeg, such as "mov,mp4,m4a,3gp,3g2,mj2".
    var format: String { context.pointee.iformat.map { String(cString: $0.pointee.name) } ?? "" }

    /// The name of the container's format, for display.
    var formatName: String {
        context.pointee.iformat.flatMap { $0.pointee.long_name }.map { String(cString: $0) } ?? "unknown format"
    }

    /// Begins an operation, which may read as much of the file as the last one.
    func renewBudget() { input.renewBudget() }

    /// Reads the next packet of the track. Returns FFmpeg's error at the end and on failure.
    func read(_ packet: UnsafeMutablePointer<AVPacket>) -> Int32 {
        // Packets of other tracks, which some demuxers return nevertheless.
        for _ in 0..<1_000_000 {
            let code = av_read_frame(context, packet)
            guard code >= 0 else { return code }
            if packet.pointee.stream_index == stream.pointee.index { return 0 }
            av_packet_unref(packet)
        }
        return cffmpeg_error_invalid_data
    }

    /// Seeks to a packet at or before a time of the stream. Returns false if the format cannot.
    func seek(to timestamp: Int64) -> Bool {
        renewBudget()
        return av_seek_frame(context, stream.pointee.index, timestamp, AVSEEK_FLAG_BACKWARD) >= 0
    }

    /// The tags of the file and of the track, and the first picture.
    var tags: MediaTags {
        MediaTags([context.pointee.metadata, stream.pointee.metadata], picture: picture)
    }

    var audioTracks: [AudioTrack] {
        let audio = Self.streams(of: context).filter(Self.isAudio)
        return audio.enumerated().map { index, stream in
            let parameters = stream.pointee.codecpar.pointee
            return AudioTrack(
                index: index, language: MediaTags.text("language", in: [stream.pointee.metadata]),
                title: MediaTags.text("title", in: [stream.pointee.metadata]),
                codec: Self.name(of: parameters.codec_id), channels: Int(parameters.ch_layout.nb_channels),
                sampleRate: Int(parameters.sample_rate),
                isDefault: stream.pointee.disposition & AV_DISPOSITION_DEFAULT != 0)
        }
    }

    /// The number of the chosen track among the audio tracks.
    var trackIndex: Int { Self.streams(of: context).filter(Self.isAudio).firstIndex(of: stream) ?? 0 }

    /// Whether the file has no other stream than the track, apart from pictures.
    var isAlone: Bool {
        Self.streams(of: context).allSatisfy {
            $0 == stream || $0.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
        }
    }

    static func name(of codec: AVCodecID) -> String {
        guard let descriptor = avcodec_descriptor_get(codec) else { return "unknown codec" }
        return String(cString: descriptor.pointee.long_name ?? descriptor.pointee.name)
    }

    /// Describes an error of FFmpeg as a clause.
    static func text(of code: Int32) -> String {
        if code == cffmpeg_error_invalid_data { return "it is not a media file of a known format, or it is damaged" }
        if code == cffmpeg_error_end { return "it ends in its header" }
        var text = [CChar](repeating: 0, count: 256)
        av_strerror(code, &text, text.count)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Opens the container without looking for its streams.
    static func open(
        _ bytes: MediaBytes, path: String, options: [String: String] = [:]
    ) throws(AudioFileError) -> (UnsafeMutablePointer<AVFormatContext>, MediaInput) {
        var context = avformat_alloc_context()
        guard let input = MediaInput(bytes), let allocated = context else {
            avformat_free_context(context)
            throw .undecodable(path: path, reason: "memory is short")
        }
        allocated.pointee.pb = input.context
        // Playlists and files that refer to others would open them: nothing but these bytes is
        // read.
        allocated.pointee.protocol_whitelist = av_strdup("none")
        allocated.pointee.io_open = { _, _, _, _, _ in cffmpeg_error_not_permitted }
        var dictionary: OpaquePointer?
        for (key, value) in options { av_dict_set(&dictionary, key, value, 0) }
        defer { av_dict_free(&dictionary) }
        // Frees the context if it fails. The name helps to recognise formats without a signature.
        let name = AudioFilePath(path).lastComponent.description
        let code = avformat_open_input(&context, name, nil, &dictionary)
        guard code >= 0, let context else { throw .undecodable(path: path, reason: text(of: code)) }
        return (context, input)
    }

    private static func choose(
        _ track: Int?, of context: UnsafeMutablePointer<AVFormatContext>, path: String
    ) throws(AudioFileError) -> (UnsafeMutablePointer<AVStream>, UnsafePointer<AVCodec>) {
        let audio = streams(of: context).filter(isAudio)
        guard !audio.isEmpty else { throw .empty(path: path) }
        let chosen: UnsafeMutablePointer<AVStream>
        if let track {
            guard audio.indices.contains(track) else {
                let reason = "it has no audio track \(track); its tracks are 0 to \(audio.count - 1)"
                throw .undecodable(path: path, reason: reason)
            }
            chosen = audio[track]
        } else {
            var decoder: UnsafePointer<AVCodec>?
            let best = av_find_best_stream(context, AVMEDIA_TYPE_AUDIO, -1, -1, &decoder, 0)
            chosen = audio.first { $0.pointee.index == best } ?? audio[0]
        }
        let id = chosen.pointee.codecpar.pointee.codec_id
        guard let codec = avcodec_find_decoder(id) else {
            throw .undecodable(path: path, reason: "FFmpeg has no decoder for \(name(of: id))")
        }
        return (chosen, codec)
    }

    private static func isAudio(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
    }

    private static func streams(
        of context: UnsafeMutablePointer<AVFormatContext>
    ) -> [UnsafeMutablePointer<AVStream>] {
        (0..<Int(context.pointee.nb_streams)).compactMap { context.pointee.streams[$0] }
    }

    private var picture: MediaTags.Picture? {
        for stream in Self.streams(of: context) where stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 {
            let packet = stream.pointee.attached_pic
            guard let data = packet.data, packet.size > 0 else { continue }
            let types = [
                AV_CODEC_ID_MJPEG: "image/jpeg", AV_CODEC_ID_PNG: "image/png", AV_CODEC_ID_GIF: "image/gif",
                AV_CODEC_ID_BMP: "image/bmp", AV_CODEC_ID_WEBP: "image/webp", AV_CODEC_ID_TIFF: "image/tiff",
            ]
            guard let type = types[stream.pointee.codecpar.pointee.codec_id] else { continue }
            return MediaTags.Picture(
                bytes: Array(UnsafeBufferPointer(start: data, count: Int(packet.size))), mimeType: type)
        }
        return nil
    }
}
