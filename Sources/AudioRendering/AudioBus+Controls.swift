internal import CRenderCore

/// What all buses have in common.
extension AudioBus {
    /// The bus's slot in the engine's plan.
    public var slot: Int { identity.slot }

    /// The bus's channel count. Sources are mapped to these channels, and these to the bus's
    /// output.
    public var channels: Int { session.control?.read { $0.channels(of: identity) } ?? 2 }

    /// Latency, in frames, from this bus to the session's output: the inserts on the path plus
    /// delay compensation. 0 for a bus that no longer exists.
    public var latencyFrames: Int {
        session.control?.read { $0[identity] == nil ? 0 : $0.latencies[slot] ?? 0 } ?? 0
    }

    /// Whether a voice plays, or waits for its start, on this bus or on a bus below it: its
    /// children, their children and so on. Buses that only send to it do not count.
    public var hasPlayingVoices: Bool { session.control?.hasPlayingVoices(on: identity) ?? false }

    /// The fader gain: linear, finite.
    public var gain: Float {
        get { strip?.gain ?? 1 }
        set { try? setGain(newValue, rampFrames: shortRamp) }
    }

    /// Whether the bus is muted: silent after its insert and before all sends. The gain keeps its
    /// value.
    public var isMuted: Bool {
        get { strip?.isMuted ?? false }
        set { try? setMuted(newValue, rampFrames: shortRamp) }
    }

    /// Ramps the gain to a linear value; finite.
    public func setGain(
        _ gain: Float, rampFrames: Int, curve: AutomationCurve = .linear, at time: UInt64? = nil
    ) throws(AudioEngineError) {
        try set("a gain of \(gain)", { $0.gain = gain }) { queue, slot in
            AutomatedParameter.busGain.ramp(
                to: gain, frames: rampFrames, curve: curve, of: UInt64(slot), to: queue, at: time.commandTime)
        }
    }

    /// Moves the gain through `points`, as `Voice.automate` does. Afterwards, `gain` is the last
    /// point's value.
    public func automateGain(_ points: [AutomationPoint]) throws(AudioEngineError) {
        try automate(.busGain, points) { $0.gain = $1 }
    }

    /// Mutes or unmutes the bus with a ramp.
    public func setMuted(_ isMuted: Bool, rampFrames: Int, at time: UInt64? = nil) throws(AudioEngineError) {
        try set("muting", { $0.isMuted = isMuted }) { queue, slot in
            rcore_post_bus_mute(queue, slot, isMuted, UInt32(clamping: rampFrames), time.commandTime)
        }
    }

    /// Attaches a meter to the bus's output, after gain and grant; nil detaches it. The meter stays
    /// with the bus wherever the bus is routed. Throws `invalidArgument` for a meter that is in use
    /// elsewhere.
    public func setMeter(_ meter: AudioMeter?) throws(AudioEngineError) {
        let control = try session.liveControl
        try meter?.claim(for: control.identity)
        try control.changePlan { plan throws(AudioEngineError) in
            guard plan[identity] != nil else { throw identity.removed }
            plan[identity]?.meter = nil
            try plan.checkUnused(meter)
            plan[identity]?.meter = meter
        }
    }

    /// Stops all voices on this bus and on the buses below it (its children, their children and so
    /// on), including voices that wait for their start. Buses that only send to it play on.
    public func stopAll(fadeFrames: Int = 0, at time: UInt64? = nil) throws(AudioEngineError) {
        try session.liveControl.stopAll(on: identity, fadeFrames: fadeFrames, at: time)
    }

    // MARK: Inside

    func belongs(to control: EngineControl) -> Bool { session.control === control }

    /// The values that the bus was set to.
    var strip: EnginePlan.Strip? { session.control?.read { $0[identity] } }

    /// 5 ms in frames: short enough not to be heard as a delay, long enough not to click.
    var shortRamp: Int { (session.control?.driver.format?.sampleRate ?? 48_000) / 200 }

    /// How error messages name the bus.
    var title: String { identity.name.map { "bus '\($0)'" } ?? "the session's bus" }

    /// Posts a curve, and stores its final value with `store`.
    func automate(
        _ parameter: AutomatedParameter, _ points: [AutomationPoint],
        _ store: (inout EnginePlan.Strip, Float) -> Void
    ) throws(AudioEngineError) {
        try parameter.check(points)
        guard let last = points.last else { return }
        try set("\(points.count) points of automation", { store(&$0, last.value) }) { queue, slot in
            parameter.post(points, of: UInt64(slot), to: queue)
        }
    }

    /// Posts a command, and stores the value that it sets with `store`.
    func set(
        _ what: @autoclosure () -> String, _ store: (inout EnginePlan.Strip) -> Void,
        _ post: (OpaquePointer, UInt32) -> rcore_status_t
    ) throws(AudioEngineError) {
        try session.liveControl.set(identity, "\(what()) of \(title)", store, post)
    }
}
