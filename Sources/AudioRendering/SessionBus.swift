/// The bus that all sources of one session lead through; it carries the session's gate.
///
/// It lives until the last reference goes, and its voices hold one each: they fade out on their own bus, and only then is its slot
/// free for another session.
public final class SessionBus: Sendable {
    /// Its slot in the engine's plan.
    public let slot: Int
    // Weak: the engine holds voices, and they hold their bus.
    private weak let engine: AudioEngine?

    init(slot: Int, engine: AudioEngine) {
        self.slot = slot
        self.engine = engine
    }

    deinit { engine?.removeBus(slot: slot) }

    /// The linear gain the gate had at the end of the last cycle: duck × fade × volume.
    public var gateGain: Float { engine?.gateGain(ofBus: slot) ?? 0 }

    func belongs(to engine: AudioEngine) -> Bool { self.engine === engine }
}
