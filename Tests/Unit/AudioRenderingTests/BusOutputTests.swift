import AudioRendering
import Foundation
import TestSupport
import Testing

/// Buses that are connected to outputs of their own, like sessions with different routes.
@Suite struct BusOutputTests {
    private let speaker = OutputRoute(firstChannel: 0, channels: 2)
    private let phones = OutputRoute(firstChannel: 2, channels: 2)

    private func bus(_ stage: EngineFixture) throws -> (SessionBus, TestGate) {
        let gate = try TestGate()
        return (try stage.engine.makeSessionBus(gate: gate.page, owner: gate), gate)
    }

    private func counting(_ frames: Int = 48_000) throws -> VoiceSource {
        let samples = Signal.counting(frames: frames)
        return .buffer(try AudioBuffer([samples, samples]))
    }

    @Test("ROUTE-2, MULTI-3: moving one bus to another output leaves the other bus bit-identical")
    func oneMoves() throws {
        let stage = try EngineFixture(channels: 4)
        let (other, _) = try bus(stage)
        try stage.engine.route([
            BusRouting(bus: stage.bus, outputs: [speaker]), BusRouting(bus: other, outputs: [phones]),
        ])
        try stage.engine.play(counting(), on: stage.bus)
        try stage.engine.play(counting(), on: other)
        var heard = try stage.driver.render(frames: 1_024)
        #expect(heard[0] == heard[2] && heard[0] == Array(Signal.counting(frames: 1_024)))
        try stage.bus.setOutputs([phones])
        heard = try stage.driver.render(frames: 1_024)
        // Both buses are on one output: twice the program, after the fade-in of one of them.
        let programme = Signal.counting(frames: 2_048)[1_024...]
        #expect(Signal.firstDifference(heard[2][240...], programme.dropFirst(240).map { 2 * $0 }) == nil)
        #expect(heard[0][240...].allSatisfy { $0 == 0 })
        try stage.bus.setOutputs([])
        heard = try stage.driver.render(frames: 1_024)
        let last = Signal.counting(frames: 3_072)[2_048...]
        #expect(
            Signal.firstDifference(heard[2][240...], last.dropFirst(240)) == nil, "the unconnected bus plays on")
        try stage.bus.setOutputs(nil)
        #expect(stage.bus.outputs == [OutputRoute(firstChannel: 0, channels: 4)])
        heard = try stage.driver.render(frames: 1_024)
        #expect(Signal.firstDifference(heard[0][240...], Signal.counting(frames: 4_096)[3_312...]) == nil)
    }

    @Test("MULTI-3: adding or removing an output leaves the bus's signal on the others bit-identical")
    func outputsComeAndGo() throws {
        let stage = try EngineFixture(channels: 6)
        let hdmi = OutputRoute(firstChannel: 4, channels: 2)
        try stage.bus.setOutputs([speaker, phones])
        try stage.engine.play(counting(), on: stage.bus)
        var heard = [[Float]](repeating: [], count: 6)
        for outputs in [[speaker, phones], [phones], [phones, hdmi], [hdmi, phones, speaker], [phones]] {
            try stage.bus.setOutputs(outputs)
            for (channel, plane) in try stage.driver.render(frames: 700).enumerated() { heard[channel] += plane }
        }
        #expect(heard[2] == Signal.counting(frames: 3_500) && heard[3] == heard[2])
        for channel in [0, 1, 4, 5] { #expect(Signal.largestStep(heard[channel]) < 0.0001) }
        #expect(heard[0][700 + 240..<2_100].allSatisfy { $0 == 0 })
    }

    @Test("A voice is heard on both sides, whether the bus had one channel or two when the voice started")
    func channels() throws {
        let stage = try EngineFixture(channels: 3)
        let mono = OutputRoute(firstChannel: 2, channels: 1)
        try stage.bus.setOutputs([mono])
        #expect(stage.bus.channels == 2)
        let samples = Signal.counting(frames: 48_000)
        try stage.engine.play(.buffer(AudioBuffer([samples])), on: stage.bus)
        var heard = try stage.driver.render(frames: 1_000)
        #expect(heard[2] == Array(samples[..<1_000]), "one channel to two and back is bit-exact")
        try stage.bus.setOutputs([speaker])
        heard = try stage.driver.render(frames: 1_000)
        #expect(Signal.firstDifference(heard[0][240...], samples[1_240..<2_000]) == nil)
        #expect(heard[1] == heard[0])
    }

    @Test("HW-5: a capture follows its output to one with equal channels, and otherwise ends with a reason")
    func capture() throws {
        let stage = try EngineFixture(channels: 5)
        let directory = try TemporaryDirectory()
        try stage.bus.setOutputs([speaker])
        try stage.engine.startCapture(path: directory.file("a.wav"))
        try stage.engine.play(counting(), on: stage.bus)
        _ = try stage.driver.render(frames: 1_000)
        try stage.bus.setOutputs([phones])
        _ = try stage.driver.render(frames: 1_000)
        let ends = EventLog<String>()
        let observation = stage.engine.observe { event in
            if case .captureFailed(let error) = event { ends.note(error.description) }
        }
        defer { withExtendedLifetime(observation) {} }
        try stage.bus.setOutputs([OutputRoute(firstChannel: 4, channels: 1)])
        _ = try stage.driver.render(frames: 1_000)
        #expect(ends.wait { $0.count == 1 })
        let summary = try #require(stage.engine.stopCapture())
        #expect(summary.frames == 2_000 && summary.failure != nil)
    }

    @Test("HW-5: a capture ends with a reason when the bus that it records is released")
    func captureOfReleasedBus() throws {
        let stage = try EngineFixture(channels: 3)
        var first: SessionBus? = try bus(stage).0
        let (second, _) = try bus(stage)
        try stage.engine.route([
            BusRouting(bus: stage.bus, outputs: []), BusRouting(bus: try #require(first), outputs: [speaker]),
            BusRouting(bus: second, outputs: [OutputRoute(firstChannel: 2, channels: 1)]),
        ])
        let directory = try TemporaryDirectory()
        try stage.engine.startCapture(path: directory.file("a.wav"))
        _ = try stage.driver.render(frames: 1_000)
        let ends = EventLog<String>()
        let observation = stage.engine.observe { event in
            if case .captureFailed(let error) = event { ends.note(error.description) }
        }
        defer { withExtendedLifetime(observation) {} }
        first = nil
        _ = try stage.driver.render(frames: 1_000)
        #expect(ends.wait { $0.count == 1 })
        let summary = try #require(stage.engine.stopCapture())
        #expect(summary.frames == 1_000 && summary.failure != nil)
    }

    @Test("ROUTE-6: an input switches to other channels, and to silence where the device has fewer")
    func inputs() throws {
        let stage = try EngineFixture(channels: 2, inputs: 3)
        stage.gate.set(inputGranted: true)
        let input = try stage.engine.makeInput(for: stage.bus, channels: 2)
        let planes: [[Float]] = (1...3).map { [Float](repeating: Float($0) / 8, count: 2_000) }
        try stage.bus.setOutputs(nil, inputs: 0..<2)
        _ = try stage.driver.render(frames: 1_000, inputs: planes)
        func last() throws -> [Float] {
            var samples: [Float] = []
            while let block = input.read() { samples += block.samples }
            return Array(samples.suffix(2))
        }
        #expect(try last() == [0.125, 0.25])
        try stage.bus.setOutputs(nil, inputs: 2..<3)
        _ = try stage.driver.render(frames: 1_000, inputs: planes)
        #expect(try last() == [0.375, 0])
        try stage.bus.setOutputs(nil, inputs: 0..<0)
        _ = try stage.driver.render(frames: 1_000, inputs: planes)
        #expect(try last() == [0, 0])
    }

    @Test("Invalid outputs: a clear error, and nothing changes")
    func refusals() throws {
        let stage = try EngineFixture(channels: 4)
        try stage.bus.setOutputs([phones])
        for outputs in [
            [phones, phones], [OutputRoute(firstChannel: -1, channels: 1)], [OutputRoute(firstChannel: 0, channels: 9)],
        ] {
            #expect(throws: AudioEngineError.self) { try stage.bus.setOutputs(outputs) }
        }
        #expect(throws: AudioEngineError.self) {
            try stage.bus.setOutputs((0..<9).map { OutputRoute(firstChannel: $0, channels: 1) })
        }
        let (other, _) = try bus(try EngineFixture())
        #expect(throws: AudioEngineError.self) {
            try stage.engine.route([BusRouting(bus: other, outputs: [speaker])])
        }
        #expect(stage.bus.outputs == [phones])
    }
}
