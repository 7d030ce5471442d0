internal import CRenderCore

/// The device: the outputs that session buses are routed to, and the inputs that they record.
extension AudioEngine {
    /// The outputs that session buses are routed to, those of the first bus first; without buses,
    /// the shared outputs.
    public var routes: [OutputRoute] { control.read { $0.usedRoutes } }

    /// Sets the shared outputs, to which all session buses without outputs of their own are routed,
    /// with the standard channel map or their own (`SessionBus.setMap`). nil is one output with all
    /// channels of the device.
    ///
    /// The old outputs crossfade to the new ones. Throws `invalidArgument` for an empty list, for
    /// too many or equal outputs, for a first channel below 0, and for a channel count out of
    /// range.
    public func setRoutes(_ routes: [OutputRoute]?) throws(AudioEngineError) {
        try control.check(routes, atLeast: 1)
        try control.changePlan { $0.routes = routes }
    }

    /// Routes some buses to outputs of their own, all in one plan. Rerouted buses crossfade; the
    /// others are not affected, bit for bit (MULTI-3). See `SessionBus.setOutputs`.
    public func route(_ buses: [BusRouting]) throws(AudioEngineError) { try control.route(buses) }

    /// Whether all crossfades between plans are complete.
    package var isSettled: Bool { control.isSettled }

    /// Returns the greatest magnitude of a sample in a channel of an output since the last call
    /// (linear, full scale is 1), and resets it. `route` is the output's index in `routes`. For one
    /// reader; use an `AudioMeter` for several.
    public func takeOutputPeak(channel: Int, route: Int = 0) -> Float {
        let slot = control.read { plan in
            let used = plan.usedRoutes
            return used.indices.contains(route) ? plan.slot(of: used[route]) : nil
        }
        guard channel >= 0, let slot else { return 0 }
        return rcore_take_route_peak(control.core.handle, UInt32(clamping: slot), UInt32(clamping: channel))
    }

    // MARK: Meters and limiters

    /// Attaches a meter to an output; nil detaches it. While no bus is routed there, it measures
    /// nothing and keeps its values. Throws `invalidArgument` for a meter that is in use elsewhere.
    public func setMeter(_ meter: AudioMeter?, of output: OutputRoute) throws(AudioEngineError) {
        try control.check([output], atLeast: 1)
        try meter?.claim(for: control.identity)
        try control.changePlan { plan throws(AudioEngineError) in
            plan.outputMeters[output] = nil
            try plan.checkUnused(meter)
            plan.outputMeters[output] = meter
        }
    }

    /// Attaches a limiter to an output; nil detaches it. The change crossfades in 5 ms, once the
    /// limiter's delay line is filled. Until then the output is not limited, so attach the limiter
    /// before playback starts. Throws `invalidArgument` for a limiter of another output or another
    /// engine.
    public func setLimiter(_ limiter: AudioLimiter?, of output: OutputRoute) throws(AudioEngineError) {
        try control.check([output], atLeast: 1)
        try limiter?.claim(for: control.identity)
        let before = control.read { $0.outputLimiters[output] }
        guard before !== limiter else { return }
        try control.changePlan { plan throws(AudioEngineError) in
            if let limiter, plan.outputLimiters.values.contains(where: { $0 === limiter }) {
                throw .invalidArgument(what: "a limiter that is in use on another output; create another limiter")
            }
            plan.outputLimiters[output] = limiter
        }
        before?.use(nil)
    }

    // MARK: Inputs

    /// Creates an input that records channels of the device for a session: silence until the
    /// session's permission is granted, nothing while the session is interrupted. `captureFrames`
    /// is the number of recorded frames that may wait to be read; further frames are lost. Throws
    /// `noFreeInput`, `invalidArgument`, `commandQueueFull` or `outOfMemory`.
    public func makeInput(
        for bus: SessionBus, channels: Int = 1, firstChannel: Int = 0, captureFrames: Int = 65_536
    ) throws(AudioEngineError) -> EngineInput {
        guard bus.belongs(to: control), (1...configuration.maximumChannels).contains(channels), firstChannel >= 0 else {
            throw .invalidArgument(
                what: "an input of \(channels) channels from channel \(firstChannel), for a bus of this engine")
        }
        return try makeInput(channels: channels, captureFrames: captureFrames) { plan throws(AudioEngineError) in
            guard let session = plan.buses[bus.slot] else {
                throw .invalidArgument(what: "an input for a bus that no longer exists")
            }
            let description = EnginePlan.InputDescription(
                channels: channels, firstChannel: firstChannel, source: session.inputs)
            return (description, session.gate)
        }
    }

    /// Adds an input, as `describe` describes it in the plan, with its gate.
    func makeInput(
        channels: Int, captureFrames: Int, ports: AudioPorts? = nil,
        _ describe: (EnginePlan) throws(AudioEngineError) -> (EnginePlan.InputDescription, EnginePlan.Gate?)
    ) throws(AudioEngineError) -> EngineInput {
        let capture = try InputCapture(channels: channels, frames: captureFrames)
        let limit = configuration.maximumInputs
        let slot = try control.changePlan { plan throws(AudioEngineError) in
            guard let slot = plan.freeInput(limit: limit) else { throw .noFreeInput(limit: limit) }
            let (description, gate) = try describe(plan)
            plan.inputs[slot] = EnginePlan.Input(description: description, capture: capture, gate: gate)
            return slot
        }
        return EngineInput(channels: channels, slot: slot, capture: capture, ports: ports, control: control)
    }
}
