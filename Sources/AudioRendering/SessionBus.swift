internal import CRenderCore

/// The bus that all sources of one session lead through; it carries the session's gate.
///
/// It lives until the last reference goes, and its voices hold one each: they fade out on their own bus, and only then is its slot
/// free for another session. A desk of further buses may lead to it (``setGraph(_:)``): the gate holds for all of them. It has as many channels as its first
/// output, two at least.
public final class SessionBus: AudioBus {
    public let identity: BusIdentity
    public var session: SessionBus { self }
    // Weak: the engine holds voices, and they hold their bus.
    weak let engine: AudioEngine?

    init(identity: BusIdentity, engine: AudioEngine) {
        self.identity = identity
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
        try living.replaceGate(ofBus: slot, by: page, owner: owner)
    }

    /// Where it leads.
    public var outputs: [OutputRoute] { engine?.outputs(ofBus: slot) ?? [] }

    /// Leads it to outputs of its own, and its inputs to those channels of the driver; nil: where the engine's buses lead by themselves,
    /// and all channels. What is heard cross-fades, in 5 ms; without any output it plays on in silence. Maps of its own (`setMap`) are gone where the outputs
    /// are others. Throws `invalidArgument` for outputs that there cannot be, and where all buses together lead to more than the engine has.
    public func lead(to outputs: [OutputRoute]?, from inputs: Range<Int>? = nil) throws(AudioEngineError) {
        try living.lead([BusDestination(bus: self, outputs: outputs, inputs: inputs)])
    }

    /// Leads it to one of its outputs, by place, by another channel map; nil is the usual one. Throws `invalidArgument` for an output that there is not,
    /// and for a map of another shape.
    public func setMap(_ map: ChannelMap?, route: Int = 0) throws(AudioEngineError) {
        try living.setMap(map, ofBus: slot, route: route)
    }

    // MARK: The desk

    /// The session's desk, as it was set last; without buses at first.
    public var graph: BusGraph { engine?.graph(of: self) ?? BusGraph() }

    /// Replaces the session's desk, all of it in one step; or throws, and nothing changed.
    ///
    /// A bus that keeps its name stays the same bus: its gain, pan, mute, solo and meter are what they were, and its voices play on, to the frame. So does a send between two buses of the
    /// same names. What is led elsewhere, comes or goes cross-fades in 5 ms; what only joins takes effect between two samples. What plays on a bus that goes is stopped.
    ///
    /// Throws `badGraph`, which names what is wrong and what to do; `commandQueueFull` or `outOfMemory`. While a graph is still heard, the next cannot turn the
    /// order of its buses round, nor move an insert to another bus: set one without them first, and this one once `isGraphSettled`.
    public func setGraph(_ graph: BusGraph) throws(AudioEngineError) { try living.setGraph(graph, of: self) }

    /// Whether what graphs before the present one led elsewhere has faded out, in the whole engine.
    public var isGraphSettled: Bool { engine?.isSettled ?? true }

    /// The bus of the desk that has that name. Throws `noSuchBus`.
    public func bus(_ name: String) throws(AudioEngineError) -> MixerBus {
        MixerBus(session: self, identity: try living.identity(ofBus: name, in: self))
    }

    /// Whether outputs that it leads to may be limited (`AudioEngine.setLimiter`): not while its session measures. What is heard cross-fades.
    package func setAllowsLimiting(_ isAllowed: Bool) throws(AudioEngineError) {
        try living.setAllowsLimiting(isAllowed, ofBus: slot)
    }

    /// The buses of the desk, in the order of its graph.
    public var buses: [MixerBus] { graph.buses.compactMap { try? bus($0.name) } }

    /// The engine, or what says that it is gone.
    var living: AudioEngine {
        get throws(AudioEngineError) {
            guard let engine else { throw .engineGone }
            return engine
        }
    }
}
