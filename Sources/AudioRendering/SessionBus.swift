/// The bus that all sources of one session lead through; it carries the session's gate.
///
/// It lives until the last reference goes: then its slot is free for another session.
public final class SessionBus: Sendable {
    /// Its slot in the engine's plan.
    public let slot: Int
    private let engine: AudioEngine

    init(slot: Int, engine: AudioEngine) {
        self.slot = slot
        self.engine = engine
    }

    deinit { engine.removeBus(slot: slot) }

    /// The linear gain the gate had at the end of the last cycle: duck × fade × volume.
    public var gateGain: Float { engine.gateGain(ofBus: slot) }
}
