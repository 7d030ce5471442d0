import AudioInstruments
import AudioRendering
import Foundation
import TestSupport
import Testing

/// The samples of SoundFonts, and how an engine plays them.
@Suite struct SoundFontSampleTests {
    private func load(_ writer: SoundFontWriter, memoryLimit: Int = 1 << 30) throws -> SoundFontInstrument {
        let font = try SoundFont(data: writer.bytes())
        return try font.load(font.presets, memoryLimit: memoryLimit)
    }

    /// Plays a note, and returns the frames of both channels after the first 1,000, through which
    /// gains may ramp.
    private func play(_ instrument: SoundFontInstrument, key: UInt8, frames: Int, seek: Int = 1_000) throws -> [[Float]]
    {
        let driver = OfflineDriver()
        let engine = try AudioEngine(driver: driver)
        let gate = try TestGate()
        let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        try engine.start()
        let instrument = try engine.makeInstrument(instrument.zones, on: bus, configuration: instrument.configuration)
        _ = try driver.render(frames: 1_024)
        try instrument.send(.noteOn(channel: 0, key: key, velocity: 127))
        return try driver.render(frames: seek + frames).map { Array($0.dropFirst(seek)) }
    }

    @Test("zones with the same sample share its memory, and only the samples of the chosen presets are read")
    func memory() throws {
        var writer = SoundFontWriter()
        writer.samples = [.init(), .init(frames: Array(repeating: 0, count: 5_000))]
        writer.instruments = [.init(zones: [.init(), .init(generators: [(.startAddrsOffset, 10)])])]
        writer.instruments.append(.init(zones: [.init(target: 1)]))
        writer.presets.append(.init(name: "Large", program: 1, zones: [.init(target: 1)]))
        let font = try SoundFont(data: writer.bytes())
        let small = try font.load([font.presets[0]], memoryLimit: 4_000)
        #expect(small.zones[0].sound === small.zones[1].sound && small.zones[1].startFrame == 10)
        #expect(try font.load(bank: 0, memoryLimit: 24_000).zones.count == 3)
        for limit in [23_999, 3_999, 0, Int.min] {
            #expect(throws: SoundFontError.self) { try font.load(bank: 0, memoryLimit: limit) }
        }
    }

    @Test("16-bit and 24-bit samples; incomplete low bytes are a problem", arguments: [0, 2_092, 2_000])
    func widths(lowBytes: Int) throws {
        var writer = SoundFontWriter()
        let values: [Int16] = [0, 16_384, -16_384, 32_767, .min]
        writer.samples.append(.init(frames: (0..<1_000).map { values[$0 % 5] }))
        writer.instruments[0].zones[0].target = 1
        // Different for each frame, so that a neighbour's are audible.
        let lows: [UInt8] = [128, 1, 255, 64, 200, 7, 90]
        writer.lowBytes = (0..<lowBytes).map { lows[$0 % 7] }
        var loaded = try load(writer)
        loaded.configuration.panLaw = nil
        let frames = try play(loaded, key: 60, frames: 900, seek: 0)[0]
        // The filter between frames has no effect at the rate of the engine.
        let expected = (0..<1_000).map { frame in
            let low = lowBytes == 2_092 ? Float(lows[(1_046 + frame) % 7]) : 0
            return Float(values[frame % 5]) / 32_768 + low / 8_388_608
        }
        let first = try #require(frames.indices.first { abs(frames[$0] - expected[1]) < 1e-6 })
        #expect((0..<800).allSatisfy { abs(frames[first + $0] - expected[1 + $0]) < 1e-6 })
        #expect(loaded.problems.count == (lowBytes == 2_000 ? 1 : 0), "\(loaded.problems)")
    }

    @Test("samples that cannot be played leave out their zones, and are one problem")
    func unplayable() throws {
        let folder = try SFZTestFolder()
        try folder.writeSound("a.wav")
        let wave = Array(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/a.wav")))
        var writer = SoundFontWriter()
        writer.samples = [
            .init(), .init(name: "ROM", kind: 0x8001), .init(name: "Slow", rate: 0), .init(name: "Empty", frames: []),
            .init(name: "No Vorbis", compressed: Array("OggS and no sound".utf8), kind: 0x11),
            .init(name: "Wave", compressed: wave, kind: 0x11),
        ]
        writer.instruments[0].zones = [0, 1, 1, 2, 3, 4, 5].map { .init(target: $0) }
        writer.instruments[0].zones.append(.init(generators: [(.startAddrsOffset, 1_000)]))
        let loaded = try load(writer)
        #expect(loaded.zones.count == 1)
        let names = loaded.problems.map { if case .sampleNotRead(let name, _) = $0.kind { name } else { "" } }
        #expect(names == ["ROM", "Slow", "Empty", "No Vorbis", "Wave", "Sample"], "\(loaded.problems)")
        writer.instruments[0].zones.removeFirst()
        do {
            _ = try load(writer)
            Issue.record("nothing can be played")
        } catch let error as SoundFontError {
            #expect(error.cause == .noSounds(reason: "sample 'ROM': it is in the memory of a sound card"))
        }
    }

    private func ogg(_ samples: [Float]) throws -> [UInt8] {
        let folder = try TestFolder()
        let path = folder.path + "/sound.ogg"
        let file = try AudioFileWriter(path: path, channels: 1, sampleRate: 48_000)
        try file.write(samples, frameCount: samples.count)
        #expect(file.close() == nil)
        return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test("what was decoded of damaged samples counts")
    func damagedSamples() throws {
        // Noise fills several pages, of which the last ones are missing.
        let noise = try ogg(
            (0..<48_000).map { frame in
                let number = (frame * 7_919 + frame * frame * 104_729) % 1_009
                return Float(number) / 2_018 - 0.25
            })
        var writer = SoundFontWriter()
        writer.samples = [.init(name: "Damaged", compressed: Array(noise.dropLast(noise.count / 4)), kind: 0x11)]
        writer.samples.append(.init(compressed: noise, kind: 0x11))
        writer.instruments[0].zones = [.init(), .init(target: 1)]
        let loaded = try load(writer)
        #expect(loaded.zones.map(\.sound.frameCount) == [48_000] && loaded.problems.count == 1, "\(loaded.problems)")
        #expect(throws: SoundFontError.self) { try load(writer, memoryLimit: 4 * 50_000) }
    }

    @Test("compressed samples of SF3 files; their memory counts when they are decoded")
    func compressed() throws {
        let sine = (0..<24_000).map { 0.5 * sin(Float($0) * 2 * .pi * 441 / 48_000) }
        var writer = SoundFontWriter([(.sampleModes, 1)])
        let sound = SoundFontWriter.Sample(
            compressed: try ogg(sine), loop: 1_000..<12_000, kind: 0x11)
        writer.samples = [.init(), sound]
        writer.instruments[0].zones[0].target = 1
        let loaded = try load(writer, memoryLimit: 4 * 24_000)
        #expect(loaded.problems.isEmpty && loaded.zones[0].sound.frameCount == 24_000)
        #expect(loaded.zones[0].loop == 1_000..<12_000)
        #expect(throws: SoundFontError.self) { try load(writer, memoryLimit: 4 * 23_999) }
        let level = try play(loaded, key: 60, frames: 48_000)[0]
        #expect(abs((level.max() ?? 0) - 0.5 * 0.70711) < 0.01)
    }

    @Test("an engine plays pitch, level, pan and loop as the generators say")
    func playing() throws {
        // 100 frames a period at 44.1 kHz: 441 Hz at key 60.
        var writer = SoundFontWriter([(.sampleModes, 1), (.initialAttenuation, 150), (.pan, -500)])
        writer.samples[0].frames = (0..<1_000).map { Int16(16_384 * sin(Double($0) * 2 * .pi / 100)) }
        writer.samples[0].rate = 44_100
        writer.samples[0].loop = 200..<900
        let frames = try play(try load(writer), key: 72, frames: 48_000)
        let left = frames[0]
        #expect(abs((left.max() ?? 0) - 0.5 * 0.501187) < 0.002 && frames[1].allSatisfy { abs($0) < 1e-6 })
        // An octave higher, for the whole second, which is much longer than the sample.
        let crossings = left.indices.dropFirst().count { left[$0 - 1] < 0 && left[$0] >= 0 }
        #expect((881...883).contains(crossings))
    }
}
