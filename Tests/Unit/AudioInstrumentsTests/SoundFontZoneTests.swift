import AudioInstruments
import AudioRendering
import Glibc
import Testing

/// The effect of each generator in the zones of an instrument.
@Suite struct SoundFontZoneTests {
    typealias Amounts = [(SoundFontWriter.Generator, Int)]

    private func load(_ writer: SoundFontWriter) throws -> SoundFontInstrument {
        let font = try SoundFont(data: writer.bytes())
        return try font.load(font.presets)
    }

    /// The zone of a file with one zone.
    private func zone(
        preset: Amounts = [], _ generators: Amounts = [], modulators: [[Int]] = [], problems: Int = 0
    ) throws -> InstrumentZone {
        let loaded = try load(SoundFontWriter(preset: preset, generators, modulators: modulators))
        #expect(loaded.zones.count == 1 && loaded.problems.count == problems, "\(loaded.problems)")
        return try #require(loaded.zones.first)
    }

    private func isClose(_ a: Float, _ b: Double) -> Bool { abs(Double(a) - b) < 1e-6 }

    @Test("without generators, a zone plays all notes at the sample's pitch")
    func defaults() throws {
        let zone = try zone()
        #expect(zone.keys == 0...127 && zone.velocities == 1...127 && zone.programs == 0...127)
        #expect(zone.rootKey == 60 && zone.tuning == 0 && zone.keyTracking == 100)
        #expect(zone.gain == 1 && zone.pan == 0 && zone.velocityTracking == 1 && zone.filter == nil)
        #expect(zone.loop == nil && !zone.isOneShot && zone.startFrame == 0 && zone.group == 0 && zone.chokedBy == 0)
        #expect(zone.envelope == .init(release: 0.9 / 64, curve: .exponential))
        #expect(zone.sound.frameCount == 1_000 && zone.sound.sampleRate == 48_000)
    }

    @Test("the ranges of preset and instrument intersect")
    func ranges() throws {
        let zone = try zone(
            preset: [(.keyRange, 40 + 80 << 8), (.velRange, 0 + 99 << 8)],
            [(.keyRange, 60 + 127 << 8), (.velRange, 50 + 127 << 8)])
        #expect(zone.keys == 60...80 && zone.velocities == 50...99)
        #expect(try self.zone([(.velRange, 0 + 1 << 8)]).velocities == 1...1)
        #expect(try self.zone([(.keyRange, 5 + 255 << 8)]).keys == 5...127)
        for empty: [(SoundFontWriter.Generator, Int)] in [
            [(.velRange, 0)], [(.keyRange, 9 + 8 << 8)], [(.keyRange, 0 + 39 << 8)],
        ] {
            let writer = SoundFontWriter(preset: [(.keyRange, 40 + 80 << 8)], empty)
            #expect(throws: SoundFontError.self) { try load(writer) }
        }
    }

    @Test("pitch: root key, tuning, scale and a fixed key")
    func pitch() throws {
        var writer = SoundFontWriter(preset: [(.coarseTune, 1)], [(.coarseTune, -12), (.fineTune, 30)])
        writer.samples[0].correction = -7
        writer.samples[0].rootKey = 72
        let tuned = try #require(try load(writer).zones.first)
        #expect(tuned.tuning == -1_100 + 30 - 7 && tuned.rootKey == 72)
        writer.samples[0].rootKey = 255
        #expect(try load(writer).zones.first?.rootKey == 60, "255 means that the sample has no pitch")
        #expect(try zone(preset: [(.overridingRootKey, 1)], [(.overridingRootKey, 48)]).rootKey == 48)
        #expect(try zone(preset: [(.scaleTuning, -20)], [(.scaleTuning, 70)]).keyTracking == 50)
        let fixed = try zone([(.keynum, 64), (.scaleTuning, 50)])
        #expect(fixed.keyTracking == 0 && fixed.tuning == 200)
        // The highest coarse and fine tuning, and more than a zone can have.
        #expect(try zone([(.coarseTune, 119), (.fineTune, 99)]).tuning == 11_999)
        #expect(try zone([(.coarseTune, 200), (.fineTune, 0)]).tuning == 12_000)
        #expect(try zone([(.coarseTune, 200), (.fineTune, -200)]).tuning == 11_901)
        #expect(try zone([(.coarseTune, 120), (.fineTune, 1)], problems: 1).tuning == 12_000)
        #expect(try zone([(.coarseTune, -200), (.fineTune, -200)], problems: 1).tuning == -12_000)
        // A pitch envelope has no effect but that of its sustain level.
        #expect(try zone([(.modEnvToPitch, 600), (.sustainModEnv, 750)], problems: 1).tuning == 150)
    }

    @Test("gain: attenuation by 0.4 of the stated value, pan, a fixed velocity")
    func gain() throws {
        #expect(isClose(try zone(preset: [(.initialAttenuation, 100)], [(.initialAttenuation, 150)]).gain, 0.316228))
        #expect(try zone(preset: [(.initialAttenuation, -100)], [(.initialAttenuation, 50)]).gain == 1)
        #expect(try zone(preset: [(.pan, -100)], [(.pan, 350)]).pan == 0.5)
        #expect(try zone(preset: [(.pan, 500)], [(.pan, 500)]).pan == 1)
        let fixed = try zone([(.velocity, 64)])
        #expect(fixed.velocityTracking == 0 && isClose(fixed.gain, 64 * 64 / (127.0 * 127)))
    }

    @Test("the volume envelope: times, sustain and key scaling")
    func envelope() throws {
        let zone = try zone(
            preset: [(.attackVolEnv, 1_200)],
            [
                (.delayVolEnv, -1_200), (.attackVolEnv, -2_400), (.holdVolEnv, 0), (.decayVolEnv, 1_200),
                (.sustainVolEnv, 1_000), (.releaseVolEnv, 600),
            ], problems: 1)
        #expect(zone.envelope.delay == 0.5 && zone.envelope.attack == 0.5 && zone.envelope.hold == 1)
        #expect(zone.envelope.decay == 1.8 && zone.envelope.sustain == 0)
        #expect(abs(zone.envelope.release - 0.9 * sqrt(2)) < 1e-9)
        // A decay to −20 dB takes 0.4 s of 2 s; halfway through it, both envelopes are at −10 dB.
        let sustained = try self.zone([(.decayVolEnv, 1_200), (.sustainVolEnv, 200)]).envelope
        #expect(abs(sustained.sustain - 0.1) < 1e-9)
        let level = 0.1 + 0.9 * pow(10, -90 / 20 * 0.2 / sustained.decay)
        #expect(abs(20 * log10(level) + 10) < 0.01, "\(level)")
        #expect(try self.zone([(.decayVolEnv, 1_200)]).envelope.decay == 0)
        #expect(try self.zone([(.attackVolEnv, 8_000)], problems: 1).envelope.attack == 60)
        let long = try self.zone([(.decayVolEnv, 7_300), (.sustainVolEnv, 1_000)], problems: 1)
        #expect(long.envelope.decay == 60)
        #expect(try self.zone([(.releaseVolEnv, 8_000)], problems: 1).envelope.release == 60)
    }

    @Test("times that depend on the key divide a zone, with at most 6 % of difference")
    func keyScaling() throws {
        let decay = 0.9
        let amounts: Amounts = [(.decayVolEnv, 0), (.sustainVolEnv, 1_000), (.keyRange, 58 + 64 << 8)]
        let parts = try load(SoundFontWriter(amounts + [(.keynumToVolEnvDecay, 100)])).zones
        #expect(parts.map(\.keys) == [58...60, 61...63, 64...64])
        for part in parts {
            let key = Double(part.keys.lowerBound + part.keys.upperBound) / 2
            #expect(abs(part.envelope.decay - decay * exp2((60 - key) / 12)) < 1e-9)
        }
        let single = try load(SoundFontWriter(amounts + [(.keynumToVolEnvDecay, -1_200)])).zones
        #expect(single.map(\.keys) == (58...64).map { $0...$0 } && single[0].envelope.decay == decay / 4)
        let fixed = try zone(amounts + [(.keynumToVolEnvDecay, 1_200), (.keynum, 61)])
        #expect(fixed.envelope.decay == decay / 2)
        let held = try load(SoundFontWriter([(.holdVolEnv, 0), (.keynumToVolEnvHold, 1_200)])).zones
        #expect(held.count == 128 && held[59].envelope.hold == 2)
    }

    @Test("times of the filter's envelope that depend on the key")
    func filterKeyScaling() throws {
        let amounts: Amounts = [
            (.modEnvToFilterFc, -1_200), (.holdModEnv, 0), (.decayModEnv, 0), (.sustainModEnv, 500),
            (.keyRange, 58 + 62 << 8), (.keynumToModEnvHold, 1_200),
        ]
        let zones = try load(SoundFontWriter(amounts + [(.keynumToModEnvDecay, -600)])).zones
        #expect(zones.map(\.keys) == (58...62).map { $0...$0 })
        for (place, factor) in [(0, 2.0), (2, 0), (4, -2)] {
            let envelope = try #require(zones[place].filter?.envelope)
            #expect(abs(envelope.hold - exp2(factor)) < 1e-9 && abs(envelope.decay - 0.5 * exp2(-factor / 2)) < 1e-9)
        }
        // Without an envelope of the filter, they do not divide a zone.
        #expect(try load(SoundFontWriter([(.keynumToModEnvHold, 1_200)])).zones.count == 1)
        // From a sustain level of 0, a release begins only before the decay is over.
        let silent = try zone([(.modEnvToFilterFc, -1_200), (.sustainModEnv, 1_000), (.releaseModEnv, 1_200)])
        #expect(silent.filter?.envelope.sustain == 0 && silent.filter?.envelope.release == 2)
    }

    @Test("coarse offsets are 32,768 frames")
    func coarseOffsets() throws {
        var writer = SoundFontWriter([
            (.startAddrsCoarseOffset, 1), (.startAddrsOffset, 5), (.endAddrsCoarseOffset, -2), (.sampleModes, 1),
            (.startloopAddrsCoarseOffset, 1), (.endloopAddrsCoarseOffset, 2),
        ])
        writer.samples[0] = .init(frames: Array(repeating: 0, count: 200_000), loop: 40_000..<41_000)
        let zone = try #require(try load(writer).zones.first)
        #expect(zone.startFrame == 32_773 && zone.sound.frameCount == 200_000 - 65_536)
        #expect(zone.loop == 72_768..<106_536)
    }

    @Test("the filter: cutoff frequency, resonance, envelope")
    func filter() throws {
        let zone = try zone(
            preset: [(.initialFilterFc, -1_200)],
            [
                (.initialFilterFc, 8_100), (.initialFilterQ, 100), (.modEnvToFilterFc, 2_400), (.delayModEnv, 0),
                (.attackModEnv, -1_200), (.holdModEnv, 1_200), (.decayModEnv, 1_200), (.sustainModEnv, 250),
                (.releaseModEnv, 2_400),
            ])
        let filter = try #require(zone.filter)
        #expect(filter.response == .lowPass12 && abs(filter.cutoff - 440) < 1e-6 && filter.resonance == 10)
        #expect(filter.envelopeRange == 2_400)
        #expect(
            filter.envelope == .init(delay: 1, attack: 0.5, hold: 2, decay: 0.5, sustain: 0.75, release: 3))
        #expect(isClose(zone.gain, pow(10, -5 / 20.0)), "the resonance lowers the rest by half its height")
        #expect(try self.zone([(.initialFilterQ, 100), (.modEnvToFilterFc, 500)]).filter == nil)
        #expect(try self.zone([(.initialFilterQ, 100)]).gain == 1)
        #expect(try self.zone([(.modEnvToFilterFc, -500)]).filter?.envelopeRange == -500)
        #expect(
            try self.zone([(.initialFilterFc, 5_000), (.initialFilterQ, 960)], problems: 1).filter?.resonance == 40)
    }

    @Test("loop modes and offsets; a loop that is empty or outside is a problem")
    func loops() throws {
        func zone(_ generators: Amounts, problems: Int = 0) throws -> InstrumentZone {
            var writer = SoundFontWriter(generators)
            writer.samples.insert(.init(), at: 0)
            writer.samples[1].loop = 100..<900
            writer.instruments[0].zones[0].target = 1
            let loaded = try load(writer)
            #expect(loaded.problems.count == problems, "\(loaded.problems)")
            return try #require(loaded.zones.first)
        }
        #expect(try zone([]).loop == nil && zone([(.sampleModes, 2)]).loop == nil)
        let looped = try zone([(.sampleModes, 1)])
        #expect(looped.loop == 100..<900 && !looped.leavesLoop)
        #expect(try zone([(.sampleModes, 3)]).leavesLoop)
        let moved = try zone([
            (.sampleModes, 1), (.startloopAddrsOffset, -50), (.endloopAddrsOffset, 20), (.startAddrsOffset, 10),
            (.endAddrsOffset, -30),
        ])
        #expect(moved.loop == 50..<920 && moved.startFrame == 10 && moved.sound.frameCount == 970)
        let early = try zone([(.startAddrsOffset, -6), (.endAddrsOffset, 4), (.sampleModes, 1)])
        #expect(early.sound.frameCount == 1_010 && early.startFrame == 0 && early.loop == 106..<906)
        let whole: Amounts = [(.sampleModes, 1), (.startloopAddrsOffset, -100), (.endloopAddrsOffset, 100)]
        #expect(try zone(whole).loop == 0..<1_000)
        #expect(try zone([(.sampleModes, 1), (.startAddrsOffset, 899)]).loop == 100..<900)
        let impossible: [Amounts] = [
            [(.endloopAddrsCoarseOffset, -1)], [(.endloopAddrsCoarseOffset, 1)], [(.endloopAddrsOffset, 101)],
            [(.startloopAddrsOffset, -101)], [(.startloopAddrsOffset, 800)], [(.startAddrsOffset, 900)],
        ]
        for amounts in impossible {
            #expect(try zone(amounts + [(.sampleModes, 1)], problems: 1).loop == nil, "\(amounts)")
        }
    }

    @Test("a global zone is inherited; of equal generators, the last one counts; others have no effect in presets")
    func globalZones() throws {
        var writer = SoundFontWriter(preset: [(.sampleModes, 1), (.exclusiveClass, 3)], [(.pan, 100), (.pan, -250)])
        writer.instruments[0].zones.insert(.init(generators: [(.pan, 500), (.fineTune, 9)], target: nil), at: 0)
        writer.instruments[0].zones.append(.init(generators: [(.fineTune, 1)]))
        // Not the first one, and so without effect.
        writer.instruments[0].zones.append(.init(generators: [(.fineTune, 2)], target: nil))
        writer.instruments[0].zones.append(.init())
        writer.presets[0].zones.insert(.init(generators: [(.coarseTune, 1)], target: nil), at: 0)
        let zones = try load(writer).zones
        #expect(zones.map(\.pan) == [-0.5, 1, 1] && zones.map(\.tuning) == [109, 101, 109])
        #expect(zones.allSatisfy { $0.group == 0 && $0.loop == nil })
    }

    @Test("what is not supported is listed once, with the number of zones")
    func unsupported() throws {
        var writer = SoundFontWriter([(.modLfoToPitch, 50), (.reverbEffectsSend, 0)])
        writer.presets[0].name = "Flute"
        writer.instruments[0].zones.append(writer.instruments[0].zones[0])
        let problems = try load(writer).problems
        #expect(problems.map(\.kind) == [.unsupportedGenerator("modLfoToPitch", count: 2)])
        #expect(problems.first?.description == "preset 'Flute': generator modLfoToPitch is not supported (in 2 zones)")
    }
}
