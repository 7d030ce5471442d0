import AudioRendering
import Foundation
import TestSupport
import Testing

/// A driver that claims to have a clock: nothing but the engine's own thread does the background
/// work.
private final class ClockedDriver: ProxyDriver<OfflineDriver>, @unchecked Sendable {
    override var hasClock: Bool { true }
    override func setPrepareHandler(_ handler: @escaping @Sendable () -> Void) {}
    override func setFillHandler(_ handler: @escaping @Sendable () -> Void) {}
}

/// The render core wakes the engine's thread when there is work: after the last cycle of each test,
/// only that thread can do it.
@Suite("Background work")
struct BackgroundTests {
    private let driver = ClockedDriver(OfflineDriver())
    private let engine: AudioEngine
    private let gate: TestGate
    private let bus: SessionBus

    init() throws {
        engine = try AudioEngine(driver: driver)
        gate = try TestGate()
        try engine.open()
        bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        try engine.start()
    }

    @Test("A stream is refilled once a quarter of its FIFO has been played, and its end is reported")
    func stream() throws {
        let directory = try TemporaryDirectory()
        let source = Signal.counting(frames: 70_000)
        try SoundFile.write([source], sampleRate: 48_000, to: directory.file("source.wav"))
        // A FIFO of 65,536 frames.
        let stream = try AudioStream(reader: AudioFile(path: directory.file("source.wav")), sampleRate: 48_000)
        // Rendering below is faster than in real time, so the start's eighth would not suffice.
        stream.fill()
        let ended = EventLog<VoiceEnd?>()
        let voice = try engine.play(.stream(stream), on: bus) { ended.note($0.endReason) }
        // The core's tests check that no earlier cycle asks for it (test_work.c). Here the thread
        // may refill a part early, because the first block is work, too. At 40,000 frames a refill
        // is due in any case, and nothing has run out.
        var heard = try driver.inner.render(frames: 40_000)[0]
        #expect(eventually { stream.isComplete })
        heard += try driver.inner.render(frames: 70_000 - heard.count)[0]
        #expect(ended.wait { $0 == [.finished] })
        #expect(voice.underrunFrames == 0)
        #expect(Signal.firstDifference(heard, source) == nil)
    }

    @Test("The cycle that plays the first frame of another segment wakes the thread, which reports the segment")
    func segments() throws {
        let buffer = try AudioBuffer([Signal.counting(frames: 20_000)], sampleRate: 48_000)
        let passed = EventLog<Int>()
        let stream = try AudioStream(
            program: LoopProgram(AudioBufferReader(buffer), loops: 2), channels: 1, sampleRate: 48_000
        ) { passed.note($0) }
        // The whole stream fits: nothing but its segments can wake the thread.
        stream.fill()
        #expect(stream.isComplete)
        let voice = try engine.play(.stream(stream), on: bus)
        try driver.inner.render(frames: 20_224)
        #expect(passed.wait { $0 == [1] })
        try driver.inner.render(frames: 20_224)
        #expect(passed.wait { $0 == [1, 2] })
        #expect(voice.state == .playing && voice.underrunFrames == 0)
    }

    @Test("The events of a grant are delivered in the cycle that applies it, and while the engine is stopped")
    func gateEvents() throws {
        let events = EventLog<EngineEvent>()
        let observation = engine.observe { events.note($0) }
        gate.set(paused: true)  // its serial is 2
        try driver.inner.render(frames: 1024)
        #expect(events.wait { $0.contains { if case .gateSettled(_, serial: 2, _) = $0 { true } else { false } } })
        engine.stop()
        gate.set()
        let buffer = try AudioBuffer([Signal.counting(frames: 1000)])
        try engine.play(.buffer(buffer), on: bus)  // applied without a cycle, and with it the grant
        #expect(events.wait { $0.contains { if case .gateApplied(_, serial: 3, _) = $0 { true } else { false } } })
        observation.cancel()
    }

    @Test("A sound that is released after its last voice has ended is freed, though nothing plays")
    func sounds() throws {
        let ended = EventLog<VoiceEnd?>()
        weak var buffer: AudioBuffer?
        try {
            let samples = try AudioBuffer([Signal.counting(frames: 100)])
            let sound = try engine.makeSound(samples, on: bus)
            try engine.makeCommandQueue().trigger(sound)
            // Ends in the same cycle, so that the work for both ends is done once this is reported.
            try engine.play(.buffer(AudioBuffer([Signal.counting(frames: 100)])), on: bus) { ended.note($0.endReason) }
            try driver.inner.render(frames: 256)
            #expect(ended.wait { !$0.isEmpty })
            buffer = samples
        }()
        #expect(eventually { buffer == nil })
    }

    @Test("HW-3: a speed posted for a later frame before the rate changed is converted once it has taken effect")
    func speeds() throws {
        let sine = Signal.sine(frequency: 440, sampleRate: 48_000, frames: 480_000)
        let voice = try engine.play(.buffer(AudioBuffer([sine], sampleRate: 48_000)), on: bus)
        try driver.inner.render(frames: 256)
        try voice.setSpeed(2, rampFrames: 0, at: 4096)
        driver.inner.setSampleRate(96_000)
        try driver.inner.render(frames: 8192)
        func speed() throws -> Double {
            let before = voice.framesRendered
            try driver.inner.render(frames: 1000)
            return Double(voice.framesRendered - before) / 1000
        }
        #expect(try eventually { try speed() == 1 })
    }

    @Test("An engine that is closed or released ends its thread; started again, it has a new one")
    func end() throws {
        engine.close()
        func threads() -> Set<Int> {
            Set(OtherProcess.threads(of: getpid()).filter { $0.name == "audio-engine" }.map(\.id))
        }
        // By their ids, not their number: threads of engines that tests have closed may still end.
        let before = threads()
        func added() -> Int { threads().subtracting(before).count }
        var another: AudioEngine? = try AudioEngine(driver: ClockedDriver(OfflineDriver()))
        try another?.start()
        #expect(eventually { added() == 1 })  // a thread names itself once it runs
        another?.close()
        #expect(eventually { added() == 0 })
        try another?.start()
        #expect(eventually { added() == 1 })
        another = nil
        #expect(eventually { added() == 0 })
    }
}
