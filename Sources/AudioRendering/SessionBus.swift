internal import CRenderCore

/// The bus that all sources of one session pass through. It carries the session's gate, the memory
/// page through which the arbiter controls the session; it is no noise gate.
///
/// The bus lives until its last reference is released, and its voices hold one each: they fade out
/// on their own bus, and only then is its slot free for another session. A mixer of further buses
/// may feed the bus (``setGraph(_:)``); the gate applies to all of them. The bus has as many
/// channels as its first output, but at least two if the engine allows them.
public final class SessionBus: AudioBus {
    public let identity: BusIdentity
    public var session: SessionBus { self }
    // Weak, because the engine holds voices, and voices hold their bus.
    weak let engine: AudioEngine?

    init(identity: BusIdentity, engine: AudioEngine) {
        self.identity = identity
        self.engine = engine
    }

    deinit { engine?.removeBus(slot: slot) }

    /// The linear gain of the gate at the end of the last cycle: duck × fade × volume.
    public var gateGain: Float { engine?.gateGain(ofBus: slot) ?? 0 }

    /// Replaces the gate of the bus, and of the inputs made for it, by the one at `page`, an
    /// `sgate_page_t *`, from the next period on; `owner` keeps that page alive.
    ///
    /// The last values of the old page apply until then. If the new page has the same values,
    /// nothing audible changes, bit for bit (keeps SRV-3); other values take effect as if they had
    /// been written to the old page. The engine no longer reads the old page once it has released
    /// that page's owner, which happens after that period. If another change of the plan already
    /// waits for a crossfade to end, the gate is replaced together with it.
    ///
    /// Throws `commandQueueFull` or `outOfMemory`; the old gate then stays.
    public func replaceGate(
        _ page: OpaquePointer, owner: any AnyObject & Sendable
    ) throws(AudioEngineError) {
        try liveEngine.replaceGate(ofBus: slot, by: page, owner: owner)
    }

    /// The outputs that the bus is routed to.
    public var outputs: [OutputRoute] { engine?.outputs(ofBus: slot) ?? [] }

    /// Routes the bus to outputs of its own, and its inputs to these channels of the driver. nil
    /// selects the engine's shared outputs, and all input channels.
    ///
    /// The outputs crossfade in 5 ms. Without any output, voices continue to play but are
    /// inaudible. If the outputs change, channel maps that were set with `setMap` are removed.
    /// Throws `invalidArgument` for invalid outputs, and if all buses together use more outputs
    /// than the engine has.
    public func setOutputs(_ outputs: [OutputRoute]?, inputs: Range<Int>? = nil) throws(AudioEngineError) {
        try liveEngine.route([BusRouting(bus: self, outputs: outputs, inputs: inputs)])
    }

    /// Sets the channel map from the bus to one of its outputs; `route` is the index in `outputs`,
    /// nil selects the standard map. Throws `invalidArgument` for an unknown output, and for a map
    /// with other channel counts.
    public func setMap(_ map: ChannelMap?, route: Int = 0) throws(AudioEngineError) {
        try liveEngine.setMap(map, ofBus: slot, route: route)
    }

    // MARK: The mixer

    /// The session's mixer, as it was last set; initially without buses.
    public var graph: BusGraph { engine?.graph(of: self) ?? BusGraph() }

    /// Replaces the session's mixer in one step. If it throws, nothing has changed.
    ///
    /// A bus that keeps its name remains the same bus: it keeps its gain, pan, mute, solo and
    /// meter, and its voices continue without losing a frame. The same applies to a send between
    /// two buses that keep their names. A graph that only adds buses or sends takes effect between
    /// two samples; any other change crossfades in 5 ms. Voices on a removed bus are stopped.
    ///
    /// Throws `badGraph`, which names the error and its fix; `commandQueueFull` or `outOfMemory`.
    /// While a previous graph is still audible, a new one can neither reverse the order of its
    /// buses nor move an insert to another bus. Set a graph without them first, and this one once
    /// `isGraphSettled` is true.
    public func setGraph(_ graph: BusGraph) throws(AudioEngineError) { try liveEngine.setGraph(graph, of: self) }

    /// Whether the crossfades from earlier graphs are complete, in the whole engine.
    public var isGraphSettled: Bool { engine?.isSettled ?? true }

    /// Returns the bus of the mixer with this name. Throws `noSuchBus`.
    public func bus(_ name: String) throws(AudioEngineError) -> MixerBus {
        MixerBus(session: self, identity: try liveEngine.identity(ofBus: name, in: self))
    }

    /// Sets whether the outputs of the bus may be limited (`AudioEngine.setLimiter`); false while
    /// the mode of its session is measurement. The change crossfades.
    package func setAllowsLimiting(_ isAllowed: Bool) throws(AudioEngineError) {
        try liveEngine.setAllowsLimiting(isAllowed, ofBus: slot)
    }

    /// The buses of the mixer, in the order of its graph.
    public var buses: [MixerBus] { graph.buses.compactMap { try? bus($0.name) } }

    /// The engine. Throws `engineGone` if it no longer exists.
    var liveEngine: AudioEngine {
        get throws(AudioEngineError) {
            guard let engine else { throw .engineGone }
            return engine
        }
    }
}
