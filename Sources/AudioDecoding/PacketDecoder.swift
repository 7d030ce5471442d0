internal import CFFmpeg

/// The decoder of one audio track: packets in, frames out.
final class PacketDecoder {
    /// The frame that `next` decoded.
    let frame: UnsafeMutablePointer<AVFrame>
    /// The number of packets that could not be decoded, since the decoder was opened.
    private(set) var damagedPackets = 0
    /// FFmpeg's error that ended the packets; nil until then, and at a regular end.
    private(set) var readingError: Int32?
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let packet: UnsafeMutablePointer<AVPacket>

    /// Opens a decoder. Fails if FFmpeg cannot, or if memory is short.
    init?(_ demuxer: MediaDemuxer) {
        var context = avcodec_alloc_context3(demuxer.codec)
        var packet = av_packet_alloc()
        var frame = av_frame_alloc()
        guard let opened = context, let allocatedPacket = packet, let allocatedFrame = frame,
            Self.configure(opened, demuxer)
        else {
            avcodec_free_context(&context)
            av_packet_free(&packet)
            av_frame_free(&frame)
            return nil
        }
        (self.context, self.packet, self.frame) = (opened, allocatedPacket, allocatedFrame)
    }

    deinit {
        var freedContext: UnsafeMutablePointer<AVCodecContext>? = context
        var freedPacket: UnsafeMutablePointer<AVPacket>? = packet
        var freedFrame: UnsafeMutablePointer<AVFrame>? = frame
        avcodec_free_context(&freedContext)
        av_packet_free(&freedPacket)
        av_frame_free(&freedFrame)
    }

    private static func configure(_ context: UnsafeMutablePointer<AVCodecContext>, _ demuxer: MediaDemuxer) -> Bool {
        guard avcodec_parameters_to_context(context, demuxer.stream.pointee.codecpar) >= 0 else { return false }
        // With the time base, the decoder itself drops delay and padding, and corrects timestamps.
        context.pointee.pkt_timebase = demuxer.stream.pointee.time_base
        context.pointee.thread_count = 1
        // Its demuxer counts frames for the first packet of a Vorbis stream, which has none, and so
        // drops too many at the end; the length of the track ends it in the right place.
        if demuxer.format == "ogg", demuxer.codec.pointee.id == AV_CODEC_ID_VORBIS {
            context.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL
        }
        // Of all channels together.
        context.pointee.max_samples = 1 << 23
        return avcodec_open2(context, demuxer.codec, nil) >= 0
    }

    /// Decodes the next frame. Returns false at the end, or if what follows cannot be decoded.
    func next(from demuxer: MediaDemuxer) -> Bool {
        demuxer.renewBudget()
        // As many packets as no intact file has without a frame.
        for _ in 0..<100_000 {
            let code = avcodec_receive_frame(context, frame)
            if code >= 0 {
                if frame.pointee.decode_error_flags != 0 { damagedPackets += 1 }
                if frame.pointee.nb_samples > 0 { return true }
            } else if code == cffmpeg_error_again {
                send(from: demuxer)
            } else if code == cffmpeg_error_end {
                return false
            } else {
                damagedPackets += 1
            }
        }
        readingError = cffmpeg_error_invalid_data
        return false
    }

    // At the end of the packets, the decoder returns what it still holds.
    private func send(from demuxer: MediaDemuxer) {
        let code = demuxer.read(packet)
        guard code >= 0 else {
            if code != cffmpeg_error_end { readingError = code }
            avcodec_send_packet(context, nil)
            return
        }
        // A demuxer also marks the last packet of samples that follow a header without a length.
        let isPCM = demuxer.stream.pointee.codecpar.pointee.isPCM
        if packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0, !isPCM { damagedPackets += 1 }
        if avcodec_send_packet(context, packet) < 0 { damagedPackets += 1 }
        av_packet_unref(packet)
    }

    /// Forgets what it holds, before packets of another place.
    func flush() {
        avcodec_flush_buffers(context)
        readingError = nil
    }
}
