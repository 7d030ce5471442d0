internal import CRenderCore

/// Voices: starting them, asking after them, and letting go of them.
extension AudioEngine {
    /// Plays a source on a session's bus, or on a bus of its desk.
    ///
    /// - Parameters:
    ///   - gain: linear, finite.
    ///   - pan: a mono source without a map of its own is panned to the first two channels, anything else balanced between them; nil: neither.
    ///   - speed: frames of the source a frame, 1/16…16; of memory and streams. What was made for a rate plays at the pitch of that rate beyond it.
    ///   - priority: who keeps a place, where the engine has a `polyphony`.
    ///   - map: source channels to the bus's channels (`AudioBus.channels`); nil is the usual map.
    ///   - fadeInFrames: 0 begins at full gain.
    ///   - paused: begins standing still.
    ///   - time: the engine frame to begin on; nil is the next period.
    ///   - onEnd: told once, when it has played to its end or was stopped, on a thread of the engine's.
    /// - Throws: `noFreeVoice`, `commandQueueFull`, `busRemoved` or `invalidArgument`; then nothing plays.
    @discardableResult
    public func play(
        _ source: VoiceSource, on bus: any AudioBus, gain: Float = 1, pan: Pan? = nil, speed: Float = 1,
        priority: VoicePriority = .normal, map: ChannelMap? = nil, fadeInFrames: Int = 0, paused: Bool = false,
        at time: UInt64? = nil, onEnd: (@Sendable (Voice) -> Void)? = nil
    ) throws(AudioEngineError) -> Voice {
        try check(source, bus)
        if case .stream(let stream) = source { stream.fill() }
        let handle = try acquireVoice()
        do throws(AudioEngineError) {
            return try control.withLock { control throws(AudioEngineError) in
                guard control.plan[bus] != nil else { throw bus.removed }
                let used = try Self.map(map, of: source, pan: pan, to: control.plan.channels(of: bus))
                let pace = Voice.Pace(speed: speed, sampleRate: control.sampleRate, beginsAt: time ?? 0)
                let voice = Voice(
                    source: source, handle: handle, map: used, bus: bus, pace: pace, engine: self, onEnd: onEnd)
                var params = Self.parameters(of: source, map: used, bus: bus, pan: pan, priority: priority)
                params.gain = gain
                params.fade_in_frames = UInt32(clamping: fadeInFrames)
                params.paused = paused
                params.speed = Self.speed(speed, of: source, at: control.sampleRate)
                let status = rcore_post_start(core.port, handle, &params, time ?? 0)
                guard status == RCORE_OK else {
                    throw AudioEngineError(
                        status,
                        "starting a voice with gain \(gain), speed \(speed), pan \(pan?.position ?? 0) and priority \(priority.rawValue)"
                    )
                }
                control.voices[handle] = voice
                settle(&control)
                return voice
            }
        } catch {
            rcore_voice_release(core.handle, handle)
            throw error
        }
    }

    /// A voice of the pool; where it is empty, of those that are over and not yet taken back.
    private func acquireVoice() throws(AudioEngineError) -> UInt64 {
        var handle = rcore_voice_acquire(core.handle)
        if handle == 0 {
            reclaim()
            handle = rcore_voice_acquire(core.handle)
        }
        guard handle != 0 else { throw .noFreeVoice(limit: configuration.maximumVoices) }
        return handle
    }

    func check(_ source: VoiceSource, _ bus: any AudioBus) throws(AudioEngineError) {
        guard bus.belongs(to: self) else { throw .invalidArgument(what: "playing on a bus of another engine") }
        if case .input(let input) = source, !input.belongs(to: self) {
            throw .invalidArgument(what: "playing an input of another engine")
        }
        guard case .buffer(let buffer, let startFrame, let loop) = source else { return }
        let looped = loop.frames ?? 0..<buffer.frameCount
        guard (0..<buffer.frameCount).contains(startFrame), loop.count >= 0 else {
            throw .invalidArgument(
                what: "playing \(buffer.frameCount) frames from frame \(startFrame), and \(loop.count) times more")
        }
        guard !looped.isEmpty, looped.lowerBound >= 0, looped.upperBound <= buffer.frameCount,
            (0...min(looped.lowerBound, looped.count)).contains(loop.fadeFrames)
        else {
            throw .invalidArgument(
                what: """
                    a loop over the frames \(looped) of \(buffer.frameCount) with a fade of \(loop.fadeFrames): the fade takes at most what \
                    lies before the loop, and its length
                    """)
        }
    }

    func endReason(of handle: UInt64) -> VoiceEnd? {
        switch rcore_voice_end_reason(core.handle, handle) {
        case RCORE_END_SOURCE: .finished
        case RCORE_END_STOPPED: .stopped
        case RCORE_END_STOLEN: .stolen
        case RCORE_END_REFUSED: .refused
        default: nil
        }
    }

    func state(of handle: UInt64) -> VoiceState {
        switch rcore_voice_state(core.handle, handle) {
        case RCORE_VOICE_WAITING: .waiting
        case RCORE_VOICE_PLAYING: .playing
        case RCORE_VOICE_PAUSED: .paused
        default: .ended
        }
    }

    func frames(of handle: UInt64) -> UInt64 { rcore_voice_frames(core.handle, handle) }

    func underruns(of handle: UInt64) -> UInt64 { rcore_voice_underrun_frames(core.handle, handle) }

    // The map asked for, or the usual one. A mono source that is panned needs none: the pan leads it to both sides.
    static func map(
        _ own: ChannelMap?, of source: VoiceSource, pan: Pan?, to outputs: Int
    ) throws(AudioEngineError) -> ChannelMap? {
        if let own { return own }
        let inputs = source.channels
        let direct = inputs == outputs || (inputs == 1 && pan != nil && outputs > 1)
        return direct ? nil : try ChannelMap.standard(from: inputs, to: outputs)
    }

    static func parameters(
        of source: VoiceSource, map: ChannelMap?, bus: any AudioBus, pan: Pan?, priority: VoicePriority
    ) -> rcore_voice_params_t {
        var params = rcore_voice_params_default()
        switch source {
        case .buffer(let buffer, let startFrame, let loop):
            params.buffer = buffer.handle
            params.start_frame = UInt64(clamping: startFrame)
            params.loop_count = loop.count == .max ? .max : UInt64(clamping: loop.count)
            params.loop_start = UInt64(clamping: loop.frames?.lowerBound ?? 0)
            params.loop_end = UInt64(clamping: loop.frames?.upperBound ?? 0)
            params.loop_fade_frames = UInt32(clamping: loop.fadeFrames)
        case .stream(let stream):
            params.fifo = stream.fifo.handle
        case .input(let input):
            params.input = UInt32(input.slot)
            params.input_channels = UInt32(clamping: input.channels)
        case .render(let source):
            params.render = source.function
            params.render_context = source.context
            params.render_channels = UInt32(clamping: source.channels)
        }
        params.matrix = map?.handle
        params.bus = UInt32(bus.slot)
        if let pan {
            params.pan = pan.position
            params.pan_law = Pan.Law?(pan.law).coreLaw
        }
        params.priority = UInt32(clamping: priority.rawValue)
        return params
    }

    // MARK: In the background

    /// Fills streams, moves captures to disk, measures loudness, and tells what the core reported. On the background queue, or between the cycles of a
    /// driver without a clock.
    func runBackgroundWork() {
        fillStreams()
        let (capture, meters) = control.withLock { control in
            followRate(&control)
            return (control.plan.capture, control.plan.loudnessMeters)
        }
        if let failure = capture?.drain() { observers.tell(.captureFailed(failure)) }
        for meter in meters { meter.drainLoudness() }
        drainEvents()
    }

    /// Returns when the background thread has told all that it has found, for drivers without a clock. Not from within what it tells.
    package func drain() { background.drain() }

    func fillStreams() {
        let streams = control.withLock { control in
            control.voices.values.compactMap { voice in
                if case .stream(let stream) = voice.source { stream } else { nil }
            }
        }
        for stream in streams { stream.fill() }
    }

    private func drainEvents() {
        var told: [EngineEvent] = []
        reap()
        let (ended, sessions) = control.withLock { control in
            var event = rcore_event_t()
            while rcore_next_event(core.handle, &event) { told += EngineEvent(event).map { [$0] } ?? [] }
            control.plan.collect(from: core.handle)
            defer { (control.ended, control.endedSessions) = ([], [:]) }
            return (control.ended, control.endedSessions.values)
        }
        letGoOfInserts()
        for event in told { observers.tell(event) }
        for voice in ended { voice.onEnd?(voice) }
        for slot in silentSlots(of: sessions) { observers.tell(.busEnded(bus: slot)) }
    }

    /// Of sessions of which something has ended, the slots of those where nothing plays. One that is gone may have left its slot to another.
    private func silentSlots(of sessions: some Sequence<BusIdentity>) -> [Int] {
        control.withLock { control in
            sessions.filter { session in
                let present = control.plan.buses[session.slot]?.strip.identity
                return (present == nil || present === session)
                    && !control.voices.values.contains { $0.session === session }
            }.map(\.slot).sorted()
        }
    }

    /// Takes back what is over, for somebody who needs room; its end is told by the engine's own thread, whether it renders or not.
    func reclaim() {
        if reap() { background.tell { [weak self] in self?.runBackgroundWork() } }
    }

    /// Takes back what voices and sounds had that are over: when it returns, their buses and their places in the pool are free, whatever thread took them. They are
    /// told of later. By state, not by event: an end that was dropped from the ring is found all the same. Returns whether anything is to be told.
    @discardableResult
    private func reap() -> Bool {
        // Buses go under `reaping`, and not under control's lock, which a session's bus takes when it goes.
        let ended = reaping.withLock { _ in
            _ = retired.takeSilent()
            let taken = control.withLock { control in takeEnded(&control) }
            return taken.map(\.voice)
        }
        // Voices go under no lock: what they played may be an app's, or an input, which takes control's lock.
        return !ended.isEmpty
    }

    private func takeEnded(_ control: inout Control) -> [(voice: Voice, bus: (any AudioBus)?)] {
        let ended = control.voices.values.filter {
            rcore_voice_state(core.handle, $0.handle) == RCORE_VOICE_ENDED
        }.sorted { $0.handle < $1.handle }
        control.ended += ended.filter { $0.onEnd != nil }
        return ended.map { voice in
            let bus = voice.end(in: self)
            rcore_voice_release(core.handle, voice.handle)
            control.voices[voice.handle] = nil
            control.endedSessions[ObjectIdentifier(voice.session)] = voice.session
            return (voice, bus)
        }
    }
}

extension EngineEvent {
    /// Gate events; others are found by state.
    fileprivate init?(_ event: rcore_event_t) {
        let bus = Int(event.bus)
        let serial = UInt32(truncatingIfNeeded: event.value)
        switch rcore_event_kind_t(rawValue: event.kind) {
        case RCORE_EVENT_GATE_APPLIED: self = .gateApplied(bus: bus, serial: serial, frame: event.frame)
        case RCORE_EVENT_GATE_SETTLED: self = .gateSettled(bus: bus, serial: serial, frame: event.frame)
        default: return nil
        }
    }
}
