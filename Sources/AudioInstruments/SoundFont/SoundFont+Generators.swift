extension SoundFont {
    /// A parameter of a zone, by its number in the file. The names are those of the specification.
    /// Parameters without a name here have no effect in instruments.
    enum Generator: Int, CaseIterable {
        case startAddrsOffset = 0, endAddrsOffset, startloopAddrsOffset, endloopAddrsOffset, startAddrsCoarseOffset
        case modLfoToPitch, vibLfoToPitch, modEnvToPitch, initialFilterFc, initialFilterQ, modLfoToFilterFc
        case modEnvToFilterFc, endAddrsCoarseOffset, modLfoToVolume
        case chorusEffectsSend = 15, reverbEffectsSend, pan
        case delayModEnv = 25, attackModEnv, holdModEnv, decayModEnv, sustainModEnv, releaseModEnv
        case keynumToModEnvHold, keynumToModEnvDecay
        case delayVolEnv, attackVolEnv, holdVolEnv, decayVolEnv, sustainVolEnv, releaseVolEnv
        case keynumToVolEnvHold, keynumToVolEnvDecay, instrument
        case keyRange = 43, velRange, startloopAddrsCoarseOffset, keynum, velocity, initialAttenuation
        case endloopAddrsCoarseOffset = 50, coarseTune, fineTune, sampleID, sampleModes
        case scaleTuning = 56, exclusiveClass, overridingRootKey

        /// One more than the highest number.
        static let count = 59

        var defaultValue: Int {
            switch self {
            case .initialFilterFc: 13_500
            case .delayModEnv, .attackModEnv, .holdModEnv, .decayModEnv, .releaseModEnv, .delayVolEnv, .attackVolEnv,
                .holdVolEnv, .decayVolEnv, .releaseVolEnv:
                -12_000
            case .scaleTuning: 100
            case .keynum, .velocity, .overridingRootKey: -1
            default: 0
            }
        }

        /// The values to which a sum is limited.
        var limits: ClosedRange<Int> {
            switch self {
            case .initialFilterFc: 1_500...13_500
            case .initialFilterQ: 0...960
            case .modLfoToPitch, .vibLfoToPitch, .modEnvToPitch, .modLfoToFilterFc, .modEnvToFilterFc: -12_000...12_000
            case .chorusEffectsSend, .reverbEffectsSend, .sustainModEnv: 0...1_000
            case .pan: -500...500
            case .delayModEnv, .holdModEnv, .delayVolEnv, .holdVolEnv: -12_000...5_000
            case .attackModEnv, .decayModEnv, .releaseModEnv, .attackVolEnv, .decayVolEnv, .releaseVolEnv:
                -12_000...8_000
            case .keynumToModEnvHold, .keynumToModEnvDecay, .keynumToVolEnvHold, .keynumToVolEnvDecay, .scaleTuning:
                -1_200...1_200
            case .modLfoToVolume: -960...960
            case .sustainVolEnv, .initialAttenuation: 0...1_440
            case .coarseTune: -120...120
            case .fineTune: -99...99
            default: Int(Int16.min)...Int(Int16.max)
            }
        }

        /// Whether a preset may add to the value. The others belong to the sample.
        var isAdditive: Bool {
            switch self {
            case .startAddrsOffset, .endAddrsOffset, .startloopAddrsOffset, .endloopAddrsOffset,
                .startAddrsCoarseOffset, .endAddrsCoarseOffset, .startloopAddrsCoarseOffset, .endloopAddrsCoarseOffset,
                .keynum, .velocity, .sampleModes, .exclusiveClass, .overridingRootKey:
                false
            default: true
            }
        }
    }

    /// What a zone of a preset or instrument defines, with what it inherits from the global zone.
    struct ZoneValues {
        /// The instrument or sample that it plays.
        var target: Int?
        private(set) var modulators: [Modulator: Int16] = [:]
        /// Whether there are more modulators than are read.
        private(set) var hasFurtherModulators = false
        private var values = [Int16](repeating: 0, count: Generator.count)
        private var defined: UInt64 = 0

        subscript(generator: Generator) -> Int? {
            defined & 1 << UInt64(generator.rawValue) != 0 ? Int(values[generator.rawValue]) : nil
        }

        mutating func set(_ generator: Generator, _ value: Int16) {
            values[generator.rawValue] = value
            defined |= 1 << UInt64(generator.rawValue)
        }

        /// Zones have up to twenty. All zones could inherit those of a global zone.
        static let maximumModulators = 64

        mutating func set(_ modulator: Modulator, amount: Int16) {
            guard modulators.count < Self.maximumModulators || modulators[modulator] != nil else {
                return hasFurtherModulators = true
            }
            modulators[modulator] = amount
        }

        /// The keys or velocities of a range, whose lower end is in the lower byte; nil: none.
        func range(_ generator: Generator) -> ClosedRange<Int>? {
            let bits = UInt16(truncatingIfNeeded: self[generator] ?? 0x7F00)
            let (low, high) = (Int(bits & 0xFF), min(Int(bits >> 8), 127))
            return low <= high ? low...high : nil
        }
    }
}

extension SoundFont.Tables {
    /// Returns the zones of a preset (`phdr`) or an instrument (`inst`) that play something.
    func zones(of kind: Kind, _ record: Int) -> [SoundFont.ZoneValues] {
        let isPreset = kind == .phdr
        let (bag, generators, modulators): (Kind, Kind, Kind) =
            isPreset ? (.pbag, .pgen, .pmod) : (.ibag, .igen, .imod)
        let terminal = isPreset ? SoundFont.Generator.instrument : .sampleID
        var global = SoundFont.ZoneValues()
        var zones: [SoundFont.ZoneValues] = []
        let bags = records(of: bag, in: kind, record)
        for index in bags {
            var zone = global
            for place in records(of: generators, in: bag, index) where zone.target == nil {
                guard let generator = SoundFont.Generator(rawValue: self[generators].number(place, at: 0)) else {
                    continue
                }
                let value = self[generators].number(place, at: 2)
                if generator == terminal { zone.target = value }
                zone.set(generator, Int16(truncatingIfNeeded: value))
            }
            for place in records(of: modulators, in: bag, index) {
                let (modulator, amount) = SoundFont.Modulator.read(self[modulators], place)
                zone.set(modulator, amount: amount)
            }
            // The first zone is global if it plays nothing; others that play nothing are ignored.
            if zone.target != nil { zones.append(zone) } else if index == bags.first { global = zone }
        }
        return zones
    }
}
