import AudioRendering
import Foundation
import TestRandom
import TestSupport
import Testing

/// Streamed sounds of instruments, on the offline driver. The render core's tests cover the notes
/// themselves (test_page_cache…).
@Suite struct StreamedSoundTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static func noise(frames: Int) -> [Float] {
        var generator = SeededGenerator(seed: TestSeed.current)
        return (0..<frames).map { _ in Float(Int16.random(in: -8_000...8_000, using: &generator)) / 32_768 }
    }

    /// Writes three seconds of stereo noise.
    private func file(_ name: String) throws -> String {
        let path = directory.file(name)
        let writer = try AudioFileWriter(path: path, channels: 2, sampleRate: 44_100)
        try writer.write(Self.noise(frames: 2 * 132_300), frameCount: 132_300)
        #expect(writer.close() == nil)
        return path
    }

    /// Plays three notes at different pitches, of which one is released in its loop.
    private func play(
        _ sound: any InstrumentSound, periodFrames: Int = 256, seconds: Int = 3
    ) throws -> (output: [[Float]], underruns: UInt64) {
        let stage = try EngineFixture(periodFrames: periodFrames)
        var zone = InstrumentZone(sound)
        zone.loop = 40_000..<100_000
        zone.loopFadeFrames = 2_000
        zone.leavesLoop = true
        zone.envelope.release = 1
        let instrument = try stage.engine.makeInstrument([zone], on: stage.bus)
        let input = try stage.engine.makeMIDIInput(name: "keys")
        try input.connect(to: instrument)
        let events: [(MIDIMessage, UInt64)] = [
            (.noteOn(channel: 0, key: 60, velocity: 127), 100), (.noteOn(channel: 0, key: 67, velocity: 90), 9_000),
            (.noteOn(channel: 0, key: 51, velocity: 60), 9_001), (.noteOff(channel: 0, key: 67, velocity: 0), 70_000),
        ]
        let output = try stage.driver.render(
            frames: 48_000 * seconds, midi: ["keys": events.map { MIDIEvent(message: $0.0, frame: $0.1) }])
        return (output, stage.engine.counters.underrunFrames)
    }

    @Test(
        "A streamed sound is as one in memory, bit for bit, in every format with exact positions",
        arguments: ["noise.wav", "noise.aiff", "noise.flac"])
    func formats(name: String) throws {
        let path = try file(name)
        let memory = try play(AudioBuffer(path: path))
        let sound = try StreamedSound(path: path, head: 0.2)
        #expect(sound.isStreamed && sound.frameCount == 132_300 && sound.preloaded.frameCount == 8_820)
        for period in [64, 1_024] {
            let streamed = try play(sound, periodFrames: period)
            #expect(streamed.underruns == 0)
            for channel in 0..<2 {
                let difference = Signal.firstDifference(streamed.output[channel], memory.output[channel])
                #expect(difference == nil, "period \(period)")
            }
        }
        #expect(sound.failure == nil && Signal.peak(memory.output[0]) > 0.05)
    }

    @Test("A sound that is shorter than its head is in memory")
    func short() throws {
        let path = directory.file("short.wav")
        try SoundFile.write([Self.noise(frames: 5_000)], sampleRate: 48_000, to: path)
        let sound = try StreamedSound(path: path, head: 0.5)
        #expect(!sound.isStreamed && sound.frameCount == 5_000 && sound.preloaded.frameCount == 5_000)
        let scene = try Scene([InstrumentZone(sound)])
        let output = try scene.play(60, frames: 6_000)
        #expect(Signal.peak(output) > 0.05 && scene.engine.counters.underrunFrames == 0)
    }

    @Test("What cannot be streamed is refused, with the reason")
    func refused() throws {
        func reason(_ path: String, head: Double = 0.5) -> String {
            do {
                _ = try StreamedSound(path: path, head: head)
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(reason(directory.file("missing.wav")).contains("There is no file"))
        #expect(reason(try file("noise.ogg")).contains("load it as an AudioBuffer"))
        #expect(reason(try file("noise.wav"), head: 0.05).contains("0.1 to 60"))
        let wide = directory.file("wide.wav")
        try SoundFile.write([[Float]](repeating: [0, 0, 0], count: 9), sampleRate: 48_000, to: wide)
        #expect(reason(wide).contains("9 channels"))
        #expect(throws: AudioEngineError.self) {
            _ = try StreamedSound(name: "endless", headFrames: 100) { OddReader(frameCount: 0) }
        }

        let sound = try StreamedSound(path: file("noise.wav"), head: 0.2)
        var zone = InstrumentZone(sound)
        zone.startFrame = 8_820
        let late = #expect(throws: AudioEngineError.self) { _ = try Scene([zone]) }
        #expect("\(late, default: "")".contains("whose head has 8820"))
        let small = #expect(throws: AudioEngineError.self) {
            _ = try Scene([InstrumentZone(sound)], pageCacheSize: 1_000)
        }
        #expect("\(small, default: "")".contains("page cache of 1000 bytes"))
    }

    @Test("A note whose file was removed or replaced fades out and ends, and the sound says why")
    func unreadable() throws {
        for replaces in [false, true] {
            let path = try file("noise.wav")
            let sound = try StreamedSound(path: path, head: 0.2)
            try FileManager.default.removeItem(atPath: path)
            if replaces { try SoundFile.write([[0.5], [0.5]], sampleRate: 44_100, to: path) }
            let scene = try Scene([InstrumentZone(sound)])
            let output = try scene.play(60, frames: 48_000)
            #expect(Signal.peak(output[..<8_000]) > 0.05 && output[9_600...].allSatisfy { $0 == 0 })
            #expect(scene.instrument.voiceCount == 0 && scene.engine.counters.underrunFrames > 0)
            let failure = try #require(sound.failure)
            #expect(failure.contains(replaces ? "changed" : "There is no file"))
        }
    }

    @Test("Readers that claim too much, end early or do not seek do no harm", arguments: OddReader.Habit.allCases)
    func oddReaders(habit: OddReader.Habit) throws {
        let sound = try StreamedSound(name: "odd", headFrames: 5_000) { OddReader(frameCount: 40_000, habit) }
        let scene = try Scene([InstrumentZone(sound)])
        let output = try scene.play(60, frames: 48_000)
        #expect(output[1_000] == 0.25 && scene.instrument.voiceCount == 0)
        #expect((sound.failure != nil) == (habit != .claimsMore), "\(sound.failure ?? "")")
    }

    @Test("Instruments of two engines share a sound, and release it when its pages have left")
    func lifetime() throws {
        weak var released: StreamedSound?
        let path = try file("noise.wav")
        do {
            let sound = try StreamedSound(path: path, head: 0.2)
            released = sound
            let scenes = try (0..<2).map { _ in try Scene([InstrumentZone(sound), InstrumentZone(sound)]) }
            let outputs = try scenes.map { try $0.play(60, frames: 48_000) }
            #expect(Signal.firstDifference(outputs[0], outputs[1]) == nil && Signal.peak(outputs[0]) > 0.05)
        }
        #expect(released == nil, "the engines are gone")
        var scene: Scene? = try Scene([InstrumentZone(StreamedSound(path: path, head: 0.2))])
        released = scene?.sound as? StreamedSound
        _ = try scene?.play(60, frames: 24_000)
        let driver = try #require(scene?.stage.driver)
        let engine = try #require(scene?.engine)
        scene = nil
        #expect(released != nil, "its pages are in the cache")
        for _ in 0..<20 where released != nil {
            _ = try driver.render(frames: 24_000)
            engine.drain()
        }
        #expect(released == nil)
    }

    @Test("More sounds than files stay open")
    func manySounds() throws {
        var zones: [InstrumentZone] = []
        for key in 20..<100 {
            let path = directory.file("\(key).wav")
            try SoundFile.write([[Float](repeating: Float(key) / 1_024, count: 48_000)], sampleRate: 48_000, to: path)
            zones.append(InstrumentZone(try StreamedSound(path: path, head: 0.1), keys: key...key, rootKey: key))
        }
        let scene = try Scene(zones)
        for turn in 0..<2 {
            let first = UInt64(turn) * 60_000
            let events = (20..<100).map { (MIDIMessage.noteOn(channel: 0, key: $0, velocity: 127), first) }
            let output = try scene.render(60_000, events)
            let sum = Float((20..<100).reduce(0, +)) / 1_024
            #expect(output[100..<47_900].allSatisfy { abs($0 - sum) < 0.001 })
        }
        #expect(scene.engine.counters.underrunFrames == 0)
    }
}

/// A mono stage with an instrument without a pan, and an input that plays it.
private struct Scene {
    let stage: EngineFixture
    let instrument: AudioInstrument
    let input: MIDIInput
    let sound: (any InstrumentSound)?
    var engine: AudioEngine { stage.engine }

    init(_ zones: [InstrumentZone], pageCacheSize: Int = 64 << 20) throws {
        var configuration = AudioInstrument.Configuration()
        configuration.panLaw = nil
        configuration.polyphony = 200
        stage = try EngineFixture(
            channels: 1, configuration: .init(maximumVoices: 400, pageCacheSize: pageCacheSize))
        instrument = try stage.engine.makeInstrument(zones, on: stage.bus, configuration: configuration)
        input = try stage.engine.makeMIDIInput(name: "keys")
        try input.connect(to: instrument)
        sound = zones.first?.sound
    }

    func play(_ key: UInt8, frames: Int) throws -> [Float] {
        try render(frames, [(.noteOn(channel: 0, key: key, velocity: 127), 0)])
    }

    func render(_ frames: Int, _ events: [(MIDIMessage, UInt64)]) throws -> [Float] {
        let midi = events.map { MIDIEvent(message: $0.0, frame: $0.1) }
        return try stage.driver.render(frames: frames, midi: ["keys": midi])[0]
    }
}

/// A reader of a constant that does what readers must not do, once it has delivered the head.
final class OddReader: AudioReader {
    enum Habit: CaseIterable {
        case claimsMore, claimsLess, endsEarly, seeksElsewhere
    }
    let channels = 1
    let sampleRate = 48_000
    let frameCount: Int64
    private let habit: Habit
    private var position: Int64 = 0

    init(frameCount: Int64, _ habit: Habit = .claimsMore) { (self.frameCount, self.habit) = (frameCount, habit) }

    func read(into frames: inout [Float], maximumFrames: Int) -> Int {
        let count = min(maximumFrames, 1_024, Int(frameCount - position))
        if habit == .endsEarly, position >= 10_000 { return 0 }
        if habit == .claimsLess, position >= 5_000 { return -1 }
        frames = [Float](repeating: 0.25, count: count)
        position += Int64(count)
        return habit == .claimsMore ? count + 100_000 : count
    }

    func seek(toFrame frame: Int64) -> Int64 {
        position = habit == .seeksElsewhere ? 7 : frame
        return position
    }
}
