internal import CRenderCore

/// A bus that voices and sounds play on: a session's bus (``SessionBus``), or a bus of its mixer
/// (``MixerBus``).
///
/// Gains are linear; times are engine frames. A property that is set ramps to the new value within
/// 5 ms. Reading it returns the value that was last set, by whatever call, not the current value of
/// the ramp. A property ignores a value that is not a finite number; the throwing calls report the
/// reason. Every call is safe from any thread.
///
/// Only the engine creates buses: ``BusIdentity`` has no public initializer.
public protocol AudioBus: AnyObject, Sendable {
    /// The session's bus that this bus feeds; a session's bus returns itself.
    var session: SessionBus { get }
    /// The bus's identity among the engine's buses.
    var identity: BusIdentity { get }
}

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
    weak let control: EngineControl?
    /// Frees the slots of buses that only voices and sounds which have ended keep alive.
    private let reclaim: @Sendable () -> Void

    init(identity: BusIdentity, control: EngineControl, reclaim: @escaping @Sendable () -> Void) {
        self.identity = identity
        self.control = control
        self.reclaim = reclaim
    }

    deinit {
        control?.removeFromPlan { $0.removeBus(slot: slot) }
        control?.forgetSignal(ofSlot: slot)
    }

    /// The linear gain of the gate at the end of the last cycle: duck × fade × volume.
    public var gateGain: Float {
        control.map { rcore_bus_gate_gain($0.core.handle, UInt32(slot)) } ?? 0
    }

    /// Whether the session's sources deliver signal: whether a voice or sound plays on the bus or
    /// on its mixer, or did so in the last 200 ms of rendered sound.
    ///
    /// A paused voice does not count, nor one whose session is interrupted. A render callback
    /// counts while it is attached, even if it renders silence. An insert counts while the bus has
    /// samples above -100 dBFS, as with the tail of a reverb. `EngineEvent.signalChanged` reports
    /// changes.
    ///
    /// False while the engine is stopped or closed; while the server is lost, the last value.
    public var hasSignal: Bool { control?.hasSignal(onSlot: slot) ?? false }

    /// Whether the session is audible, if it lowers others only while it is: whether the sum of its
    /// mixer exceeds the threshold in its gate, or did so within the hold time there. The gain of
    /// the gate does not count; a paused or muted session is not audible.
    /// `EngineEvent.signalChanged` reports changes.
    ///
    /// False for other sessions, while the engine is stopped or closed, and while the server is
    /// lost.
    public var isAudible: Bool { control?.isAudible(onSlot: slot) ?? false }

    /// Replaces the gate of the bus, and of the inputs made for it, by the one at `page`, an
    /// `sgate_page_t *`, from the next period on, with `keys` as in `AudioEngine.makeSessionBus`;
    /// `owner` keeps both pages alive.
    ///
    /// The last values of the old page apply until then. If the new page has the same values,
    /// nothing audible changes, bit for bit (keeps SRV-3); other values take effect as if they had
    /// been written to the old page. The engine no longer reads the old page once it has released
    /// that page's owner, which happens after that period. If another change of the plan already
    /// waits for a crossfade to end, the gate is replaced together with it.
    ///
    /// Throws `commandQueueFull` or `outOfMemory`; the old gate then stays.
    public func replaceGate(
        _ page: OpaquePointer, keys: OpaquePointer? = nil, owner: any AnyObject & Sendable
    ) throws(AudioEngineError) {
        try liveControl.changePlan {
            $0.replaceGate(ofBus: slot, by: EnginePlan.Gate(page: page, keys: keys, owner: owner))
        }
    }

    /// The outputs that the bus is routed to.
    public var outputs: [OutputRoute] {
        control?.read { plan in plan.buses[slot].map { plan.outputs(of: $0) } } ?? []
    }

    /// Routes the bus to outputs of its own, and its inputs to these channels of the driver. nil
    /// selects the engine's shared outputs, and all input channels.
    ///
    /// The outputs crossfade in 5 ms. Without any output, voices continue to play but are
    /// inaudible. If the outputs change, channel maps that were set with `setMap` are removed.
    /// Throws `invalidArgument` for invalid outputs, and if all buses together use more outputs
    /// than the engine has.
    public func setOutputs(_ outputs: [OutputRoute]?, inputs: Range<Int>? = nil) throws(AudioEngineError) {
        try liveControl.route([BusRouting(bus: self, outputs: outputs, inputs: inputs)])
    }

    /// Sets the channel map from the bus to one of its outputs; `route` is the index in `outputs`,
    /// nil selects the standard map. Throws `invalidArgument` for an unknown output, and for a map
    /// with other channel counts.
    public func setMap(_ map: ChannelMap?, route: Int = 0) throws(AudioEngineError) {
        let (channels, outputs) = (channels, outputs)
        guard outputs.indices.contains(route),
            map.map({ $0.inputs == channels && $0.outputs == outputs[route].channels }) ?? true
        else {
            throw .invalidArgument(
                what:
                    "a channel map to output \(route) of \(outputs.count); valid: from \(channels) channels to its own")
        }
        try liveControl.changePlan { $0.buses[slot]?.maps[route] = map }
    }

    // MARK: The mixer

    /// The session's mixer, as it was last set; initially without buses.
    public var graph: BusGraph { control?.read { $0.buses[slot]?.mixer.graph } ?? BusGraph() }

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
    public func setGraph(_ graph: BusGraph) throws(AudioEngineError) {
        reclaim()
        try liveControl.setGraph(graph, ofBus: slot)
    }

    /// Whether the crossfades from earlier graphs are complete, in the whole engine.
    public var isGraphSettled: Bool { control?.isSettled ?? true }

    /// Sets whether the outputs of the bus may be limited (`AudioEngine.setLimiter`); false while
    /// the mode of its session is measurement. The change crossfades.
    package func setAllowsLimiting(_ isAllowed: Bool) throws(AudioEngineError) {
        let control = try liveControl
        let isAllowedNow = control.read { $0.buses[slot]?.allowsLimiting }
        guard let isAllowedNow, isAllowedNow != isAllowed else { return }
        try control.changePlan { $0.buses[slot]?.allowsLimiting = isAllowed }
    }

    /// Throws `engineGone` if the engine no longer exists.
    var liveControl: EngineControl {
        get throws(AudioEngineError) {
            guard let control else { throw .engineGone }
            return control
        }
    }
}

/// The outputs and inputs to connect a session bus to.
public struct BusRouting: Sendable {
    /// The bus to route.
    public var bus: SessionBus
    /// The outputs of the bus. nil: the engine's shared outputs. Empty: none.
    public var outputs: [OutputRoute]?
    /// The driver's input channels for the session's inputs; nil: all.
    public var inputs: Range<Int>?

    public init(bus: SessionBus, outputs: [OutputRoute]?, inputs: Range<Int>? = nil) {
        self.bus = bus
        self.outputs = outputs
        self.inputs = inputs
    }

    fileprivate func differs(from plan: EnginePlan) -> Bool {
        guard let current = plan.buses[bus.slot] else { return false }
        return current.outputs != outputs || current.inputs != inputs
    }
}

extension EngineControl {
    /// Routes buses to outputs of their own, all in one plan.
    func route(_ buses: [BusRouting]) throws(AudioEngineError) {
        for routing in buses {
            try check(routing.outputs, atLeast: 0)
            guard routing.bus.belongs(to: self), (routing.inputs?.lowerBound ?? 0) >= 0 else {
                throw .invalidArgument(what: "routing a bus of another engine, or from an input channel below 0")
            }
        }
        guard read({ plan in buses.contains { $0.differs(from: plan) } }) else { return }
        try changePlan { plan in
            for routing in buses {
                plan.route(bus: routing.bus.slot, to: routing.outputs, from: routing.inputs)
            }
        }
    }
}
