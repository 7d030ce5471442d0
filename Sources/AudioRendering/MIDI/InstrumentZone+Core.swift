internal import CRenderCore

extension InstrumentZone {
    /// The core's zone. Throws `invalidArgument` with the name of the value that is out of range.
    func coreZone(
        buffer: OpaquePointer, map: ChannelMap?, core: RenderCore, number: Int
    ) throws(AudioEngineError) -> rcore_zone_t {
        try checkRanges(zone: number)
        var zone = rcore_zone_default()
        zone.buffer = buffer
        zone.matrix = map?.handle
        zone.sample_rate = UInt32(sound.sampleRate ?? 0)
        let rate = sound.sampleRate ?? Int(rcore_configuration(core.handle).sample_rate)
        zone.trigger = trigger == .attack ? RCORE_ZONE_ATTACK.rawValue : RCORE_ZONE_RELEASE.rawValue
        (zone.low_key, zone.high_key) = (UInt8(keys.lowerBound), UInt8(keys.upperBound))
        (zone.low_velocity, zone.high_velocity) = (UInt8(velocities.lowerBound), UInt8(velocities.upperBound))
        (zone.low_program, zone.high_program) = (UInt8(programs.lowerBound), UInt8(programs.upperBound))
        zone.sequence_length = UInt8(roundRobin?.count ?? 1)
        zone.sequence_position = UInt8(roundRobin?.position ?? 1)
        zone.root_key = UInt8(rootKey)
        zone.one_shot = isOneShot
        zone.leaves_loop = leavesLoop
        zone.key_tracking = Float(keyTracking)
        zone.tuning = Float(tuning)
        zone.gain = gain
        zone.velocity_tracking = velocityTracking
        zone.pan = pan
        zone.start_frame = UInt64(startFrame)
        if let loop {
            zone.loops = true
            zone.loop_start = UInt64(loop.lowerBound)
            zone.loop_end = UInt64(loop.upperBound)
            zone.loop_fade_frames = UInt32(loopFadeFrames)
        }
        func frames(_ seconds: Double) -> UInt32 { InstrumentZone.frames(seconds, rate: rate) }
        zone.delay_frames = frames(envelope.delay)
        zone.attack_frames = frames(envelope.attack)
        zone.hold_frames = frames(envelope.hold)
        zone.decay_frames = frames(envelope.decay)
        zone.sustain = Float(envelope.sustain)
        zone.release_frames = frames(envelope.release)
        zone.curve =
            switch envelope.curve {
            case .linear: RCORE_ENVELOPE_LINEAR.rawValue
            case .exponential: RCORE_ENVELOPE_EXPONENTIAL.rawValue
            }
        if let filter { zone.filter = filter.coreFilter(rate: rate) }
        zone.group = UInt32(group)
        zone.choked_by = UInt32(chokedBy)
        zone.choke_frames = frames(chokeTime)
        return zone
    }

    private func checkRanges(zone: Int) throws(AudioEngineError) {
        func check(_ isValid: Bool, _ what: String) throws(AudioEngineError) {
            guard isValid else { throw .invalidArgument(what: "zone \(zone) of an instrument with \(what)") }
        }
        func isWithin(_ range: ClosedRange<Int>, _ limits: ClosedRange<Int>) -> Bool {
            limits.contains(range.lowerBound) && limits.contains(range.upperBound)
        }
        let frames = sound.frameCount
        try check(isWithin(keys, 0...127), "the keys \(keys); valid: 0 to 127")
        try check(isWithin(velocities, 1...127), "the velocities \(velocities); valid: 1 to 127")
        try check(isWithin(programs, 0...127), "the programs \(programs); valid: 0 to 127")
        try check((0...127).contains(rootKey), "the root key \(rootKey); valid: 0 to 127")
        try check((-12_000...12_000).contains(tuning), "a tuning of \(tuning) cents; valid: -12000 to 12000")
        try check((-1_200...1_200).contains(keyTracking), "\(keyTracking) cents per key; valid: -1200 to 1200")
        try check(gain.isFinite, "a gain of \(gain)")
        try check((0...1).contains(velocityTracking), "a velocity tracking of \(velocityTracking); valid: 0 to 1")
        try check((-1...1).contains(pan), "a pan of \(pan); valid: -1 to 1")
        try check(
            (0..<frames).contains(startFrame), "the first frame \(startFrame) of a sound of \(frames) frames")
        let head = sound.preloaded.frameCount
        try check(
            startFrame < head,
            "the first frame \(startFrame) of a streamed sound whose head has \(head); make it longer")
        try check((0...60).contains(chokeTime), "a choke time of \(chokeTime) s; valid: 0 to 60")
        try check(envelope.problem == nil, envelope.problem ?? "")
        if let filter {
            try check(filter.problem == nil, "a filter with \(filter.problem ?? "")")
            let most = Int(RCORE_MAX_FILTER_CHANNELS)
            try check(
                sound.channels <= most, "a filter for a sound of \(sound.channels) channels; at most \(most)")
        }
        try check((0...Int(UInt32.max)).contains(group), "the group \(group)")
        try check((0...Int(UInt32.max)).contains(chokedBy), "the group \(chokedBy)")
        if let roundRobin {
            try check(
                (1...127).contains(roundRobin.count) && (1...roundRobin.count).contains(roundRobin.position),
                "position \(roundRobin.position) of \(roundRobin.count) in a round robin")
        }
        if let loop {
            try check(!isOneShot && trigger == .attack, "a loop, which only a note that is released can have")
            try check(
                !loop.isEmpty && loop.lowerBound >= 0 && loop.upperBound <= frames
                    && (0...min(loop.lowerBound, loop.count)).contains(loopFadeFrames),
                "a loop over the frames \(loop) of \(frames) with a fade of \(loopFadeFrames)")
        }
    }
}

extension InstrumentZone {
    /// Seconds, at most 60, in frames.
    static func frames(_ seconds: Double, rate: Int) -> UInt32 { UInt32((seconds * Double(rate)).rounded()) }
}

extension InstrumentZone.Envelope {
    /// What is out of range; nil: nothing.
    var problem: String? {
        let times = [delay, attack, hold, decay, release]
        if let time = times.first(where: { !(0...60).contains($0) }) {
            return "an envelope time of \(time) s; valid: 0 to 60"
        }
        return (0...1).contains(sustain) ? nil : "a sustain level of \(sustain); valid: 0 to 1"
    }
}
