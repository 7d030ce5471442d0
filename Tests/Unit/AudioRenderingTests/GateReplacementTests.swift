import AudioRendering
import TestSupport
import Testing

/// Replacing a gate during playback, as a new arbiter does for an app whose old arbiter has died.
@Suite("Gate replacement") struct GateReplacementTests {
    /// The state of the gate, or of the plan, when the gate is replaced.
    enum Moment: CaseIterable {
        case fullLevel, duckRamp, ducked, pauseFade, frozen, resumption, muteFade, muted, volumeRamp, crossFade

        /// Brings the gate into this state, in which it remains for the next `frames`.
        func prepare(_ gate: TestGate, _ bus: SessionBus, _ driver: OfflineDriver) throws -> [Float] {
            switch self {
            case .fullLevel: break
            case .duckRamp: gate.set(decibels: -14, rampMilliseconds: 50)
            case .ducked: gate.set(decibels: -14, rampMilliseconds: 0)
            case .pauseFade: gate.set(paused: true, rampMilliseconds: 50)
            case .frozen: gate.set(paused: true)
            case .resumption:
                gate.set(paused: true, rampMilliseconds: 1)
                let pausing = try driver.render(frames: 512)[0]
                gate.set(rampMilliseconds: 50)
                return try pausing + driver.render(frames: 777)[0]
            case .muteFade: gate.set(muted: true, rampMilliseconds: 50)
            case .muted: gate.set(muted: true)
            case .volumeRamp: gate.setVolume(0.3, rampMilliseconds: 50)
            case .crossFade:
                try bus.setMap(.gains([[0, 0.5], [0.5, 0]]))
                return try driver.render(frames: 100)[0]
            }
            return try driver.render(frames: 777)[0]
        }
    }

    /// The output and the recording of a scene.
    struct Heard {
        var samples: [Float] = []
        var recording: [Float] = []
        var framesRendered: UInt64 = 0
    }

    /// How the gate changes in the middle of a scene.
    enum Change { case none, samePage, sameWords, otherWords }

    /// Plays a sine and an input; makes the change at `moment`; later sets another grant and
    /// resumes.
    private func scene(_ moment: Moment, _ change: Change, grant: (TestGate) -> Void = { _ in }) throws -> Heard {
        let stage = try EngineFixture(inputs: 1)
        let (driver, bus) = (stage.driver, stage.bus)
        var gate = stage.gate
        gate.set(inputGranted: true)
        var heard = Heard()
        let input = try stage.engine.makeInput(for: bus)
        let sine = Signal.sine(frequency: 440, sampleRate: 48_000, frames: 60_000)
        let voice = try stage.engine.play(.buffer(AudioBuffer([sine, sine])), on: bus)
        defer { stage.engine.close() }
        let incoming = [Signal.counting(frames: 8000)]
        heard.samples += try driver.render(frames: 1000, inputs: incoming)[0]
        heard.samples += try moment.prepare(gate, bus, driver)
        let old = gate
        if change == .sameWords || change == .otherWords { gate = try old.copy() }
        if change == .samePage || change == .otherWords { grant(gate) }
        if gate !== old { try bus.replaceGate(gate.page, owner: gate) }
        heard.samples += try driver.render(frames: 1, inputs: incoming)[0]
        if gate !== old {  // nothing reads it anymore
            old.set(paused: true, muted: true, decibels: -40, rampMilliseconds: 0)
            old.setVolume(0, rampMilliseconds: 0)
        }
        heard.samples += try driver.render(frames: 4001 - heard.samples.count % 4001, inputs: incoming)[0]
        gate.set(decibels: -6, rampMilliseconds: 20, inputGranted: true)
        heard.samples += try driver.render(frames: 5000, inputs: incoming)[0]
        gate.set(rampMilliseconds: 20)
        heard.samples += try driver.render(frames: 5000, inputs: incoming)[0]
        while let block = input.read() { heard.recording += block.samples }
        heard.framesRendered = voice.framesRendered
        return heard
    }

    @Test(
        "SRV-3: a new gate with the same grant is bit-exact, whatever the old state", arguments: Moment.allCases
    )
    func sameWords(moment: Moment) throws {
        let still = try scene(moment, .none)
        let replaced = try scene(moment, .sameWords)
        #expect(Signal.firstDifference(replaced.samples, still.samples) == nil)
        #expect(Signal.peak(still.samples) > 0.1)
        #expect(Signal.firstDifference(replaced.recording, still.recording) == nil)
        #expect(replaced.framesRendered == still.framesRendered)
    }

    @Test(
        "DUCK-5, INT-8: another grant in the new gate ramps as if it were written to the old one",
        arguments: [Moment.fullLevel, .duckRamp, .pauseFade, .frozen, .crossFade])
    func otherWords(moment: Moment) throws {
        let grants: [(TestGate) -> Void] = [
            { $0.set(decibels: -14, rampMilliseconds: 50, inputGranted: true) },
            { $0.set(paused: true, rampMilliseconds: 20) },
            { $0.set(muted: true, rampMilliseconds: 20) },
            { $0.set(rampMilliseconds: 10) },
            { $0.setVolume(0.25, rampMilliseconds: 30) },
        ]
        for grant in grants {
            let written = try scene(moment, .samePage, grant: grant)
            let replaced = try scene(moment, .otherWords, grant: grant)
            #expect(Signal.firstDifference(replaced.samples, written.samples) == nil)
            #expect(Signal.firstDifference(replaced.recording, written.recording) == nil)
            #expect(replaced.framesRendered == written.framesRendered)
            // The largest step of a 440 Hz sine is 0.0288; a ramp of 5 ms adds 0.0021.
            #expect(Signal.largestStep(replaced.samples) < 0.032)
        }
    }

    private struct Weak {
        weak var gate: TestGate?
    }

    @Test("A thousand replacements, rendering or not: identical bits, and only the last page is kept")
    func manyReplacements() throws {
        let stage = try EngineFixture()
        defer { stage.engine.close() }
        let source = Signal.counting(frames: 150_000)
        try stage.engine.play(.buffer(AudioBuffer([source, source])), on: stage.bus)
        var heard: [Float] = []
        var pages: [Weak] = []
        for turn in 0..<1000 {
            if turn == 500 { stage.engine.stop() }
            let gate = try stage.gate.copy()
            try stage.bus.replaceGate(gate.page, owner: gate)
            pages.append(Weak(gate: gate))
            if turn < 500 {
                heard += try stage.driver.render(frames: 100)[0]
                #expect(pages.filter { $0.gate != nil }.count == 1)
            }
        }
        #expect(pages.filter { $0.gate != nil }.count == 1)
        #expect(pages.last?.gate != nil)
        try stage.engine.start()
        heard += try stage.driver.render(frames: 1000)[0]
        #expect(Signal.firstDifference(heard, source[..<51_000]) == nil)
    }

    @Test("While nothing renders, the old page is released at once, and the new one applies from the start")
    func stoppedEngine() throws {
        let driver = OfflineDriver()
        let engine = try AudioEngine(driver: driver)
        var old: TestGate? = try TestGate()
        let bus = try engine.makeSessionBus(gate: #require(old).page, owner: #require(old))
        let released = Weak(gate: old)
        old = nil
        #expect(released.gate != nil)  // the plan keeps it
        let gate = try TestGate()
        gate.set(decibels: -6.0206, rampMilliseconds: 0)
        try bus.replaceGate(gate.page, owner: gate)
        #expect(released.gate == nil)
        let steady = try AudioBuffer([[Float](repeating: 0.5, count: 1000)])
        try engine.start()
        defer { engine.close() }
        try engine.play(.buffer(steady), on: bus)
        #expect(abs(try driver.render(frames: 100)[0][99] - 0.25) < 1e-3)
        #expect(abs(bus.gateGain - 0.5) < 1e-3)
    }

    @Test("While the engine renders, the old page is kept until a period has passed")
    func oldPageStays() throws {
        let stage = try EngineFixture()
        let first = try stage.gate.copy()
        try stage.bus.replaceGate(first.page, owner: first)
        var second: TestGate? = try stage.gate.copy()
        let kept = Weak(gate: second)
        try stage.bus.replaceGate(#require(second).page, owner: #require(second))
        second = nil
        let third = try stage.gate.copy()
        try stage.bus.replaceGate(third.page, owner: third)
        #expect(kept.gate != nil)  // a waiting plan may still refer to it
        try stage.driver.render(frames: 1)
        #expect(kept.gate == nil)
    }

    @Test("If the command queue is full, the replacement is refused, and the old gate remains in effect")
    func fullQueue() throws {
        let stage = try EngineFixture()
        defer { stage.engine.close() }
        let steady = try AudioBuffer([[Float](repeating: 0.5, count: 9000)])
        let voice = try stage.engine.play(.buffer(steady), on: stage.bus)
        try stage.driver.render(frames: 256)
        #expect(throws: AudioEngineError.commandQueueFull) {
            while true { try voice.setGain(1, rampFrames: 0) }
        }
        var refused: TestGate? = try TestGate(open: false)
        let released = Weak(gate: refused)
        #expect(throws: AudioEngineError.commandQueueFull) {
            try stage.bus.replaceGate(#require(refused).page, owner: #require(refused))
        }
        refused = nil
        #expect(released.gate == nil)
        #expect(try stage.driver.render(frames: 256)[0] == [Float](repeating: 0.5, count: 256))
        stage.gate.set(muted: true, rampMilliseconds: 0)
        #expect(Signal.peak(try stage.driver.render(frames: 256)[0]) == 0)
        stage.gate.set(rampMilliseconds: 0)
        let gate = try stage.gate.copy()
        try stage.bus.replaceGate(gate.page, owner: gate)
        #expect(try stage.driver.render(frames: 256)[0] == [Float](repeating: 0.5, count: 256))
    }

    @Test("Inputs of the bus change to its new gate; inputs of other buses keep their gates")
    func inputsFollow() throws {
        let stage = try EngineFixture(inputs: 1, periodFrames: 64)
        stage.gate.set(inputGranted: true)
        let other = try stage.engine.makeSessionBus(gate: stage.gate.page, owner: stage.gate)
        let input = try stage.engine.makeInput(for: stage.bus)
        let stays = try stage.engine.makeInput(for: other)
        let incoming = [[Float](repeating: 0.5, count: 640)]
        func peaks() throws -> [Float] {
            try stage.driver.render(frames: 640, inputs: incoming)
            _ = (input.takePeak(channel: 0), stays.takePeak(channel: 0))
            try stage.driver.render(frames: 640, inputs: incoming)
            return [input.takePeak(channel: 0), stays.takePeak(channel: 0)]
        }
        #expect(try peaks() == [0.5, 0.5])
        let gate = try stage.gate.copy()
        try stage.bus.replaceGate(gate.page, owner: gate)
        stage.gate.set()
        #expect(try peaks() == [0.5, 0])
        gate.set()
        #expect(try peaks() == [0, 0])
        let late = try stage.engine.makeInput(for: stage.bus)  // a new input uses the new gate
        gate.set(inputGranted: true)
        #expect(try peaks() == [0.5, 0])
        #expect(late.takePeak(channel: 0) == 0.5)
    }

    @Test("A bus whose engine is gone throws an error")
    func engineGone() throws {
        let gate = try TestGate()
        let bus = try {
            let engine = try AudioEngine(driver: OfflineDriver())
            return try engine.makeSessionBus(gate: gate.page, owner: gate)
        }()
        #expect(throws: AudioEngineError.engineGone) { try bus.replaceGate(gate.page, owner: gate) }
    }
}
