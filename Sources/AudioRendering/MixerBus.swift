internal import CRenderCore

/// A bus of a session's mixer: a channel strip. ``SessionBus/bus(_:)`` and ``AudioEngine/bus(_:)``
/// find it by its name.
///
/// <!-- Tests/Unit/AudioSessionsTests/MixerPageTests.swift#work;
/// Scripts/check examples compares them -->
/// ```swift
/// let drums = try session.bus("drums")
/// drums.gain = 0.7  // within 5 ms
/// drums.pan = 0.1
/// try session.bus("kick").isMuted = true
/// try session.bus("vocals").isSoloed = true
/// try session.bus("vocals").send(to: "reverb").level = 0.5
///
/// let engine = try session.engine
/// let bar = engine.currentFrame + 48_000
/// // At that frame, over two seconds at 48 kHz.
/// try drums.setGain(0, rampFrames: 96_000, at: bar)
/// ```
///
/// It remains the same bus as long as every graph of its session has a bus of this name. When a
/// graph removes it, it falls silent within 5 ms, its voices end, and its calls throw `busRemoved`;
/// a later bus of that name is another one. Sounds that were made for it are no longer audible. A
/// mixer bus keeps its session's bus alive.
public final class MixerBus: AudioBus {
    public let session: SessionBus
    public let identity: BusIdentity

    init(session: SessionBus, identity: BusIdentity) {
        self.session = session
        self.identity = identity
    }

    /// The bus's name, unique within its session.
    public var name: String { identity.name ?? "" }

    /// The pan position, −1 left … 1 right, by the bus's pan law. Ignores values outside this
    /// range, and all values if the bus has no pan law.
    public var pan: Float {
        get { strip?.pan ?? 0 }
        set { try? setPan(newValue, rampFrames: shortRamp) }
    }

    /// Whether the bus is soloed in place.
    ///
    /// While any bus of the session is soloed, only soloed buses, the buses below them and
    /// solo-safe buses are audible. The buses between them and the output pass their signal on,
    /// but not that of voices that play on these buses directly. All others act as muted, including
    /// their sends. A muted bus stays muted. Other sessions are not affected.
    public var isSoloed: Bool {
        get { strip?.isSoloed ?? false }
        set { try? setSoloed(newValue, rampFrames: shortRamp) }
    }

    /// Moves the pan position between left (−1) and right (1), by the bus's pan law. Throws
    /// `invalidArgument` outside this range, and for a bus without a pan law.
    public func setPan(
        _ position: Float, rampFrames: Int, curve: AutomationCurve = .linear, at time: UInt64? = nil
    ) throws(AudioEngineError) {
        try checkHasPanLaw()
        try set("a pan of \(position) (valid: -1 left to 1 right)", { $0.pan = position }) { queue, slot in
            AutomatedParameter.busPan.ramp(
                to: position, frames: rampFrames, curve: curve, of: UInt64(slot), to: queue, at: time.commandTime)
        }
    }

    /// Moves the pan through `points`, as `Voice.automate` does. Afterwards, `pan` is the last
    /// point's value.
    public func automatePan(_ points: [AutomationPoint]) throws(AudioEngineError) {
        try checkHasPanLaw()
        try automate(.busPan, points) { $0.pan = $1 }
    }

    private func checkHasPanLaw() throws(AudioEngineError) {
        let description = session.control?.read { $0.description(of: identity) }
        guard let description, description.panLaw == nil else { return }
        throw .invalidArgument(what: "a pan of \(title), which has no pan law; set its panLaw in the graph")
    }

    /// Soloes the bus or ends its solo, with a ramp of all buses that become silent or audible.
    public func setSoloed(_ isSoloed: Bool, rampFrames: Int, at time: UInt64? = nil) throws(AudioEngineError) {
        try set("a solo", { $0.isSoloed = isSoloed }) { queue, slot in
            rcore_post_bus_solo(queue, slot, isSoloed, UInt32(clamping: rampFrames), time.commandTime)
        }
    }

    /// Returns the send to the bus of this name. Throws `noSuchSend` or `busRemoved`.
    public func send(to target: String) throws(AudioEngineError) -> MixerSend {
        let send = try session.liveControl.read { plan throws(AudioEngineError) in
            try plan.send(from: identity, to: target)
        }
        return MixerSend(source: self, identity: send)
    }
}

extension SessionBus {
    /// Returns the bus of the mixer with this name. Throws `noSuchBus`.
    public func bus(_ name: String) throws(AudioEngineError) -> MixerBus {
        let mixer = try liveControl.read { $0.buses[slot]?.mixer }
        guard let identity = mixer?.strips[name]?.identity else {
            throw .noSuchBus(name: name, among: mixer?.graph.buses.map(\.name) ?? [])
        }
        return MixerBus(session: self, identity: identity)
    }

    /// The buses of the mixer, in the order of its graph.
    public var buses: [MixerBus] { graph.buses.compactMap { try? bus($0.name) } }
}

/// A send from a bus to another bus, in addition to the bus's own output. It remains the same send
/// as long as every graph has it.
public final class MixerSend: Sendable {
    /// The bus that the send takes its signal from.
    public let source: MixerBus
    /// The name of the bus that the send is routed to.
    public var target: String { identity.ends.target }
    private let identity: SendIdentity

    fileprivate init(source: MixerBus, identity: SendIdentity) {
        self.source = source
        self.identity = identity
    }

    /// The level: linear, finite. Setting it ramps to the new value in 5 ms; reading it returns the
    /// value that was last set.
    public var level: Float {
        get { source.session.control?.read { $0[identity]?.level } ?? 0 }
        set { try? setLevel(newValue, rampFrames: source.shortRamp) }
    }

    /// Ramps the level to a linear value; finite. Throws `noSuchSend` once a graph no longer has
    /// the send.
    public func setLevel(
        _ level: Float, rampFrames: Int, curve: AutomationCurve = .linear, at time: UInt64? = nil
    ) throws(AudioEngineError) {
        try source.session.liveControl.setLevel(level, of: identity, "a level of \(level)") { queue, slot in
            AutomatedParameter.sendLevel.ramp(
                to: level, frames: rampFrames, curve: curve, of: slot, to: queue, at: time.commandTime)
        }
    }

    /// Moves the level through `points`, as `Voice.automate` does. Afterwards, `level` is the last
    /// point's value.
    public func automateLevel(_ points: [AutomationPoint]) throws(AudioEngineError) {
        try AutomatedParameter.sendLevel.check(points)
        guard let last = points.last else { return }
        let what = "\(points.count) points of automation"
        try source.session.liveControl.setLevel(last.value, of: identity, what) { queue, slot in
            AutomatedParameter.sendLevel.post(points, of: slot, to: queue)
        }
    }
}
