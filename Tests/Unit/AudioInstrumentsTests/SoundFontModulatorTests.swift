import AudioInstruments
import AudioRendering
import Glibc
import Testing

/// The effect of modulators in the zones of an instrument.
@Suite struct SoundFontModulatorTests {
    typealias Amounts = [(SoundFontWriter.Generator, Int)]

    private func load(_ writer: SoundFontWriter) throws -> SoundFontInstrument {
        let font = try SoundFont(data: writer.bytes())
        return try font.load(font.presets)
    }

    /// The zone of a file with one zone.
    private func zone(_ generators: Amounts = [], modulators: [[Int]], problems: Int = 0) throws -> InstrumentZone {
        let loaded = try load(SoundFontWriter(generators, modulators: modulators))
        #expect(loaded.zones.count == 1 && loaded.problems.count == problems, "\(loaded.problems)")
        return try #require(loaded.zones.first)
    }

    @Test("modulators of the cutoff frequency, and of the gain by the velocity")
    func modulators() throws {
        func filter(_ source: Int, amount: Int) throws -> InstrumentZone.Filter {
            let zone = try zone([(.initialFilterFc, 6_900)], modulators: [[source, 8, amount, 0, 0]])
            return try #require(zone.filter)
        }
        #expect(try filter(0x002, amount: 1_200).velocityRange == 1_200)
        let falling = try filter(0x102, amount: -1_200)
        #expect(falling.velocityRange == 1_200 && falling.cutoff == 220)
        let bipolar = try filter(0x202, amount: 1_200)
        #expect(bipolar.velocityRange == 2_400 && bipolar.cutoff == 220)
        let reversed = try filter(0x302, amount: 1_200)
        #expect(reversed.velocityRange == -2_400 && reversed.cutoff == 880)
        #expect(try filter(0x081, amount: 3_000).controller == .init(1, range: 3_000, rest: 0))
        #expect(try filter(0x00D, amount: 600).pressureRange == 600)
        let key = try filter(0x003, amount: 12_700)
        #expect(key.keyTracking == 100 && key.centerKey == 0)
        #expect(try zone(modulators: [[0x502, 48, 0, 0, 0]]).velocityTracking == 0)
        #expect(try zone(modulators: [[0x502, 48, 480, 0, 0]], problems: 1).velocityTracking == 0.5)
        #expect(try zone(modulators: [[0x102, 8, 0, 0xD02, 0], [0x081, 6, 0, 0, 0]]).velocityTracking == 1)
        // A modulator with a second source, along a curve, of another generator, or of the volume.
        for other in [[0x081, 8, 1, 0x082, 0], [0x481, 8, 1, 0, 0], [0x081, 6, 60, 0, 0], [0x587, 48, 0, 0, 0]] {
            #expect(try zone(modulators: [other], problems: 1).filter == nil)
        }
    }

    @Test("modulators of a preset add to those of the instrument; a zone's replace those of the global zone")
    func inheritedModulators() throws {
        func modulator(_ amount: Int) -> [[Int]] { [[0x002, 8, amount, 0, 0]] }
        var writer = SoundFontWriter([(.initialFilterFc, 6_900)], modulators: modulator(700))
        writer.instruments[0].zones.insert(.init(modulators: modulator(100), target: nil), at: 0)
        writer.presets[0].zones[0].modulators = modulator(50) + [[0x502, 48, -480, 0, 0]]
        let zone = try #require(try load(writer).zones.first)
        #expect(zone.filter?.velocityRange == 750 && zone.velocityTracking == 0.5)
    }

    @Test(
        "a controller has its initial value until a message sets it",
        arguments: [
            (1, 0), (2, 0), (7, 100), (10, 64), (11, 127), (69, 0), (70, 64), (74, 64), (79, 64), (80, 0),
        ])
    func initialValues(controller: Int, value: Int) throws {
        // 0 adds nothing, and 127 adds 2,540 cents; or 0 adds 2,540 cents, and 127 nothing.
        for (direction, cents) in [(0, 20.0 * Double(value)), (0x100, 20.0 * Double(127 - value))] {
            let modulator = [0x080 + direction + controller, 8, 2_540, 0, 0]
            let filter = try #require(try zone([(.initialFilterFc, 6_900)], modulators: [modulator]).filter)
            #expect(filter.controller == .init(controller, range: direction == 0 ? 2_540 : -2_540, rest: value))
            #expect(abs(1_200 * log2(filter.cutoff / 440) - cents) < 1e-6)
        }
    }

    @Test("a fixed key and velocity move the cutoff frequency, whatever the note is")
    func fixedSources() throws {
        let modulators = [[0x002, 8, 1_270, 0, 0], [0x003, 8, 2_540, 0, 0]]
        let cutoff = (SoundFontWriter.Generator.initialFilterFc, 6_900)
        let free = try #require(try zone([cutoff], modulators: modulators).filter)
        #expect(free.velocityRange == 1_270 && free.keyTracking == 20 && abs(free.cutoff - 440) < 1e-6)
        let fixed = try #require(try zone([cutoff, (.keynum, 30), (.velocity, 60)], modulators: modulators).filter)
        #expect(fixed.velocityRange == 0 && fixed.keyTracking == 0)
        #expect(abs(1_200 * log2(fixed.cutoff / 440) - 1_200) < 1e-6)
    }

    @Test("a file that restates default modulators loses nothing; one that changes them does")
    func defaults() throws {
        let defaults = [
            [0x502, 48, 960, 0, 0], [0x587, 48, 960, 0, 0], [0x58B, 48, 960, 0, 0], [0x28A, 17, 1_000, 0, 0],
            [0x20E, 59, 12_700, 0x10, 0], [0x20E, 52, 12_700, 0x10, 0], [0x102, 8, -2_400, 0xD02, 0],
            [0x00D, 6, 50, 0, 0], [0x081, 6, 50, 0, 0], [0x0DB, 16, 200, 0, 0], [0x0DD, 15, 200, 0, 0],
        ]
        #expect(try zone(modulators: defaults).filter == nil)
        _ = try zone(modulators: [[0x28A, 17, 500, 0, 0]])
        // Without an effect that instruments do not play anyway.
        _ = try zone(modulators: [[0x081, 6, 0, 0, 0], [0x0DB, 16, 0, 0, 0], [0x187, 48, 0, 0, 0]])
        for changed in [
            [0x587, 48, 0, 0, 0], [0x587, 48, 480, 0, 0], [0x58B, 48, 959, 0, 0], [0x28A, 17, 250, 0, 0],
            [0x187, 48, 960, 0, 0], [0x081, 6, 51, 0, 0], [0x20E, 59, 2_400, 0x10, 0],
        ] {
            _ = try zone(modulators: [changed], problems: 1)
        }
        var writer = SoundFontWriter()
        writer.presets[0].zones[0].modulators = [[0x587, 48, 0, 0, 0]]
        #expect(try load(writer).problems.isEmpty, "a preset adds to the default")
        writer.presets[0].zones[0].modulators = [[0x587, 48, -100, 0, 0]]
        #expect(try load(writer).problems.count == 1)
    }

    /// Modulators that differ from each other, and have no effect.
    private func distinct(_ count: Int, from first: Int = 0) -> [[Int]] {
        (first..<first + count).map { [0x080 + $0 % 128, 100 + $0 / 128, 1, 0, 0] }
    }

    @Test("a zone has 64 modulators at most, with those of the global zone")
    func limit() throws {
        func load(global: Int, own: [[Int]]) throws -> SoundFontInstrument {
            var writer = SoundFontWriter([(.initialFilterFc, 6_900)], modulators: own)
            writer.instruments[0].zones.insert(.init(modulators: distinct(global), target: nil), at: 0)
            return try self.load(writer)
        }
        let velocity = [0x002, 8, 100, 0, 0]
        let fits = try load(global: 63, own: [velocity])
        #expect(fits.zones.first?.filter?.velocityRange == 100 && fits.problems.count == 63)
        // Those that replace others count once.
        #expect(try load(global: 64, own: distinct(64)).problems.count == 64)
        let full = try load(global: 64, own: [velocity])
        #expect(full.zones.first?.filter?.velocityRange == 0 && full.problems.count == 65)
        #expect(full.problems.contains { "\($0)".contains("a zone has more than 64") })
    }

    @Test("thousands of modulators of a global zone are not copied to each zone, nor sorted for each pair")
    func manyModulators() throws {
        var writer = SoundFontWriter()
        let zone = SoundFontWriter.Zone(modulators: [[0x002, 8, 1, 0, 0]])
        writer.instruments[0].zones =
            [.init(modulators: distinct(30_000), target: nil)] + Array(repeating: zone, count: 64)
        writer.presets[0].zones =
            [.init(modulators: distinct(30_000, from: 30_000), target: nil)] + Array(repeating: .init(), count: 64)
        let font = try SoundFont(data: writer.bytes())
        var problems = 0
        let time = try ContinuousClock().measure {
            let loaded = try font.load(font.presets)
            #expect(loaded.zones.count == 64 * 64)
            problems = loaded.problems.count
        }
        // 4,096 pairs with 128 modulators each.
        #expect(problems == 129 && time < .seconds(30), "\(time)")
    }

    @Test("that there are more problems than 1,000 is the last one")
    func furtherProblems() throws {
        var writer = SoundFontWriter()
        writer.instruments[0].zones = (0..<20).map { .init(modulators: distinct(60, from: 60 * $0)) }
        let problems = try load(writer).problems
        #expect(problems.count == 1_001 && problems.last?.kind == .furtherProblems && problems.last?.preset == nil)
    }
}
