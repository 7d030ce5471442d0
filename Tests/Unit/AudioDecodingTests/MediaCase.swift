import Testing

/// A format of the tests: how a file of it is encoded, and what its decoder must return.
struct MediaCase: CustomTestStringConvertible, Sendable {
    enum Content: Sendable {
        /// The encoder's input, bit for bit.
        case original
        /// As many frames as the encoder's input, at the same place.
        case aligned
        /// What the program `ffmpeg` decodes: the format declares no delay, or no padding.
        case decoded
    }

    var name: String
    var options: [String]
    var channels: Int
    var sampleRate: Int
    var content: Content
    /// Whether the container declares the exact length.
    var hasLength: Bool
    /// The resolution of the encoder's input.
    var bits: Int
    /// By how much a sample after a seek may differ from the one of a decoder that began at frame
    /// 0: by the noise that AC-3 and AAC with PNS generate, and otherwise not at all.
    var seekTolerance: Float

    var testDescription: String { name }
    var frames: Int { 60_007 }

    init(
        _ name: String, _ options: String, _ content: Content, _ channels: Int = 2, _ sampleRate: Int = 44_100,
        length: Bool = true, bits: Int = 16, seek: Float = 0
    ) {
        self.name = name
        self.options = options.split(separator: " ").map(String.init)
        (self.channels, self.sampleRate, self.content) = (channels, sampleRate, content)
        (hasLength, self.bits, seekTolerance) = (length, bits, seek)
    }

    static let lossless: [MediaCase] = [
        .init("16.flac", "-sample_fmt s16", .original), .init("mono8.flac", "-sample_fmt s16", .original, 1, 8_000),
        .init("24.flac", "-sample_fmt s32", .original, 6, 96_000, bits: 24),
        .init("7.1.flac", "-sample_fmt s16", .original, 8, 48_000),
        .init("alac.m4a", "-c:a alac -sample_fmt s16p", .original),
        .init("alac11.m4a", "-c:a alac -sample_fmt s16p", .original, 1, 11_025),
        .init("alac24.m4a", "-c:a alac -sample_fmt s32p", .original, 6, 48_000, bits: 24),
        .init("alac.caf", "-c:a alac -sample_fmt s16p", .original, length: false),
        .init("alac.mka", "-c:a alac -sample_fmt s16p", .original, length: false),
        .init("16.wv", "-c:a wavpack -sample_fmt s16p", .original),
        .init("float.wv", "-c:a wavpack -sample_fmt fltp", .original, 6, 48_000, bits: 24),
        .init("wv.mka", "-c:a wavpack -sample_fmt s16p", .original, length: false),
        .init("16.tta", "-c:a tta -sample_fmt s16", .original), .init("mono.tta", "-c:a tta", .original, 1, 8_000),
        .init("s16.wav", "-c:a pcm_s16le", .original), .init("u8.wav", "-c:a pcm_u8", .original, 1, 8_000, bits: 8),
        .init("s24.wav", "-c:a pcm_s24le", .original, 8, 96_000, bits: 24),
        .init("s32.wav", "-c:a pcm_s32le", .original, bits: 24),
        .init("f32.wav", "-c:a pcm_f32le", .original, bits: 24),
        .init("f64.wav", "-c:a pcm_f64le", .original, 1, 11_025, bits: 24),
        .init("rf64.wav", "-rf64 always -c:a pcm_s16le", .original),
        .init("s16.w64", "-c:a pcm_s16le", .decoded, length: false),
        .init("s16.aiff", "-c:a pcm_s16be", .original), .init("f32.aiff", "-c:a pcm_f32be", .original, bits: 24),
        .init("s24.caf", "-c:a pcm_s24be", .original, 6, 48_000, bits: 24),
        .init("s16.au", "-c:a pcm_s16be", .original),
        .init("pcm.mov", "-c:a pcm_s16le", .original),
        .init("pcm24.mov", "-c:a pcm_s24be", .original, 6, 48_000, bits: 24),
        .init("pcm.mka", "-c:a pcm_s16le", .original, length: false),
        .init("pcm.avi", "-c:a pcm_s16le", .original, length: false),
        .init("pcm.nut", "-c:a pcm_s16le", .original, length: false),
        .init("flac.mka", "-c:a flac -sample_fmt s16", .original, length: false),
        .init("flac.mp4", "-c:a flac -sample_fmt s16 -strict -2", .original),
        .init("flac.ogg", "-c:a flac -sample_fmt s16", .original, length: false),
        .init("lossless.thd", "-c:a truehd -strict -2 -sample_fmt s16", .decoded, 2, 48_000, length: false),
        .init("lossless.mlp", "-c:a mlp -strict -2 -sample_fmt s16", .decoded, 2, 48_000, length: false),
    ]

    static let lossy: [MediaCase] = [
        .init("lc.m4a", "-c:a aac -aac_pns 0", .aligned), .init("pns.m4a", "-c:a aac", .aligned, seek: 0.03),
        .init("mono8.m4a", "-c:a aac -aac_pns 0", .aligned, 1, 8_000),
        .init("mono11.mp4", "-c:a aac -aac_pns 0", .aligned, 1, 11_025),
        .init("5.1.m4a", "-c:a aac -aac_pns 0", .aligned, 6, 48_000),
        .init("7.1.mov", "-c:a aac -aac_pns 0", .aligned, 8, 48_000),
        .init("96.m4a", "-c:a aac -aac_pns 0", .aligned, 2, 96_000),
        .init("fragments.mp4", "-c:a aac -aac_pns 0 -movflags frag_keyframe+empty_moov", .decoded, length: false),
        .init("lc.aac", "-c:a aac -aac_pns 0", .decoded, length: false),
        .init("aac.mka", "-c:a aac -aac_pns 0", .decoded, length: false),
        .init("late.mka", "-c:a aac -aac_pns 0 -output_ts_offset 1.5", .decoded, length: false),
        .init("aac.3gp", "-c:a aac -aac_pns 0", .aligned),
        .init("aac.ts", "-c:a aac -aac_pns 0", .decoded, length: false),
        .init("aac.flv", "-c:a aac -aac_pns 0", .decoded, length: false),
        .init("xing.mp3", "-c:a libmp3lame", .aligned, length: false),
        .init("plain.mp3", "-c:a libmp3lame -write_xing 0 -id3v2_version 0", .decoded, length: false),
        .init("mono8.mp3", "-c:a libmp3lame", .aligned, 1, 8_000, length: false),
        .init("vbr.mp3", "-c:a libmp3lame -q:a 4", .aligned, length: false),
        .init("mp3.mka", "-c:a libmp3lame", .decoded, length: false),
        .init("mp3.avi", "-c:a libmp3lame", .decoded, length: false),
        .init("mp3.mp4", "-c:a libmp3lame", .aligned),
        .init("layer2.mp2", "-c:a mp2", .decoded, length: false),
        .init("mono.opus", "-c:a libopus", .aligned, 1, 48_000),
        .init("stereo.opus", "-c:a libopus", .aligned, 2, 48_000),
        .init("5.1.opus", "-c:a libopus", .aligned, 6, 48_000),
        .init("opus.webm", "-c:a libopus", .aligned, 2, 48_000, length: false),
        .init("vorbis.ogg", "-c:a libvorbis", .aligned), .init("vorbis5.1.ogg", "-c:a libvorbis", .aligned, 6, 48_000),
        .init("vorbis.mka", "-c:a libvorbis", .decoded, length: false),
        .init("stereo.ac3", "-c:a ac3", .decoded, 2, 48_000, length: false, seek: 0.03),
        .init("5.1.ac3", "-c:a ac3", .decoded, 6, 48_000, length: false, seek: 0.03),
        .init("5.1.eac3", "-c:a eac3", .decoded, 6, 48_000, length: false, seek: 0.03),
        .init("ac3.mp4", "-c:a ac3", .decoded, 6, 48_000, seek: 0.03),
        .init("5.1.dts", "-c:a dca -strict -2", .decoded, 6, 48_000, length: false),
        .init("v1.wma", "-c:a wmav1", .decoded, length: false), .init("v2.wma", "-c:a wmav2", .decoded, length: false),
        .init("mono22.wma", "-c:a wmav2", .decoded, 1, 22_050, length: false),
        .init("mulaw.wav", "-c:a pcm_mulaw", .decoded, 1, 8_000), .init("alaw.au", "-c:a pcm_alaw", .decoded, 1, 8_000),
        .init("ima.wav", "-c:a adpcm_ima_wav", .decoded, length: false),
        .init("ms.wav", "-c:a adpcm_ms", .decoded, 1, 11_025, length: false),
        .init("ima.mov", "-c:a adpcm_ima_qt", .decoded, length: true),
        .init("speex.ogg", "-c:a libspeex", .decoded, 1, 8_000, length: false),
        .init("g722.wav", "-c:a g722", .decoded, 1, 16_000, length: false),
        .init("gsm.wav", "-c:a libgsm_ms", .decoded, 1, 8_000, length: false),
        .init("s302m.ts", "-c:a s302m -strict -2", .decoded, 2, 48_000, length: false),
    ]
}
