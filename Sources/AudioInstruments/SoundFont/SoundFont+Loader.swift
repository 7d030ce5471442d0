internal import AudioRendering

extension SoundFont {
    /// Reads the samples of presets, and returns the zones that play them, by their programs: a
    /// program without a preset plays that of the next lower one, or of the lowest. So one preset
    /// alone plays for every program, and a drum kit that the bank does not have is another kit
    /// instead of silence. Presets of one program sound together, also if they are in different
    /// banks: a piano and a drum kit of program 0, for example. Load each bank by itself, for an
    /// instrument of its own. A preset that is given several times counts once.
    ///
    /// `head`: how many seconds of a long sample are in memory after the first frame of each zone
    /// that plays it, 0.1…60; the rest is streamed from the file while notes play (`StreamedSound`
    /// says how). The file stays open as long as there are such zones. Samples that are at most
    /// twice as long as what would be in memory are read as a whole, as are compressed ones. nil:
    /// all samples are in memory.
    ///
    /// Zones whose sample cannot be read are left out, and a problem. Reads from the disk, which
    /// may take seconds, above all to decode compressed samples: not for the main thread. Throws
    /// if the head is out of range, if a preset is not of this value (of a file that was read
    /// again, for example), if nothing can be played, or if what is in memory needs more than
    /// `memoryLimit` bytes as 32-bit samples. While a sample is read, it needs up to two and a half
    /// times its memory.
    public func load(
        _ presets: [Preset], memoryLimit: Int = 1 << 30, head: Double? = nil
    ) throws(SoundFontError) -> SoundFontInstrument {
        if let head, !(0.1...60).contains(head) { throw SoundFontError(.invalidHead(head), path: bytes.path) }
        let known = Set(self.presets)
        for preset in presets where !known.contains(preset) {
            throw SoundFontError(.presetNotFound(name: preset.name), path: bytes.path)
        }
        var added: Set<Preset> = []
        let presets = presets.filter { added.insert($0).inserted }
        let programs = Set(presets.map(\.program)).sorted()
        var loader = Loader(self, presets, memoryLimit: memoryLimit, head: head)
        for (place, program) in programs.enumerated() {
            let next = place + 1 < programs.count ? programs[place + 1] : 128
            for preset in presets where preset.program == program {
                try loader.add(preset, programs: (place == 0 ? 0 : program)...(next - 1))
            }
        }
        guard !loader.zones.isEmpty else {
            let reason =
                loader.firstReason
                ?? (presets.isEmpty ? "no presets were asked for" : "the presets have no zones that notes play")
            throw SoundFontError(.noSounds(reason: reason), path: bytes.path)
        }
        var configuration = AudioInstrument.Configuration()
        let layers = Self.mostZonesOfNote(loader.zones)
        // 4,096 is the highest polyphony of an instrument.
        configuration.polyphony = min(configuration.polyphony * layers, 4_096)
        return SoundFontInstrument(
            zones: loader.zones, configuration: configuration, problems: problems + loader.problems.finished())
    }

    /// Loads the presets of a bank, for instruments that follow program changes: 0, or `drumBank`
    /// for channel 10. Of presets with the same program, only the first one.
    /// `head` is that of the other `load`.
    public func load(
        bank: Int, memoryLimit: Int = 1 << 30, head: Double? = nil
    ) throws(SoundFontError) -> SoundFontInstrument {
        var programs: Set<Int> = []
        let presets = presets.filter { $0.bank == bank && programs.insert($0.program).inserted }
        guard !presets.isEmpty else { throw SoundFontError(.noBank(bank), path: bytes.path) }
        return try load(presets, memoryLimit: memoryLimit, head: head)
    }

    /// Returns the number of zones that a note plays, of the note that plays the most.
    private static func mostZonesOfNote(_ zones: [InstrumentZone]) -> Int {
        let velocities = 129
        // How many zones more each velocity plays than the one below it, for each key.
        var changes: [ClosedRange<Int>: [Int32]] = [:]
        for zone in zones {
            for key in zone.keys {
                let (first, end) = (zone.velocities.lowerBound, zone.velocities.upperBound + 1)
                changes[zone.programs, default: Array(repeating: 0, count: 128 * velocities)][
                    key * velocities + first] += 1
                changes[zone.programs]?[key * velocities + end] -= 1
            }
        }
        // The changes of a key add up to 0.
        let most = changes.values.map { changes in
            changes.reduce(into: (sum: Int32(0), most: Int32(0))) { $0 = ($0.sum + $1, max($0.most, $0.sum + $1)) }.most
        }
        return Int(most.max() ?? 0)
    }

    /// Makes zones of presets.
    struct Loader {
        private(set) var zones: [InstrumentZone] = []
        var problems = ProblemList()
        /// Why the first zones were left out.
        private(set) var firstReason: String?
        private let font: SoundFont
        private var samples: Samples
        private var instruments: [Int: [ZoneValues]] = [:]
        /// The number of pairs of zones that have been compared.
        private var pairs = 0
        /// The places of problems.
        private var unsupportedModulators: [Modulator: Int] = [:]
        /// The numbers of choke groups, by preset and exclusive class.
        private var groups: [[Int]: Int] = [:]

        /// Each zone of a preset is compared with all zones of its instrument. A file of which
        /// every zone refers to the same large instrument would have billions of pairs.
        private static let maximumPairs = 1 << 20

        /// Makes no zones yet. `presets`: those that will be added.
        init(_ font: SoundFont, _ presets: [Preset], memoryLimit: Int, head: Double?) {
            (self.font, samples) = (font, Samples(font, memoryLimit: memoryLimit, head: head))
            if head != nil { findStarts(of: presets) }
        }

        /// Finds where in the samples zones begin, which the heads of streamed ones must reach.
        private mutating func findStarts(of presets: [Preset]) {
            let zones = presets.flatMap { font.tables.zones(of: .phdr, $0.index) }
            for target in Set(zones.compactMap(\.target)) where target < font.tables[.inst].count - 1 {
                for zone in instrumentZones(target) {
                    let record = zone.target ?? 0
                    guard let header = Samples.Header(font.tables, record) else { continue }
                    samples.addStart(record, header, ZonePair(ZoneValues(), zone).part(of: header))
                }
            }
        }

        mutating func add(_ preset: Preset, programs: ClosedRange<Int>) throws(SoundFontError) {
            problems.preset = preset.name
            for zone in font.tables.zones(of: .phdr, preset.index) {
                guard let target = zone.target else { continue }
                guard target < font.tables[.inst].count - 1 else {
                    leaveOut(.zonesLeftOut(reason: "there is no instrument \(target)"), "an instrument is missing")
                    continue
                }
                for other in instrumentZones(target) {
                    pairs += 1
                    guard pairs <= Self.maximumPairs, zones.count < SoundFont.maximumZoneCount else {
                        return leaveOutFurther()
                    }
                    guard let keys = common(.keyRange, zone, other), let range = common(.velRange, zone, other),
                        range.upperBound > 0
                    else { continue }
                    var pair = ZonePair(zone, other)
                    guard var zone = try self.zone(pair, preset) else { continue }
                    pair.readModulators()
                    addProblems(of: pair)
                    zone.velocities = max(range.lowerBound, 1)...range.upperBound
                    zone.programs = programs
                    addParts(of: keys, pair, zone)
                }
            }
        }

        private mutating func instrumentZones(_ instrument: Int) -> [ZoneValues] {
            if let known = instruments[instrument] { return known }
            let zones = font.tables.zones(of: .inst, instrument)
            instruments[instrument] = zones
            return zones
        }

        private func common(_ range: Generator, _ a: ZoneValues, _ b: ZoneValues) -> ClosedRange<Int>? {
            guard let a = a.range(range), let b = b.range(range), a.overlaps(b) else { return nil }
            return a.clamped(to: b)
        }

        private mutating func leaveOutFurther() {
            let reason = "there are more than \(SoundFont.maximumZoneCount) zones, or too many that no note plays"
            leaveOut(.zonesLeftOut(reason: reason), reason)
        }

        private mutating func leaveOut(_ problem: Problem.Kind, _ reason: String) {
            firstReason = firstReason ?? reason
            problems.add(problem)
        }

        /// Returns what does not depend on the key; nil if the sample cannot be played.
        private mutating func zone(_ pair: ZonePair, _ preset: Preset) throws(SoundFontError) -> InstrumentZone? {
            let record = pair.instrument.target ?? 0
            guard let header = Samples.Header(font.tables, record) else {
                leaveOut(.zonesLeftOut(reason: "there is no sample \(record)"), "a sample is missing")
                return nil
            }
            let part = pair.part(of: header)
            do {
                let sound = try samples.sound(record, header, part)
                var zone = InstrumentZone(sound.samples)
                zone.startFrame = max(part.first - sound.firstFrame, 0)
                guard zone.startFrame < sound.samples.frameCount else {
                    throw Samples.Failure(reason: "a zone begins beyond its end")
                }
                if !pair.setPitch(of: &zone, rootKey: header.rootKey, correction: header.correction) {
                    let how = "zones are detuned by at most 12,000 cents"
                    problems.add(.playedOtherwise("coarseTune", how: how))
                }
                setLoop(of: &zone, pair, header, firstFrame: sound.firstFrame)
                setGroup(of: &zone, pair, preset)
                return zone
            } catch let error as SoundFontError {
                throw error
            } catch {
                let reason = (error as? Samples.Failure)?.reason ?? "\(error)"
                leaveOut(.sampleNotRead(name: header.name, reason: reason), "sample '\(header.name)': \(reason)")
                return nil
            }
        }

        private mutating func setLoop(
            of zone: inout InstrumentZone, _ pair: ZonePair, _ header: Samples.Header, firstFrame: Int
        ) {
            let mode = pair[.sampleModes] & 3
            guard mode == 1 || mode == 3 else { return }
            let loop = header.loop ?? 0..<0
            let begin = loop.lowerBound + pair.offset(.startloopAddrsOffset, .startloopAddrsCoarseOffset) - firstFrame
            let end = loop.upperBound + pair.offset(.endloopAddrsOffset, .endloopAddrsCoarseOffset) - firstFrame
            // A part of a loop would have another pitch.
            guard begin >= 0, begin < end, end <= zone.sound.frameCount, zone.startFrame < end else {
                let how =
                    "the loop of '\(header.name)' is empty, outside the sample or before its start; it is not played"
                problems.add(.playedOtherwise("sampleModes", how: how))
                return
            }
            zone.loop = begin..<end
            zone.leavesLoop = mode == 3
        }

        /// Zones of one exclusive class end each other, within a preset.
        private mutating func setGroup(of zone: inout InstrumentZone, _ pair: ZonePair, _ preset: Preset) {
            let number = pair[.exclusiveClass]
            guard number != 0 else { return }
            let group = groups[[preset.index, number]] ?? groups.count + 1
            groups[[preset.index, number]] = group
            (zone.group, zone.chokedBy, zone.chokeTime) = (group, group, 0.05)
        }

        /// Adds a zone for each part of the keys.
        private mutating func addParts(of keys: ClosedRange<Int>, _ pair: ZonePair, _ zone: InstrumentZone) {
            for part in pair.parts(of: keys) {
                guard zones.count < SoundFont.maximumZoneCount else { return leaveOutFurther() }
                let key = pair.fixedKey.map(Double.init) ?? Double(part.lowerBound + part.upperBound) / 2
                var zone = zone
                zone.keys = part
                zone.envelope = pair.volumeEnvelope(key: key)
                zone.filter = pair.filter(key: key)
                pair.setGain(of: &zone)
                zones.append(zone)
            }
        }

        /// What has no effect, if it is not 0.
        private static let unsupported: [Generator] = [
            .modLfoToPitch, .vibLfoToPitch, .modLfoToFilterFc, .modLfoToVolume, .chorusEffectsSend,
            .reverbEffectsSend,
        ]

        private mutating func addProblems(of pair: ZonePair) {
            for generator in Self.unsupported where pair[generator] != 0 {
                problems.add(.unsupportedGenerator("\(generator)", count: 1))
            }
            // Without its description for each of thousands of zones.
            for modulator in pair.modulation.unsupported {
                if let place = unsupportedModulators[modulator] {
                    problems.count(place)
                } else {
                    let problem = Problem.Kind.unsupportedModulator(modulator.description, count: 1)
                    unsupportedModulators[modulator] = problems.add(problem)
                }
            }
            if pair.preset.hasFurtherModulators || pair.instrument.hasFurtherModulators {
                let how = "a zone has more than \(ZoneValues.maximumModulators); the others have no effect"
                problems.add(.playedOtherwise("modulators", how: how))
            }
            if pair.modulation.hasOtherCurve {
                let how = "the velocity changes the gain along another curve"
                problems.add(.playedOtherwise("velocity to initialAttenuation", how: how))
            }
            if pair[.modEnvToPitch] != 0 {
                problems.add(.playedOtherwise("modEnvToPitch", how: "notes begin with the pitch of the sustain level"))
            }
            if pair[.delayVolEnv] > -12_000 {
                problems.add(.playedOtherwise("delayVolEnv", how: "the sample begins to play before it is heard"))
            }
            if pair[.initialFilterQ] > 400 {
                problems.add(.playedOtherwise("initialFilterQ", how: "resonances of more than 40 dB are 40 dB"))
            }
            for generator in [.attackVolEnv, .decayVolEnv, .releaseVolEnv] as [Generator]
            where pair[generator] > 7_088 {
                problems.add(.playedOtherwise("\(generator)", how: "times of more than 60 s are 60 s"))
            }
        }
    }
}
