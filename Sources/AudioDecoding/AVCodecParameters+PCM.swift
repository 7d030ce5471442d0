internal import CFFmpeg

extension AVCodecParameters {
    /// Whether the codec is one of uncompressed samples, or of A-law or µ-law.
    var isPCM: Bool { String(cString: avcodec_get_name(codec_id)).hasPrefix("pcm_") }
}
