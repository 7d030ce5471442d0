internal import Platform

/// Meters and limiters of outputs and buses.
extension AudioEngine {
    /// Attaches a meter to an output; nil detaches it. While no bus is routed there, it measures
    /// nothing and keeps its values. Throws `invalidArgument` for a meter that is in use elsewhere.
    public func setMeter(_ meter: AudioMeter?, of output: OutputRoute) throws(AudioEngineError) {
        try check([output], atLeast: 1)
        try meter?.claim(for: identity)
        try changePlan { plan throws(AudioEngineError) in
            plan.outputMeters[output] = nil
            try plan.checkUnused(meter)
            plan.outputMeters[output] = meter
        }
    }

    func setMeter(_ meter: AudioMeter?, of bus: any AudioBus) throws(AudioEngineError) {
        try meter?.claim(for: identity)
        try changePlan { plan throws(AudioEngineError) in
            guard plan[bus] != nil else { throw bus.removed }
            plan[bus]?.meter = nil
            try plan.checkUnused(meter)
            plan[bus]?.meter = meter
        }
    }

    /// Attaches a limiter to an output; nil detaches it. The change crossfades in 5 ms, once the
    /// limiter's delay line is filled. Until then the output is not limited, so attach the limiter
    /// before playback starts. Throws `invalidArgument` for a limiter of another output or another
    /// engine.
    public func setLimiter(_ limiter: AudioLimiter?, of output: OutputRoute) throws(AudioEngineError) {
        try check([output], atLeast: 1)
        try limiter?.claim(for: identity)
        let before = control.withLock { $0.plan.outputLimiters[output] }
        guard before !== limiter else { return }
        try changePlan { plan throws(AudioEngineError) in
            if let limiter, plan.outputLimiters.values.contains(where: { $0 === limiter }) {
                throw .invalidArgument(what: "a limiter that is in use on another output; create another limiter")
            }
            plan.outputLimiters[output] = limiter
        }
        before?.use(nil)
    }

    /// Sets whether the outputs of a session bus may be limited: not while the session's mode is
    /// measurement.
    func setAllowsLimiting(_ isAllowed: Bool, ofBus slot: Int) throws(AudioEngineError) {
        let isAllowedNow = control.withLock { $0.plan.buses[slot]?.allowsLimiting }
        guard let isAllowedNow, isAllowedNow != isAllowed else { return }
        try changePlan { $0.buses[slot]?.allowsLimiting = isAllowed }
    }
}
