internal import CRenderCore

/// What voices and sounds play on: a session's bus (``SessionBus``), or one of the buses of its desk (``MixerBus``).
///
/// Gains are linear, times are frames of the engine. A property that is set moves there within 5 ms, and reads as what it was set to last, by whatever call, not as
/// where it is on its way. A value that cannot be set (one that is no finite number) changes nothing, and the property reads as before; the
/// calls that throw say why. Every call is safe from any thread.
///
/// Only the engine makes buses: an identity can be had of them alone.
public protocol AudioBus: AnyObject, Sendable {
    /// The session's bus that it leads to; of a session's bus, itself.
    var session: SessionBus { get }
    /// Which of the engine's buses it is.
    var identity: BusIdentity { get }
}

/// Which of an engine's buses one is, for as long as anybody asks: another one of the same name has another identity.
public final class BusIdentity: Sendable {
    /// nil: a session's bus.
    public let name: String?
    /// Its slot in the engine's plan, free for others once the bus is gone and nobody holds or plays on it.
    public let slot: Int

    init(name: String?, slot: Int) {
        self.name = name
        self.slot = slot
    }
}

extension AudioBus {
    /// Its slot in the engine's plan.
    public var slot: Int { identity.slot }

    /// Channels of the bus. What plays on it is mapped to these, and from there to where it leads.
    public var channels: Int { session.engine?.channels(of: self) ?? 2 }

    /// Frames by which what is played on it is later where the session's bus leads to than it would be without inserts: theirs, and what makes up for those of
    /// paths beside it. 0 for a bus that is not there.
    public var latencyFrames: Int { session.engine?.latencyFrames(of: self) ?? 0 }

    /// Whether a voice plays on it or on a bus that leads to it, or waits there for its time.
    public var hasPlayingVoices: Bool { session.engine?.hasPlayingVoices(on: self) ?? false }

    /// The fader: linear, finite.
    public var gain: Float {
        get { strip?.gain ?? 1 }
        set { try? setGain(newValue, rampFrames: shortRamp) }
    }

    /// Silent behind its insert and before all sends; its gain stays what it is.
    public var isMuted: Bool {
        get { strip?.isMuted ?? false }
        set { try? setMuted(newValue, rampFrames: shortRamp) }
    }

    /// Ramps to a linear gain; finite.
    public func setGain(
        _ gain: Float, rampFrames: Int, curve: AutomationCurve = .linear, at time: UInt64? = nil
    ) throws(AudioEngineError) {
        try set("a gain of \(gain)", { $0.gain = gain }) { port, slot in
            AutomatedParameter.busGain.ramp(
                to: gain, frames: rampFrames, curve: curve, of: UInt64(slot), to: port, at: time)
        }
    }

    /// Moves its gain through `points`, as `Voice.automate` does; it reads as the last one's.
    public func automateGain(_ points: [AutomationPoint]) throws(AudioEngineError) {
        try automate(.busGain, points) { $0.gain = $1 }
    }

    /// Mutes it, or lets it be heard again, by a ramp.
    public func setMuted(_ isMuted: Bool, rampFrames: Int, at time: UInt64? = nil) throws(AudioEngineError) {
        try set("muting", { $0.isMuted = isMuted }) { port, slot in
            rcore_post_bus_mute(port, slot, isMuted, UInt32(clamping: rampFrames), time ?? 0)
        }
    }

    /// Has a meter measure what leaves the bus, gain and verdict applied; nil ends that. It follows the bus wherever that is led. Throws `invalidArgument` for a meter that
    /// measures something else.
    public func setMeter(_ meter: AudioMeter?) throws(AudioEngineError) {
        try session.living.setMeter(meter, of: self)
    }

    /// Stops all that plays on it and on the buses that lead to it, and what waits for its time to start there.
    public func stopAll(fadeFrames: Int = 0, at time: UInt64? = nil) throws(AudioEngineError) {
        try session.living.stopAll(on: self, fadeFrames: fadeFrames, at: time)
    }

    // MARK: Inside

    func belongs(to engine: AudioEngine) -> Bool { session.engine === engine }

    /// What it was set to.
    var strip: EnginePlan.Strip? { session.engine?.strip(of: self) }

    /// 5 ms: no click, and no delay that anyone hears.
    var shortRamp: Int { (session.engine?.format?.sampleRate ?? 48_000) / 200 }

    /// How it is called in errors.
    var title: String { identity.name.map { "bus '\($0)'" } ?? "the session's bus" }

    /// Posts a curve, and notes where it ends.
    func automate(
        _ parameter: AutomatedParameter, _ points: [AutomationPoint],
        _ note: (inout EnginePlan.Strip, Float) -> Void
    ) throws(AudioEngineError) {
        try parameter.check(points)
        guard let last = points.last else { return }
        try set("\(points.count) points of automation", { note(&$0, last.value) }) { port, slot in
            parameter.post(points, of: UInt64(slot), to: port)
        }
    }

    /// Posts a command, and notes what it sets.
    func set(
        _ what: @autoclosure () -> String, _ note: (inout EnginePlan.Strip) -> Void,
        _ post: (OpaquePointer, UInt32) -> rcore_status_t
    ) throws(AudioEngineError) {
        try session.living.set(self, "\(what()) of \(title)", note, post)
    }
}
