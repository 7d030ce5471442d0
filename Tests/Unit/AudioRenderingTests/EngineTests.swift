import AudioRendering
import CRenderCore
import Dispatch
import Platform
import TestSupport
import Testing

@Suite("Engine on the offline driver")
struct EngineTests {
    @Test("A voice begins at the next period, or at exactly the requested frame")
    func startTimes() throws {
        let stage = try EngineFixture()
        let buffer = try AudioBuffer([Signal.counting(frames: 100), Signal.counting(frames: 100)])
        try stage.engine.play(.buffer(buffer), on: stage.bus)
        try stage.engine.play(.buffer(buffer), on: stage.bus, at: 777)
        let output = try stage.driver.render(frames: 2000)[0]
        #expect(Array(output[0..<100]) == Signal.counting(frames: 100))
        #expect(output[100..<777].allSatisfy { $0 == 0 })
        #expect(Array(output[777..<877]) == Signal.counting(frames: 100))
        #expect(output[877...].allSatisfy { $0 == 0 })
    }

    @Test("INT-8: a paused gate stops at a frame, and resumption continues with the very next frame")
    func pauseAndResume() throws {
        let stage = try EngineFixture()
        let source = Signal.counting(frames: 40_000)
        let voice = try stage.engine.play(.buffer(AudioBuffer([source, source])), on: stage.bus)
        try stage.driver.render(frames: 1000)
        stage.gate.set(paused: true)
        let during = try stage.driver.render(frames: 5000)[0]
        let fade = 48 * 5
        #expect(during[fade...].allSatisfy { $0 == 0 })
        #expect(voice.framesRendered == UInt64(1000 + fade))
        stage.gate.set()
        let after = try stage.driver.render(frames: 1000)[0]
        #expect(Signal.firstDifference(after[fade...], source[(1000 + 2 * fade)..<(2000 + fade)]) == nil)
    }

    @Test("A gate that opens before any signal plays opens at once: the first note keeps its attack")
    func openingBeforeSound() throws {
        let stage = try EngineFixture()
        stage.gate.set(paused: true)
        try stage.driver.render(frames: 1000)
        stage.gate.set()
        let source = Signal.counting(frames: 500)
        try stage.engine.play(.buffer(AudioBuffer([source, source])), on: stage.bus)
        #expect(Signal.firstDifference(try stage.driver.render(frames: 500)[0], source) == nil)
        // If a signal is already playing, the gate fades in.
        let long = try AudioBuffer([Signal.counting(frames: 9000)])
        try stage.engine.play(.buffer(long), on: stage.bus)
        try stage.driver.render(frames: 1000)
        stage.gate.set(paused: true)
        try stage.driver.render(frames: 1000)
        stage.gate.set()
        #expect(try stage.driver.render(frames: 1)[0][0] < Signal.counting(frames: 1241)[1240] / 200)
    }

    @Test("DUCK-3, DUCK-5: −14 dB after the attack, bit-exact unity after the release")
    func duck() throws {
        let stage = try EngineFixture()
        let source = Signal.sine(frequency: 997, sampleRate: 48_000, frames: 200_000)
        try stage.engine.play(.buffer(AudioBuffer([source, source])), on: stage.bus)
        try stage.driver.render(frames: 4800)
        stage.gate.set(decibels: -14, rampMilliseconds: 50)
        try stage.driver.render(frames: 2400)
        let ducked = try stage.driver.render(frames: 48_000)[0]
        let ratio = Float(Signal.rms(ducked) / Signal.rms(source[7200..<55_200]))
        #expect(abs(Signal.decibels(ratio) + 14) < 0.1)
        stage.gate.set(rampMilliseconds: 500)
        try stage.driver.render(frames: 24_000)
        let released = try stage.driver.render(frames: 1000)[0]
        #expect(Signal.firstDifference(released, source[79_200..<80_200]) == nil)
    }

    @Test("A voice reports its end once and releases its slot")
    func voiceEnd() throws {
        let stage = try EngineFixture()
        let buffer = try AudioBuffer([Signal.counting(frames: 10)])
        let ends = EventLog<UInt64>()
        for _ in 0..<1000 {  // four times the pool size
            try stage.engine.play(.buffer(buffer), on: stage.bus) { ends.note($0.framesRendered) }
            try stage.driver.render(frames: 64)
        }
        #expect(ends.noted == [UInt64](repeating: 10, count: 1000))
    }

    @Test("More voices than the pool holds: a clear error, and the other voices continue")
    func poolExhausted() throws {
        let stage = try EngineFixture()
        let buffer = try AudioBuffer([Signal.counting(frames: 1000)])
        for _ in 0..<256 { try stage.engine.play(.buffer(buffer), on: stage.bus) }
        #expect(throws: AudioEngineError.noFreeVoice(limit: 256)) {
            try stage.engine.play(.buffer(buffer), on: stage.bus)
        }
        let output = try stage.driver.render(frames: 1)[0]
        #expect(output[0] == 256.0 / 1_048_576)
    }

    @Test("The speed sets the pitch, of streams too; at speed 1 the output is bit-identical to the source")
    func speed() throws {
        let directory = try TemporaryDirectory()
        let sine = Signal.sine(frequency: 400, sampleRate: 48_000, frames: 96_000)
        try SoundFile.write([sine, sine], sampleRate: 48_000, to: directory.file("sine.wav"))
        let stage = try EngineFixture()
        let stream = try AudioStream(reader: AudioFile(path: directory.file("sine.wav")), sampleRate: 48_000)
        let voice = try stage.engine.play(.stream(stream), on: stage.bus, speed: 1.5)
        let fast = try stage.driver.render(frames: 24_000)[0]
        #expect(Signal.cents(Signal.frequency(of: fast, near: 600.01, sampleRate: 48_000), 600) < 0.1)
        #expect(voice.framesRendered == 36_000)
        try voice.setSpeed(1, rampFrames: 0)
        #expect(Signal.firstDifference(try stage.driver.render(frames: 5000)[0], sine[36_000..<41_000]) == nil)
        #expect(throws: AudioEngineError.self) { try voice.setSpeed(0, rampFrames: 0) }
        #expect(throws: AudioEngineError.self) { try voice.setSpeed(.nan, rampFrames: 0) }
    }

    @Test("A NaN gain is refused and changes nothing")
    func badGain() throws {
        let stage = try EngineFixture()
        let buffer = try AudioBuffer([Signal.counting(frames: 1000)])
        #expect(throws: AudioEngineError.self) {
            try stage.engine.play(.buffer(buffer), on: stage.bus, gain: .nan)
        }
        let voice = try stage.engine.play(.buffer(buffer), on: stage.bus)
        #expect(throws: AudioEngineError.self) { try voice.setGain(.infinity, rampFrames: 0) }
        let output = try stage.driver.render(frames: 100)[0]
        #expect(output == Array(Signal.counting(frames: 100)))
    }

    @Test("A capture is bit-identical to the signal at the outputs")
    func capture() throws {
        let directory = try TemporaryDirectory()
        let stage = try EngineFixture()
        defer { stage.engine.close() }  // ends the voice, which keeps its engine alive
        let source = Signal.sine(frequency: 440, sampleRate: 48_000, frames: 30_000)
        try stage.engine.play(.buffer(AudioBuffer([source, source])), on: stage.bus)
        try stage.engine.startCapture(path: directory.file("capture.wav"))
        let output = try stage.driver.render(frames: 20_000)
        stage.engine.stop()
        let summary = try #require(stage.engine.stopCapture())
        #expect(summary.frames == 20_000)
        #expect(summary.lostPeriods == 0)
        let captured = try SoundFile.read(summary.path)
        #expect(captured.sampleRate == 48_000)
        for (written, heard) in zip(captured.planes, output) { #expect(Signal.firstDifference(written, heard) == nil) }
        #expect(captured.planes.count == output.count)
    }

    @Test("A change of the server's sample rate ends a capture, complete up to that point, and reports it")
    func captureAcrossRates() throws {
        let directory = try TemporaryDirectory()
        let stage = try EngineFixture()
        let source = Signal.counting(frames: 30_000)
        try stage.engine.play(.buffer(AudioBuffer([source, source])), on: stage.bus)
        try stage.engine.startCapture(path: directory.file("capture.wav"))
        try stage.driver.render(frames: 10_000)
        stage.driver.setSampleRate(44_100)
        try stage.driver.render(frames: 10_000)
        let summary = try #require(stage.engine.stopCapture())
        #expect(summary.frames == 10_000)
        #expect(summary.failure?.description.contains("of its output changed (device: 44100 Hz") == true)
        #expect(Signal.firstDifference(try SoundFile.read(summary.path).planes[0], source[..<10_000]) == nil)
        #expect(stage.engine.stopCapture() == nil)
        stage.engine.close()
    }

    @Test("A capture that cannot be created is refused, and playback continues")
    func badCapture() throws {
        let stage = try EngineFixture()
        #expect(throws: CaptureError.self) { try stage.engine.startCapture(path: "/nowhere/capture.wav") }
        #expect(throws: CaptureError.self) { try stage.engine.startCapture(path: "/tmp/capture.xyz") }
        #expect(stage.engine.stopCapture() == nil)
    }

    @Test("Hundreds of sessions are created and released; their buses are reused")
    func busChurn() throws {
        let stage = try EngineFixture()
        let source = Signal.counting(frames: 60_000)
        try stage.engine.play(.buffer(AudioBuffer([source, source])), on: stage.bus)
        var rendered: [Float] = []
        for _ in 0..<500 {
            let gate = try TestGate()
            _ = try stage.engine.makeSessionBus(gate: gate.page, owner: gate)
            rendered += try stage.driver.render(frames: 100)[0]
        }
        #expect(Signal.firstDifference(rendered, source[0..<50_000]) == nil)
    }

    @Test("While nothing renders, commands and plans take effect without accumulating")
    func stoppedEngine() throws {
        let stage = try EngineFixture()
        stage.engine.stop()
        let buffer = try AudioBuffer([Signal.counting(frames: 1000)])
        let voice = try stage.engine.play(.buffer(buffer), on: stage.bus)
        for step in 0..<5000 { try voice.setGain(Float(step % 2), rampFrames: 0) }
        try stage.engine.start()
        #expect(try stage.driver.render(frames: 10)[0] == Array(Signal.counting(frames: 10)))
    }

    @Test("The same scene rendered twice gives identical bits")
    func determinism() throws {
        func scene() throws -> [[Float]] {
            let stage = try EngineFixture(periodFrames: 100)
            let source = Signal.sine(frequency: 440, sampleRate: 48_000, frames: 96_000)
            let voice = try stage.engine.play(.buffer(AudioBuffer([source])), on: stage.bus, fadeInFrames: 333)
            var output = try stage.driver.render(frames: 5000)
            stage.gate.set(decibels: -14, rampMilliseconds: 50)
            try voice.setGain(0.3, rampFrames: 1234, at: 7777)
            for (index, plane) in try stage.driver.render(frames: 20_000).enumerated() { output[index] += plane }
            return output
        }
        for (first, second) in zip(try scene(), try scene()) { #expect(Signal.firstDifference(first, second) == nil) }
    }

    @Test("A released bus lets its voices finish their fades; they are never heard on the next session's bus")
    func busReuse() throws {
        let stage = try EngineFixture(channels: 1)
        let gate = try TestGate()
        let steady = try AudioBuffer([[Float](repeating: 0.25, count: 48_000)])
        var bus: SessionBus? = try stage.engine.makeSessionBus(gate: gate.page, owner: gate)
        let voice = try stage.engine.play(.buffer(steady, loop: .forever), on: #require(bus))
        try stage.driver.render(frames: 1000)
        try voice.stop(fadeFrames: 240)
        bus = nil
        let fading = try stage.driver.render(frames: 1000)[0]
        #expect(Signal.largestStep([0.25] + fading) < 0.0012)
        #expect(fading[240...].allSatisfy { $0 == 0 })
        let other = try TestGate()
        for _ in 0..<3 {
            _ = try stage.engine.makeSessionBus(gate: other.page, owner: other)
            #expect(try stage.driver.render(frames: 1000)[0].allSatisfy { $0 == 0 })
        }
    }

    @Test("Invalid sources are refused: missing frames, negative loop counts, a bus of another engine")
    func badPlaying() throws {
        let stage = try EngineFixture()
        let other = try EngineFixture()
        let buffer = try AudioBuffer([Signal.counting(frames: 100)])
        for source in [
            VoiceSource.buffer(buffer, startFrame: -1), .buffer(buffer, startFrame: 100),
            .buffer(buffer, loop: Loop(count: -1)),
        ] {
            #expect(throws: AudioEngineError.self) { try stage.engine.play(source, on: stage.bus) }
        }
        #expect(throws: AudioEngineError.self) { try stage.engine.play(.buffer(buffer), on: other.bus) }
        #expect(try stage.driver.render(frames: 100)[0].allSatisfy { $0 == 0 })
    }

    @Test("An engine that is released during a call on a bus renders no more: its sources are gone")
    func releasedDuringCall() throws {
        let driver = ReleasingDriver()
        let engine = Mutex<AudioEngine?>(try AudioEngine(driver: driver))
        let gate = try TestGate()
        let bus = try engine.withLock { engine in
            try engine?.open()
            let bus = try engine?.makeSessionBus(gate: gate.page, owner: gate)
            if let bus { try engine?.play(.buffer(try AudioBuffer([Signal.counting(frames: 100)])), on: bus) }
            return try #require(bus)
        }
        driver.onFormat.withLock { $0 = { _ = engine.withLock { $0.take() } } }
        try bus.setOutputs([OutputRoute(firstChannel: 1, channels: 1)])
        #expect(driver.cyclesAfterEnd == 0)
        #expect(throws: AudioEngineError.engineGone) { try bus.setOutputs(nil) }
    }

    @Test("Starting and stopping from several threads: only the render thread runs the core")
    func lifecycle() throws {
        let driver = GuardedDriver()
        let engine = try AudioEngine(driver: driver)
        let gate = try TestGate()
        try engine.open()
        let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        let buffer = try AudioBuffer([Signal.counting(frames: 100)])
        DispatchQueue.concurrentPerform(iterations: 400) { turn in
            switch turn % 4 {
            case 0: try? engine.start()
            case 1: engine.stop()
            default: _ = try? engine.play(.buffer(buffer), on: bus)
            }
        }
        #expect(driver.overlaps.withLock { $0 } == 0)
        engine.close()
    }
}

/// Releases the engine during a call that asks the driver for its format, and counts the core's
/// cycles after the driver was closed.
private final class ReleasingDriver: ProxyDriver<OfflineDriver>, @unchecked Sendable {
    private struct State {
        var core: RenderCore?
        var cyclesAtEnd: UInt64?
    }
    private let state = Mutex(State())
    let onFormat = Mutex<(@Sendable () -> Void)?>(nil)

    init() { super.init(OfflineDriver()) }

    override func open(core: RenderCore) throws(DriverError) -> HardwareFormat {
        state.withLock { $0.core = core }
        return try super.open(core: core)
    }
    override func close() {
        super.close()
        state.withLock { $0.cyclesAtEnd = $0.core.map(Self.cycles) }
    }
    override var format: HardwareFormat? {
        onFormat.withLock { $0.take() }?()
        return super.format
    }
    /// nil while the driver is open.
    var cyclesAfterEnd: UInt64? {
        state.withLock { state in state.core.flatMap { core in state.cyclesAtEnd.map { Self.cycles(core) - $0 } } }
    }

    private static func cycles(_ core: RenderCore) -> UInt64 { rcore_read_counters(core.handle).cycles }
}

/// Detects whether another thread runs the core between `start` and `stop`: the count of cycles
/// must not change.
private final class GuardedDriver: ProxyDriver<OfflineDriver>, @unchecked Sendable {
    private struct State {
        var core: RenderCore?
        var cyclesAtStart: UInt64?
    }
    private let state = Mutex(State())
    let overlaps = Mutex(0)

    init() { super.init(OfflineDriver()) }

    override func open(core: RenderCore) throws(DriverError) -> HardwareFormat {
        state.withLock { $0.core = core }
        return try super.open(core: core)
    }
    override func start() throws(DriverError) {
        state.withLock { state in
            if state.cyclesAtStart == nil { state.cyclesAtStart = state.core.map(Self.cycles) }
        }
    }
    override func stop() {
        let changed = state.withLock { state in
            defer { state.cyclesAtStart = nil }
            return state.cyclesAtStart.map { start in state.core.map(Self.cycles) != start } ?? false
        }
        if changed { overlaps.withLock { $0 += 1 } }
    }
    override func close() {
        stop()
        super.close()
    }
    // The driver gives the engine no hints: the engine must rely on its own state.
    override var format: HardwareFormat? { nil }
    override var isRendering: Bool { false }

    private static func cycles(_ core: RenderCore) -> UInt64 { rcore_read_counters(core.handle).cycles }
}
