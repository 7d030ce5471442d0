internal import AudioRendering
internal import Glibc

extension SFZFile {
    /// Reads the sound files, each once, and returns the zones that play them.
    ///
    /// `head`: how many seconds of a long sound are in memory after the first frame of each region
    /// that plays it, 0.1…60; the rest is streamed from the file while notes play (`StreamedSound`
    /// says how). Sounds that are at most twice as long as what would be in memory are read as a
    /// whole, as are Ogg and MP3 files, files of unknown length, and those with more than 8
    /// channels. nil: all sounds are in memory.
    ///
    /// A region whose sound cannot be read is left out, and a problem. Reads the files one after
    /// the other, which may take seconds: not for the main thread. Throws if the head is out of
    /// range, if no sound can be read, or if what is in memory needs more than `memoryLimit` bytes
    /// as 32-bit samples.
    public func load(memoryLimit: Int = 1 << 30, head: Double? = nil) throws(SFZFileError) -> SFZInstrument {
        if let head, !(0.1...60).contains(head) { throw SFZFileError(.invalidHead(head), path: path) }
        var loader = Loader(regions, memoryLimit: memoryLimit, head: head)
        var zones: [InstrumentZone] = []
        do throws(SFZFileError) {
            for region in regions {
                zones += try loader.zones(of: region)
                guard zones.count <= Self.maximumRegionCount else {
                    zones = Array(zones.prefix(Self.maximumRegionCount))
                    loader.problems.add(.tooManyRegions(limit: Self.maximumRegionCount), region.place)
                    break
                }
            }
            guard !zones.isEmpty else { throw SFZFileError(.noSounds(reason: loader.firstReason ?? "there is none.")) }
        } catch {
            throw path.map(error.of) ?? error
        }
        var configuration = AudioInstrument.Configuration()
        configuration.bendRange = loader.bendRange(of: regions)
        return SFZInstrument(
            zones: zones, configuration: configuration, problems: problems + loader.problems.finished())
    }

    /// Reads sounds, and makes zones of regions.
    struct Loader {
        private let alternatives: Alternatives
        var problems = ProblemList()
        /// Why the first sound could not be read.
        private(set) var firstReason: String?
        private var sounds: Sounds
        /// The numbers of choke groups, which are those of instruments from 1 on.
        private var groups: [Int: Int] = [:]

        init(_ regions: [Region], memoryLimit: Int, head: Double?) {
            alternatives = Alternatives(regions)
            sounds = Sounds(regions, memoryLimit: memoryLimit, head: head)
        }

        /// Returns the region's sound; nil if it cannot be read.
        private mutating func sound(of region: Region) throws(SFZFileError) -> Sounds.Sound? {
            do {
                return try sounds.sound(of: region)
            } catch let error as SFZFileError {
                throw error
            } catch {
                fail(.soundNotRead(path: region.path.description, reason: "\(error)"), "\(error)", region)
                return nil
            }
        }

        private mutating func fail(_ kind: Problem.Kind, _ reason: String, _ region: Region) {
            firstReason = firstReason ?? reason
            problems.add(kind, region.place)
        }

        // MARK: Zones

        /// Returns the zones that play a region, one for each turn in which it is played; none if
        /// it has no sound.
        mutating func zones(of region: Region) throws(SFZFileError) -> [InstrumentZone] {
            guard let sound = try sound(of: region), let keys = region.keys else { return [] }
            let start = region.offset - sound.firstFrame
            guard (0..<sound.samples.frameCount).contains(start) else {
                let reason = "its offset is beyond the end of the sound"
                fail(.regionLeftOut(reason: reason), "\(reason).", region)
                return []
            }
            var zone = InstrumentZone(sound.samples)
            zone.keys = keys
            zone.velocities = max(region.lowVelocity, 1)...max(region.highVelocity, 1)
            zone.programs = region.lowProgram...region.highProgram
            zone.rootKey = region.rootKey ?? sound.rootKey ?? 60
            zone.tuning = min(max(region.tune + 100 * region.transpose, -12_000), 12_000)
            zone.keyTracking = region.keyTracking
            zone.pan = Float(region.pan / 100)
            zone.startFrame = start
            zone.trigger = region.start == .release ? .release : .attack
            zone.envelope = .init(
                delay: region.delay, attack: region.attack, hold: region.hold, decay: region.decay,
                sustain: region.sustain / 100, release: region.release, curve: .exponential)
            zone.filter = filter(of: region, sound)
            setGain(of: &zone, region)
            setLoop(of: &zone, region, sound)
            zone.group = number(ofGroup: region.group)
            zone.chokedBy = number(ofGroup: region.offBy)
            zone.chokeTime =
                switch region.offMode {
                case .fast: 0.006
                case .normal: region.release
                case .time: region.offTime
                }
            if region.isRandom {
                let how = "regions that alternate at random are played in turn"
                problems.add(.playedOtherwise(opcode: "lorand, hirand", how: how), region.place)
            }
            return alternatives.turns(of: region).map { turn in
                var copy = zone
                copy.roundRobin = turn
                return copy
            }
        }

        private mutating func filter(of region: Region, _ sound: Sounds.Sound) -> InstrumentZone.Filter? {
            guard region.cutoff > 0, let response = region.filterResponse else { return nil }
            guard sound.samples.channels <= 8 else {
                let how = "sounds with more than 8 channels are not filtered"
                problems.add(.playedOtherwise(opcode: "cutoff", how: how), region.place)
                return nil
            }
            var filter = InstrumentZone.Filter(
                response, cutoff: min(max(region.cutoff, 1), 96_000), resonance: region.resonance)
            filter.keyTracking = region.filterKeyTracking
            filter.centerKey = min(max(region.filterKey ?? 60, 0), 127)
            filter.velocityRange = region.filterVelocityRange
            filter.pressureRange =
                region.channelPressureRange != 0 ? region.channelPressureRange : region.keyPressureRange
            if region.channelPressureRange != region.keyPressureRange {
                let how = "channel and key pressure move the filter alike"
                problems.add(.playedOtherwise(opcode: "cutoff_chanaft, cutoff_polyaft", how: how), region.place)
            }
            filter.controller = region.filterController
            filter.envelopeRange = region.filterDepth
            filter.envelope = .init(
                delay: region.filterDelay, attack: region.filterAttack, hold: region.filterHold,
                decay: region.filterDecay, sustain: region.filterSustain / 100, release: region.filterRelease)
            return filter
        }

        private mutating func setGain(of zone: inout InstrumentZone, _ region: Region) {
            let decibels = region.volume + region.groupVolume + region.masterVolume + region.globalVolume
            let gain = pow(10, decibels / 20) * region.amplitude / 100
            zone.gain = Float(region.isInverted ? -gain : gain)
            zone.velocityTracking = Float(max(region.velocityTracking, 0) / 100)
            if region.velocityTracking < 0 {
                let how = "a negative value has no effect; the velocity does not change the gain"
                problems.add(.playedOtherwise(opcode: "amp_veltrack", how: how), region.place)
            }
        }

        private mutating func setLoop(of zone: inout InstrumentZone, _ region: Region, _ sound: Sounds.Sound) {
            let mode = region.loopMode ?? (sound.loop == nil ? .noLoop : .continuous)
            zone.isOneShot = mode == .oneShot
            guard mode == .continuous || mode == .sustain, zone.trigger == .attack else { return }
            let frames = sound.samples.frameCount
            let first = region.loopStart ?? sound.loop.map { Int($0.lowerBound) } ?? sound.firstFrame
            let last = region.loopEnd.map { $0 + 1 } ?? sound.loop.map { Int($0.upperBound) } ?? .max
            let (start, end) = (max(first - sound.firstFrame, 0), min(last - sound.firstFrame, frames))
            guard start < end else {
                let how = "the loop from frame \(first) to \(last) is empty or outside the sound; it is not played"
                return problems.add(.playedOtherwise(opcode: "loop_start, loop_end", how: how), region.place)
            }
            zone.loop = start..<end
            zone.leavesLoop = mode == .sustain
            let fade = region.loopFade * Double(sound.samples.sampleRate ?? 48_000)
            zone.loopFadeFrames = min(Int(fade), start, end - start)
        }

        private mutating func number(ofGroup group: Int) -> Int {
            guard group != 0 else { return 0 }
            let number = groups[group] ?? groups.count + 1
            groups[group] = number
            return number
        }

        /// Returns the range of the pitch bend in semitones: that of the first region.
        mutating func bendRange(of regions: [Region]) -> Double {
            guard let first = regions.first else { return 2 }
            let cents = abs(first.bendUp)
            for region in regions where abs(region.bendUp) != cents || abs(region.bendDown) != cents {
                let how = "all regions bend by \(cents) cents, up and down"
                problems.add(.playedOtherwise(opcode: "bend_up, bend_down", how: how), region.place)
            }
            return min(cents / 100, 96)
        }
    }
}
