internal import CRenderCore

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

    /// Obeys the gate at `page`, an `sgate_page_t *`, from the next period on, and so do the inputs made for this bus; `owner` keeps that page
    /// alive. What the old page said last holds until then: the same two words in the new one change nothing that is heard, not by one bit
    /// (keeps SRV-3), and others take effect as if they were written in the old one. The old page is not read any more once its owner is let
    /// go, which happens after that period (where one change of maps or routes waits for another: after the first one's 5 ms). Throws
    /// `commandQueueFull` or `outOfMemory`, and then the old gate stays.
    public func replaceGate(
        _ page: OpaquePointer, owner: any AnyObject & Sendable
    ) throws(AudioEngineError) {
        guard let engine else { throw .engineGone }
        try engine.replaceGate(ofBus: slot, by: page, owner: owner)
    }

    /// Whether a voice plays on it, or waits there for its time.
    public var hasPlayingVoices: Bool { engine?.hasPlayingVoices(onBus: slot) ?? false }

    /// Leads it to one of the engine's routes by another channel map; nil is the usual one. Throws `invalidArgument` for a route that there is not,
    /// and for a map of another shape.
    public func setMap(_ map: ChannelMap?, route: Int = 0) throws(AudioEngineError) {
        guard let engine else { throw .engineGone }
        try engine.setMap(map, ofBus: slot, route: route)
    }

    /// Ramps to a linear gain; finite.
    public func setGain(_ gain: Float, rampFrames: Int, at time: UInt64? = nil) throws(AudioEngineError) {
        guard let engine else { throw .engineGone }
        try engine.command("a bus gain of \(gain)") { port in
            rcore_post_bus_gain(port, UInt32(slot), gain, UInt32(clamping: rampFrames), time ?? 0)
        }
    }

    /// Stops all that plays into it, and what waits for its time to start there.
    public func stopAll(fadeFrames: Int = 0, at time: UInt64? = nil) throws(AudioEngineError) {
        guard let engine else { throw .engineGone }
        try engine.command("stopping all voices of a bus") { port in
            rcore_post_stop_all(port, UInt32(slot), UInt32(clamping: fadeFrames), time ?? 0)
        }
    }

    func belongs(to engine: AudioEngine) -> Bool { self.engine === engine }
}
