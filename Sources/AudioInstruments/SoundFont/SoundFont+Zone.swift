internal import AudioRendering
internal import Glibc

extension SoundFont {
    /// A zone of a preset and a zone of its instrument, which are played together.
    struct ZonePair {
        let preset: ZoneValues
        let instrument: ZoneValues
        private(set) var modulation = Modulation()

        init(_ preset: ZoneValues, _ instrument: ZoneValues) {
            (self.preset, self.instrument) = (preset, instrument)
        }

        /// Adds up the modulators. There may be many pairs that are not played, and need none.
        mutating func readModulators() {
            var modulators = instrument.modulators.mapValues { Int($0) }
            for (modulator, amount) in preset.modulators {
                modulators[modulator, default: modulator.defaultAmount ?? 0] += Int(amount)
            }
            modulation = Modulation(modulators)
        }

        /// The instrument's value and what the preset adds to it, within the limits.
        subscript(generator: Generator) -> Int {
            let added = generator.isAdditive ? preset[generator] ?? 0 : 0
            let sum = (instrument[generator] ?? generator.defaultValue) + added
            return min(max(sum, generator.limits.lowerBound), generator.limits.upperBound)
        }

        /// The value of a generator that is either a key or a velocity, and not set if it is
        /// negative.
        private func fixed(_ generator: Generator) -> Int? {
            let value = self[generator]
            return (0...127).contains(value) ? value : nil
        }
        var fixedKey: Int? { fixed(.keynum) }
        private var fixedVelocity: Int? { fixed(.velocity).flatMap { $0 > 0 ? $0 : nil } }

        /// Frames by which a position in the sample is moved.
        func offset(_ fine: Generator, _ coarse: Generator) -> Int { self[fine] + 32_768 * self[coarse] }

        /// Frames of a sample from `first` up to `end`.
        struct Part {
            var first: Int
            var end: Int
        }

        /// The part of the sample that the zone plays. Presets do not change it. A compressed one
        /// is played to its end.
        func part(of header: Samples.Header) -> Part {
            let start = header.isCompressed ? 0 : header.start
            let end = header.isCompressed ? .max : header.end + offset(.endAddrsOffset, .endAddrsCoarseOffset)
            return Part(first: start + offset(.startAddrsOffset, .startAddrsCoarseOffset), end: end)
        }

        // MARK: Pitch and gain

        /// Returns whether the zone can have the pitch.
        func setPitch(of zone: inout InstrumentZone, rootKey: Int, correction: Int) -> Bool {
            zone.rootKey = fixed(.overridingRootKey) ?? ((0...127).contains(rootKey) ? rootKey : 60)
            let scale = self[.scaleTuning]
            var cents = 100 * self[.coarseTune] + self[.fineTune] + correction
            // Without an envelope of the pitch, the note has the pitch on which that would settle.
            cents += Int(Double(self[.modEnvToPitch]) * modulationSustain)
            zone.keyTracking = Double(scale)
            if let key = fixedKey {
                cents += scale * (key - zone.rootKey)
                zone.keyTracking = 0
            }
            zone.tuning = Double(min(max(cents, -12_000), 12_000))
            return abs(cents) <= 12_000
        }

        /// The hardware for which the format was made attenuates by 0.4 of the stated value, and so
        /// do the files' other players.
        private static let attenuationFactor = 0.4

        func setGain(of zone: inout InstrumentZone) {
            var decibels = -Self.attenuationFactor * Double(self[.initialAttenuation]) / 10
            // A resonance lowers the other frequencies by half its height.
            if zone.filter != nil { decibels -= Double(self[.initialFilterQ]) / 20 }
            zone.gain = Float(pow(10, decibels / 20))
            zone.velocityTracking = modulation.velocityTracking
            if let velocity = fixedVelocity {
                let gain = Float(velocity * velocity) / (127 * 127)
                zone.gain *= 1 + zone.velocityTracking * (gain - 1)
                zone.velocityTracking = 0
            }
            zone.pan = Float(self[.pan]) / 500
        }

        // MARK: Filter

        func filter(key: Double) -> InstrumentZone.Filter? {
            let range = self[.modEnvToFilterFc]
            let cutoff = self[.initialFilterFc]
            // By default the filter is open, and the envelope can only open it further.
            guard cutoff < 13_500 || range < 0 || !modulation.isEmpty else { return nil }
            var modulation = modulation
            modulation.fix(key: fixedKey, velocity: fixedVelocity)
            let cents = Double(cutoff) + modulation.cents
            func limited(_ cents: Double) -> Double { min(max(cents, -12_000), 12_000) }
            // Absolute cents begin at the frequency of key 0.
            var filter = InstrumentZone.Filter(
                .lowPass12, cutoff: min(max(440 * exp2((cents - 6_900) / 1_200), 1), 96_000),
                resonance: min(Double(self[.initialFilterQ]) / 10, 40))
            filter.velocityRange = limited(modulation.velocityRange)
            filter.pressureRange = limited(modulation.pressureRange)
            filter.keyTracking = min(max(modulation.keyTracking, -1_200), 1_200)
            filter.centerKey = 0
            filter.controller = modulation.controller
            filter.envelopeRange = Double(range)
            filter.envelope = modulationEnvelope(key: key)
            return filter
        }

        // MARK: Envelopes

        /// Times in timecents; -12,000, which is the default, means at once.
        private func seconds(_ generator: Generator) -> Double { Self.seconds(self[generator]) }

        private func seconds(_ generator: Generator, _ scaling: Generator, key: Double) -> Double {
            seconds(generator) * exp2(Double(self[scaling]) * (60 - key) / 1_200)
        }

        private static func seconds(_ timecents: Int) -> Double {
            timecents <= -12_000 ? 0 : exp2(Double(timecents) / 1_200)
        }

        /// A release is never shorter: it would click.
        private static let minimumRelease = exp2(-7_200.0 / 1_200)

        /// The gain. The format's times are those of a fall by 100 dB, an instrument's those of a
        /// fall by 90 dB. Decays to a sustain level approach it along another curve; both have the
        /// same level in decibels when half of the format's decay is over.
        func volumeEnvelope(key: Double) -> InstrumentZone.Envelope {
            let attenuation = Double(self[.sustainVolEnv]) / 10
            let sustain = attenuation < 90 ? pow(10, -attenuation / 20) : 0
            var decay = 0.9 * seconds(.decayVolEnv, .keynumToVolEnvDecay, key: key)
            if sustain > 0 {
                let half = sqrt(sustain)
                decay *= (attenuation / 200) * 100 / (-20 * log10(half / (1 + half)))
            }
            return Self.envelope(
                delay: seconds(.delayVolEnv), attack: seconds(.attackVolEnv),
                hold: seconds(.holdVolEnv, .keynumToVolEnvHold, key: key), decay: decay, sustain: sustain,
                release: 0.9 * max(seconds(.releaseVolEnv), Self.minimumRelease), curve: .exponential)
        }

        private var modulationSustain: Double { 1 - Double(self[.sustainModEnv]) / 1_000 }

        /// The envelope of the filter. The format's times are those of a fall by the whole range.
        private func modulationEnvelope(key: Double) -> InstrumentZone.Envelope {
            let sustain = modulationSustain
            return Self.envelope(
                delay: seconds(.delayModEnv), attack: seconds(.attackModEnv),
                hold: seconds(.holdModEnv, .keynumToModEnvHold, key: key),
                decay: (1 - sustain) * seconds(.decayModEnv, .keynumToModEnvDecay, key: key), sustain: sustain,
                release: (sustain > 0 ? sustain : 1) * seconds(.releaseModEnv), curve: .linear)
        }

        private static func envelope(
            delay: Double, attack: Double, hold: Double, decay: Double, sustain: Double, release: Double,
            curve: InstrumentZone.Envelope.Curve
        ) -> InstrumentZone.Envelope {
            .init(
                delay: min(delay, 60), attack: min(attack, 60), hold: min(hold, 60), decay: min(decay, 60),
                sustain: sustain, release: min(release, 60), curve: curve)
        }

        /// Divides keys into parts whose envelopes can be the same: times that depend on the key
        /// differ by at most 6 % (100 timecents) from those of the part's middle.
        func parts(of keys: ClosedRange<Int>) -> [ClosedRange<Int>] {
            var scalings: [Generator] = [.keynumToVolEnvHold, .keynumToVolEnvDecay]
            if self[.modEnvToFilterFc] != 0 { scalings += [.keynumToModEnvHold, .keynumToModEnvDecay] }
            let scaling = scalings.map { abs(self[$0]) }.max() ?? 0
            guard scaling > 0, fixedKey == nil else { return [keys] }
            let count = 1 + 200 / scaling
            return stride(from: keys.lowerBound, through: keys.upperBound, by: count).map {
                $0...min($0 + count - 1, keys.upperBound)
            }
        }
    }
}
