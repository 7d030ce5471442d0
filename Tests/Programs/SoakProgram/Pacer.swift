import AudioRendering
import CSessionGate
import TestSupport

/// Silence that is rendered whatever happens to sessions: time, in frames.
final class Pacer {
    private let engine: AudioEngine
    private let bus: SessionBus
    private let gate: OpenGate

    init(_ engine: AudioEngine) throws {
        self.engine = engine
        gate = try OpenGate()
        bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        try bus.lead(to: [])
    }

    func letPass(_ frames: Int, limit: Double) -> Bool {
        let ends = Signpost<Bool>()
        guard let silence = try? AudioBuffer([[Float](repeating: 0, count: frames)]),
            let voice = try? engine.play(.buffer(silence), on: bus, onEnd: { ends.note($0.endReason == .finished) })
        else { return false }
        if ends.wait(limit: limit, until: { !$0.isEmpty }) { return ends.noted == [true] }
        try? voice.stop()
        return false
    }
}

/// A gate that lets everything through.
///
/// Unchecked `Sendable`: written once, before anyone reads.
private final class OpenGate: @unchecked Sendable {
    let page: OpaquePointer

    init() throws {
        guard let page = sgate_page_create() else { throw TestFailure("There is no memory for a gate.") }
        self.page = page
        sgate_page_set_verdict(
            page,
            sgate_verdict_t(attenuation: 0, ramp_ms: 0, paused: false, muted: false, input_granted: true, serial: 1))
    }

    deinit { sgate_page_destroy(page) }
}
