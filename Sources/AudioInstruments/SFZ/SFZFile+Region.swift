internal import AudioRendering

extension SFZFile {
    /// What the `<control>` headers set.
    struct Control {
        /// Stands before the paths of sounds.
        var defaultPath: [UInt8] = []
        /// Added to every key of the regions that follow.
        var noteOffset = 0
        var octaveOffset = 0
        /// The values of controllers before a message sets them, by number.
        var controllers = [7: 100, 10: 64, 11: 127]
        /// The keyswitch that is down at first.
        var defaultSwitch: Int?
    }

    /// When a region's sound ends other regions' choke groups.
    enum OffMode { case fast, normal, time }
    enum LoopMode { case noLoop, oneShot, continuous, sustain }
    enum Start { case attack, release, legato }

    /// The values of a region with those that it inherits. Keys, velocities and percentages are
    /// those of the format, and its defaults.
    struct Region {
        var place = Place(file: "", line: 0)
        /// As in the text.
        var sample: [UInt8] = []
        /// Where the sound file is.
        var path = AudioFilePath(bytes: [])

        /// nil: all keys. -1: none.
        var lowKey: Int?
        var highKey: Int?
        /// nil: the one of the sound file.
        var rootKey: Int? = 60
        var lowVelocity = 1
        var highVelocity = 127
        var lowProgram = 0
        var highProgram = 127
        var sequenceLength = 1
        var sequencePosition = 1
        var lowRandom = 0.0
        var highRandom = 1.0
        var start = Start.attack

        var offset = 0
        /// The last frame that is played; -1: none.
        var end: Int?
        var loopMode: LoopMode?
        var loopStart: Int?
        /// The last frame of the loop.
        var loopEnd: Int?
        var loopFade = 0.0

        /// In decibels.
        var volume = 0.0
        var groupVolume = 0.0
        var masterVolume = 0.0
        var globalVolume = 0.0
        var amplitude = 100.0
        var isInverted = false
        var pan = 0.0
        var velocityTracking = 100.0
        var tune = 0.0
        var transpose = 0.0
        var keyTracking = 100.0
        var bendUp = 200.0
        var bendDown = -200.0

        /// In seconds.
        var delay = 0.0
        var attack = 0.0
        var hold = 0.0
        var decay = 0.0
        var sustain = 100.0
        var release = 0.001

        /// nil: a type that is not supported.
        var filterResponse: InstrumentZone.Filter.Response? = .lowPass12
        /// In hertz; 0: no filter.
        var cutoff = 0.0
        var resonance = 0.0
        var filterKeyTracking = 0.0
        var filterKey: Int? = 60
        var filterVelocityRange = 0.0
        var channelPressureRange = 0.0
        var keyPressureRange = 0.0
        var filterController: InstrumentZone.Filter.Controller?
        var filterDepth = 0.0
        /// In seconds.
        var filterDelay = 0.0
        var filterAttack = 0.0
        var filterHold = 0.0
        var filterDecay = 0.0
        var filterSustain = 100.0
        var filterRelease = 0.0

        var group = 0
        var offBy = 0
        var offMode = OffMode.fast
        var offTime = 0.006

        /// The keyswitches of which one must have been the last one.
        var lowSwitch: Int?
        var highSwitch: Int?
        /// An opcode that keeps notes from starting the region.
        var obstacle: String?
        /// Conditions: the least and the greatest value of controllers, by number.
        var controllers: [Int: Limits] = [:]
        var modulations: [Modulation] = []

        struct Limits {
            var low = 0
            var high = 127
        }

        static let maximumConditions = 32
        static let maximumModulations = 32
    }
}

// MARK: Opcodes

extension SFZFile.Region {
    /// How an opcode is read.
    enum Opcode: Sendable {
        case number(any WritableKeyPath<SFZFile.Region, Double> & Sendable, ClosedRange<Double>)
        case integer(any WritableKeyPath<SFZFile.Region, Int> & Sendable, ClosedRange<Int>)
        case optional(any WritableKeyPath<SFZFile.Region, Int?> & Sendable, ClosedRange<Int>)
        /// A number or a name, such as 61 or c#4.
        case keys([any WritableKeyPath<SFZFile.Region, Int?> & Sendable])
        case word([String: @Sendable (inout SFZFile.Region) -> Void])
        /// Information that does not affect the sound.
        case information
    }

    private static let decibels = -144.0...48.0
    private static let seconds = 0.0...60.0
    private static let cents = -12_000.0...12_000.0
    private static let frames = 0...Int(Int32.max)
    private static let anyInteger = Int(Int32.min)...Int(Int32.max)

    /// The opcodes that have an effect, other than those of controllers, and those that need none.
    static let opcodes: [String: Opcode] = [
        "key": .keys([\.lowKey, \.highKey, \.rootKey]),
        "lokey": .keys([\.lowKey]), "hikey": .keys([\.highKey]), "pitch_keycenter": .keys([\.rootKey]),
        "lovel": .integer(\.lowVelocity, 0...127), "hivel": .integer(\.highVelocity, 0...127),
        "loprog": .integer(\.lowProgram, 0...127), "hiprog": .integer(\.highProgram, 0...127),
        "seq_length": .integer(\.sequenceLength, 1...127), "seq_position": .integer(\.sequencePosition, 1...127),
        "lorand": .number(\.lowRandom, 0...1), "hirand": .number(\.highRandom, 0...1),
        "trigger": .word([
            "attack": { $0.start = .attack }, "legato": { $0.start = .legato }, "release": { $0.start = .release },
        ]),

        "offset": .integer(\.offset, frames), "end": .optional(\.end, -1...Int(Int32.max)),
        "loop_mode": .word([
            "no_loop": { $0.loopMode = .noLoop }, "one_shot": { $0.loopMode = .oneShot },
            "loop_continuous": { $0.loopMode = .continuous }, "loop_sustain": { $0.loopMode = .sustain },
        ]),
        "loop_start": .optional(\.loopStart, frames), "loop_end": .optional(\.loopEnd, frames),
        "loop_crossfade": .number(\.loopFade, seconds),

        "volume": .number(\.volume, decibels), "group_volume": .number(\.groupVolume, decibels),
        "master_volume": .number(\.masterVolume, decibels), "global_volume": .number(\.globalVolume, decibels),
        "amplitude": .number(\.amplitude, 0...10_000), "pan": .number(\.pan, -100...100),
        "phase": .word(["normal": { $0.isInverted = false }, "invert": { $0.isInverted = true }]),
        "amp_veltrack": .number(\.velocityTracking, -100...100),
        "tune": .number(\.tune, -9_600...9_600), "transpose": .number(\.transpose, -127...127),
        "pitch_keytrack": .number(\.keyTracking, -1_200...1_200),
        "bend_up": .number(\.bendUp, -9_600...9_600), "bend_down": .number(\.bendDown, -9_600...9_600),

        "ampeg_delay": .number(\.delay, seconds), "ampeg_attack": .number(\.attack, seconds),
        "ampeg_hold": .number(\.hold, seconds),
        "ampeg_decay": .number(\.decay, seconds), "ampeg_sustain": .number(\.sustain, 0...100),
        "ampeg_release": .number(\.release, seconds),

        "cutoff": .number(\.cutoff, 0...96_000), "resonance": .number(\.resonance, 0...40),
        "fil_keytrack": .number(\.filterKeyTracking, -1_200...1_200), "fil_keycenter": .keys([\.filterKey]),
        "fil_veltrack": .number(\.filterVelocityRange, cents),
        "cutoff_chanaft": .number(\.channelPressureRange, cents),
        "cutoff_polyaft": .number(\.keyPressureRange, cents),
        "fileg_depth": .number(\.filterDepth, cents), "fileg_delay": .number(\.filterDelay, seconds),
        "fileg_attack": .number(\.filterAttack, seconds), "fileg_hold": .number(\.filterHold, seconds),
        "fileg_decay": .number(\.filterDecay, seconds), "fileg_sustain": .number(\.filterSustain, 0...100),
        "fileg_release": .number(\.filterRelease, seconds),

        "group": .integer(\.group, anyInteger), "off_by": .integer(\.offBy, anyInteger),
        "off_mode": .word([
            "fast": { $0.offMode = .fast }, "normal": { $0.offMode = .normal }, "time": { $0.offMode = .time },
        ]),

        "sw_last": .keys([\.lowSwitch, \.highSwitch]),
        "sw_lolast": .keys([\.lowSwitch]), "sw_hilast": .keys([\.highSwitch]),

        // The keyswitches are not followed, so their range does not matter.
        "sw_lokey": .information, "sw_hikey": .information, "sw_up": .information,
        "region_label": .information, "group_label": .information, "master_label": .information,
        "global_label": .information, "sw_label": .information, "image": .information, "hint_ram_based": .information,
    ]

    /// The types of filters, and how those are played that instruments do not have.
    static let filterTypes: [String: (response: InstrumentZone.Filter.Response, how: String?)] = [
        "lpf_1p": (.lowPass6, nil), "lpf_2p": (.lowPass12, nil), "lpf_2p_sv": (.lowPass12, nil),
        "lpf_4p": (.lowPass24, nil), "lpf_6p": (.lowPass24, "24 dB per octave instead of 36"),
        "hpf_1p": (.highPass6, nil), "hpf_2p": (.highPass12, nil), "hpf_2p_sv": (.highPass12, nil),
        "hpf_4p": (.highPass24, nil), "hpf_6p": (.highPass24, "24 dB per octave instead of 36"),
        "bpf_2p": (.bandPass, nil), "bpf_2p_sv": (.bandPass, nil), "bpf_1p": (.bandPass, "as bpf_2p"),
        "brf_2p": (.bandReject, nil), "brf_2p_sv": (.bandReject, nil), "brf_1p": (.bandReject, "as brf_2p"),
    ]

    /// Other names of opcodes.
    static let aliases = [
        "loopmode": "loop_mode", "loopstart": "loop_start", "loopend": "loop_end", "offby": "off_by",
        "offmode": "off_mode",
        "bendup": "bend_up", "benddown": "bend_down", "pitch": "tune", "polyphony_group": "group",
        "gain": "volume", "amp_attack": "ampeg_attack", "amp_hold": "ampeg_hold", "amp_decay": "ampeg_decay",
        "filtype": "fil_type", "amp_delay": "ampeg_delay", "amp_sustain": "ampeg_sustain",
        "amp_release": "ampeg_release",
    ]
}
