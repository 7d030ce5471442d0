import AudioRendering
import TestSupport

/// Measures time in frames: silence that is rendered regardless of what happens to sessions.
final class FrameClock {
    private let engine: AudioEngine
    private let bus: SessionBus

    init(_ engine: AudioEngine) throws {
        self.engine = engine
        let gate = try TestGate(rampMilliseconds: 0, inputGranted: true)
        bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        try bus.setOutputs([])
    }

    /// Waits until `frames` frames have been rendered. Returns false if that takes longer than
    /// `limit` seconds.
    func letPass(_ frames: Int, limit: Double) -> Bool {
        let ends = EventLog<Bool>()
        guard let silence = try? AudioBuffer([[Float](repeating: 0, count: frames)]),
            let voice = try? engine.play(.buffer(silence), on: bus, onEnd: { ends.note($0.endReason == .finished) })
        else { return false }
        if ends.wait(limit: limit, until: { !$0.isEmpty }) { return ends.noted == [true] }
        try? voice.stop()
        return false
    }
}
