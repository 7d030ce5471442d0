/// The measured conditions: not every combination, but slices through one centre, each along one
/// parameter.
struct Slices {
    var voices: [MixConditions] = []
    var frames: [MixConditions] = []
    var kinds: [MixConditions] = []
    var pitched: [MixConditions] = []

    init(quick: Bool) {
        for data in DataKind.allCases {
            for count in quick ? [1, 64, 256, 4096] : [1, 4, 16, 64, 256, 1024, 4096, 16384] {
                voices.append(MixConditions(voices: count, data: data))
            }
            for count in quick ? [16, 64, 1024] : [16, 32, 64, 128, 256, 512, 1024] {
                frames.append(MixConditions(frames: count, data: data))
            }
            for count in quick ? [64, 256] : [1, 4, 16, 64, 256, 1024, 4096, 16384] {
                pitched.append(MixConditions(voices: count, data: data, pitched: true))
            }
        }
        for data in quick ? [.hot] : DataKind.allCases {
            for sources in [SourceKind.mono, .stereo] {
                for pitch in [false, true] {
                    for gain in [GainKind.flat, .ramping, .commanded] {
                        kinds.append(MixConditions(data: data, sources: sources, gain: gain, pitched: pitch))
                    }
                }
            }
        }
    }

    /// The slices with their titles.
    var titled: [(title: String, conditions: [MixConditions])] {
        [
            ("Voices: 64 frames, mono, gain and pan ramping", voices),
            ("Frames: 256 voices, mono, gain and pan ramping", frames),
            ("Kinds: 256 voices, 64 frames", kinds),
            ("Pitched voices (4-point; OpenAL: cubic): 64 frames, mono, gain and pan ramping", pitched),
        ]
    }
}
