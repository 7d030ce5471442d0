internal import CRenderCore

/// A bus of a session's desk: a channel strip. ``SessionBus/bus(_:)`` or ``AudioEngine/bus(_:)`` finds it by its name.
///
/// ```swift
/// let drums = try session.bus.bus("drums")
/// drums.gain = 0.8
/// try drums.send(to: "reverb").level = 0.25
/// try drums.setPan(-0.5, rampFrames: 48_000, at: engine.currentFrame + 4_800)
/// ```
///
/// It is the same bus for as long as every graph of its session has one of that name. Taken out, it falls silent within 5 ms, what plays on it ends, and what is asked
/// of it throws `busRemoved`; a bus of that name that comes later is another one. Sounds that were made for it are not heard any more. It keeps its session's bus.
public final class MixerBus: AudioBus {
    public let session: SessionBus
    public let identity: BusIdentity

    init(session: SessionBus, identity: BusIdentity) {
        self.session = session
        self.identity = identity
    }

    /// Its own within the session.
    public var name: String { identity.name ?? "" }

    /// −1 left … 1 right, by the bus's law; without one, or beyond, setting it changes nothing.
    public var pan: Float {
        get { strip?.pan ?? 0 }
        set { try? setPan(newValue, rampFrames: shortRamp) }
    }

    /// Solo in place: while any bus of the session is soloed, those are heard that are, the buses that lead to them, what they lead to (without what plays there
    /// directly), and those that are solo-safe; the others are as muted, and what they send too. A bus that is muted stays so. Other sessions are not touched.
    public var isSoloed: Bool {
        get { strip?.isSoloed ?? false }
        set { try? setSoloed(newValue, rampFrames: shortRamp) }
    }

    /// Moves between left (−1) and right (1), by the bus's law. Throws `invalidArgument` beyond, and for a bus without a law.
    public func setPan(
        _ position: Float, rampFrames: Int, curve: AutomationCurve = .linear, at time: UInt64? = nil
    ) throws(AudioEngineError) {
        try checkLaw()
        try set("a pan of \(position), from -1 (left) to 1 (right),", { $0.pan = position }) { port, slot in
            AutomatedParameter.busPan.ramp(
                to: position, frames: rampFrames, curve: curve, of: UInt64(slot), to: port, at: time)
        }
    }

    /// Moves its pan through `points`, as `Voice.automate` does; it reads as the last one's.
    public func automatePan(_ points: [AutomationPoint]) throws(AudioEngineError) {
        try checkLaw()
        try automate(.busPan, points) { $0.pan = $1 }
    }

    private func checkLaw() throws(AudioEngineError) {
        guard let description = session.engine?.description(of: self), description.panLaw == nil else { return }
        throw .invalidArgument(what: "a pan of \(title), which has no law for it; give it a panLaw in the graph")
    }

    /// Solos it, or ends that, by a ramp of all that it makes silent or heard.
    public func setSoloed(_ isSoloed: Bool, rampFrames: Int, at time: UInt64? = nil) throws(AudioEngineError) {
        try set("a solo", { $0.isSoloed = isSoloed }) { port, slot in
            rcore_post_bus_solo(port, slot, isSoloed, UInt32(clamping: rampFrames), time ?? 0)
        }
    }

    /// The send to the bus of that name. Throws `noSuchSend`, or `busRemoved`.
    public func send(to target: String) throws(AudioEngineError) -> MixerSend {
        MixerSend(source: self, target: target, identity: try session.living.send(from: self, to: target))
    }
}

/// A send of a bus, led to another one beside where it leads itself. It stays the same for as long as every graph has it.
public final class MixerSend: Sendable {
    /// The bus it is taken from.
    public let source: MixerBus
    /// The bus it leads to.
    public let target: String
    private let identity: SendIdentity

    fileprivate init(source: MixerBus, target: String, identity: SendIdentity) {
        self.source = source
        self.target = target
        self.identity = identity
    }

    /// Linear, finite; 5 ms, and reads, as ``AudioBus/gain`` does.
    public var level: Float {
        get { source.session.engine?.level(of: identity, from: source, to: target) ?? 0 }
        set { try? setLevel(newValue, rampFrames: source.shortRamp) }
    }

    /// Ramps to a linear level; finite. Throws `noSuchSend` once a graph has it no more.
    public func setLevel(
        _ level: Float, rampFrames: Int, curve: AutomationCurve = .linear, at time: UInt64? = nil
    ) throws(AudioEngineError) {
        try set(level, "a level of \(level)") { port, slot in
            AutomatedParameter.sendLevel.ramp(
                to: level, frames: rampFrames, curve: curve, of: slot, to: port, at: time)
        }
    }

    /// Moves its level through `points`, as `Voice.automate` does; it reads as the last one's.
    public func automateLevel(_ points: [AutomationPoint]) throws(AudioEngineError) {
        try AutomatedParameter.sendLevel.check(points)
        guard let last = points.last else { return }
        try set(last.value, "\(points.count) points of automation") { port, slot in
            AutomatedParameter.sendLevel.post(points, of: slot, to: port)
        }
    }

    private func set(
        _ level: Float, _ what: String, _ post: (OpaquePointer, UInt64) -> rcore_status_t
    ) throws(AudioEngineError) {
        try source.session.living.setLevel(level, of: identity, from: source, to: target, what) { port in
            post(port, UInt64(identity.slot))
        }
    }
}

/// Which of an engine's sends one is.
final class SendIdentity: Sendable {
    let slot: Int

    init(slot: Int) { self.slot = slot }
}
