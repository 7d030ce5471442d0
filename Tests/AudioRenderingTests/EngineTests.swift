import AudioRendering
import TestSupport
import Testing

@Suite("Engine on the offline driver")
struct EngineTests {
    @Test("A voice begins at the next period, or on exactly the frame asked for")
    func startTimes() throws {
        let stage = try Stage()
        let buffer = try AudioBuffer([Signal.counting(frames: 100), Signal.counting(frames: 100)])
        try stage.engine.play(.buffer(buffer), on: stage.bus)
        try stage.engine.play(.buffer(buffer), on: stage.bus, at: 777)
        let output = try stage.driver.render(frames: 2000)[0]
        #expect(Array(output[0..<100]) == Signal.counting(frames: 100))
        #expect(output[100..<777].allSatisfy { $0 == 0 })
        #expect(Array(output[777..<877]) == Signal.counting(frames: 100))
        #expect(output[877...].allSatisfy { $0 == 0 })
    }

    @Test("INT-8: a paused gate stops on a frame, and the very next frame follows at resumption")
    func pauseAndResume() throws {
        let stage = try Stage()
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

    @Test("A gate that opens before anything sounds opens at once: the first note keeps its attack")
    func openingBeforeSound() throws {
        let stage = try Stage()
        stage.gate.set(paused: true)
        try stage.driver.render(frames: 1000)
        stage.gate.set()
        let source = Signal.counting(frames: 500)
        try stage.engine.play(.buffer(AudioBuffer([source, source])), on: stage.bus)
        #expect(Signal.firstDifference(try stage.driver.render(frames: 500)[0], source) == nil)
        // With something that sounds already it fades in.
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
        let stage = try Stage()
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

    @Test("An ended voice tells once and gives its slot back")
    func voiceEnd() throws {
        let stage = try Stage()
        let buffer = try AudioBuffer([Signal.counting(frames: 10)])
        let ends = Signpost<UInt64>()
        for _ in 0..<1000 {  // four times the pool
            try stage.engine.play(.buffer(buffer), on: stage.bus) { ends.note($0.framesRendered) }
            try stage.driver.render(frames: 64)
        }
        #expect(ends.noted == [UInt64](repeating: 10, count: 1000))
    }

    @Test("More voices than the pool holds: a clear error, and the others play on")
    func poolExhausted() throws {
        let stage = try Stage()
        let buffer = try AudioBuffer([Signal.counting(frames: 1000)])
        for _ in 0..<256 { try stage.engine.play(.buffer(buffer), on: stage.bus) }
        #expect(throws: AudioEngineError.noFreeVoice(limit: 256)) {
            try stage.engine.play(.buffer(buffer), on: stage.bus)
        }
        let output = try stage.driver.render(frames: 1)[0]
        #expect(output[0] == 256.0 / 1_048_576)
    }

    @Test("A gain that is no number is refused and changes nothing")
    func badGain() throws {
        let stage = try Stage()
        let buffer = try AudioBuffer([Signal.counting(frames: 1000)])
        #expect(throws: AudioEngineError.self) {
            try stage.engine.play(.buffer(buffer), on: stage.bus, gain: .nan)
        }
        let voice = try stage.engine.play(.buffer(buffer), on: stage.bus)
        #expect(throws: AudioEngineError.self) { try voice.setGain(.infinity, rampFrames: 0) }
        let output = try stage.driver.render(frames: 100)[0]
        #expect(output == Array(Signal.counting(frames: 100)))
    }

    @Test("A capture holds bit for bit what went to the outputs")
    func capture() throws {
        let directory = try TemporaryDirectory()
        let stage = try Stage()
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

    @Test("A capture that cannot be made is refused and the sound goes on")
    func badCapture() throws {
        let stage = try Stage()
        #expect(throws: CaptureError.self) { try stage.engine.startCapture(path: "/nowhere/capture.wav") }
        #expect(throws: CaptureError.self) { try stage.engine.startCapture(path: "/tmp/capture.xyz") }
        #expect(stage.engine.stopCapture() == nil)
    }

    @Test("Sessions come and go by the hundred; buses are given back")
    func busChurn() throws {
        let stage = try Stage()
        let source = Signal.counting(frames: 60_000)
        try stage.engine.play(.buffer(AudioBuffer([source, source])), on: stage.bus)
        var rendered: [Float] = []
        for _ in 0..<500 {
            let gate = try #require(TestGate())
            _ = try stage.engine.makeSessionBus(gate: gate.page, owner: gate)
            rendered += try stage.driver.render(frames: 100)[0]
        }
        #expect(Signal.firstDifference(rendered, source[0..<50_000]) == nil)
    }

    @Test("While nothing renders, commands and plans take effect without piling up")
    func stoppedEngine() throws {
        let stage = try Stage()
        stage.engine.stop()
        let buffer = try AudioBuffer([Signal.counting(frames: 1000)])
        let voice = try stage.engine.play(.buffer(buffer), on: stage.bus)
        for step in 0..<5000 { try voice.setGain(Float(step % 2), rampFrames: 0) }
        try stage.engine.start()
        #expect(try stage.driver.render(frames: 10)[0] == Array(Signal.counting(frames: 10)))
    }

    @Test("The same scene rendered twice gives the same bits")
    func determinism() throws {
        func scene() throws -> [[Float]] {
            let stage = try Stage(periodFrames: 100)
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
}
