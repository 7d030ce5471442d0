internal import CRenderCore

/// Voices: starting them, asking after them, and letting go of them.
extension AudioEngine {
    /// Plays a source into a session's bus.
    ///
    /// - Parameters:
    ///   - gain: linear, finite.
    ///   - speed: frames of the source a frame, 1/16…16.
    ///   - map: source channels to output channels; nil is the usual map.
    ///   - fadeInFrames: 0 begins at full gain.
    ///   - paused: begins standing still.
    ///   - time: the engine frame to begin on; nil is the next period.
    ///   - onEnd: told once, when it has played to its end or was stopped, on a thread of the engine's.
    /// - Throws: `noFreeVoice`, `commandQueueFull`, or `invalidArgument`; then nothing plays.
    @discardableResult
    public func play(
        _ source: VoiceSource, on bus: SessionBus, gain: Float = 1, speed: Float = 1, map: ChannelMap? = nil,
        fadeInFrames: Int = 0,
        paused: Bool = false, at time: UInt64? = nil, onEnd: (@Sendable (Voice) -> Void)? = nil
    ) throws(AudioEngineError) -> Voice {
        try check(source, bus)
        if case .stream(let stream) = source { stream.fill() }
        return try control.withLock { control throws(AudioEngineError) in
            let usual = try Self.usualMap(from: source.channels, to: control.plan.outputChannels)
            let handle = rcore_voice_acquire(core.handle)
            guard handle != 0 else { throw .noFreeVoice(limit: configuration.maximumVoices) }
            let voice = Voice(source: source, handle: handle, map: map ?? usual, bus: bus, engine: self, onEnd: onEnd)
            var params = Self.parameters(of: voice, bus: bus, gain: gain, fadeInFrames: fadeInFrames, paused: paused)
            params.speed = speed
            let status = rcore_post_start(core.port, handle, &params, time ?? 0)
            guard status == RCORE_OK else {
                rcore_voice_release(core.handle, handle)
                throw AudioEngineError(status, "starting a voice with gain \(gain) and speed \(speed)")
            }
            control.voices[handle] = voice
            settle(&control)
            return voice
        }
    }

    private func check(_ source: VoiceSource, _ bus: SessionBus) throws(AudioEngineError) {
        guard bus.belongs(to: self) else { throw .invalidArgument(what: "playing on a bus of another engine") }
        guard case .buffer(let buffer, let startFrame, let loops) = source else { return }
        guard (0..<buffer.frameCount).contains(startFrame), loops >= 0 else {
            throw .invalidArgument(
                what: "playing \(buffer.frameCount) frames from frame \(startFrame), and \(loops) times more")
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

    private static func usualMap(from inputs: Int, to outputs: Int) throws(AudioEngineError) -> ChannelMap? {
        inputs == outputs ? nil : try ChannelMap.standard(from: inputs, to: outputs)
    }

    private static func parameters(
        of voice: Voice, bus: SessionBus, gain: Float, fadeInFrames: Int, paused: Bool
    ) -> rcore_voice_params_t {
        var params = rcore_voice_params_default()
        switch voice.source {
        case .buffer(let buffer, let startFrame, let loops):
            params.buffer = buffer.handle
            params.start_frame = UInt64(clamping: startFrame)
            params.loop_count = loops == .max ? .max : UInt64(clamping: loops)
        case .stream(let stream):
            params.fifo = stream.fifo.handle
        }
        params.matrix = voice.map?.handle
        params.bus = UInt32(bus.slot)
        params.gain = gain
        params.fade_in_frames = UInt32(clamping: fadeInFrames)
        params.paused = paused
        return params
    }

    // MARK: In the background

    /// Fills streams, moves captures to disk, and tells what the core reported. On the background queue, or between the cycles of a driver
    /// without a clock.
    func runBackgroundWork() {
        let (streams, capture) = control.withLock { control in
            (
                control.voices.values.compactMap { voice in
                    if case .stream(let stream) = voice.source { stream } else { nil }
                }, control.plan.capture
            )
        }
        for stream in streams { stream.fill() }
        if let failure = capture?.drain() { observers.tell(.captureFailed(failure)) }
        drainEvents()
    }

    private func drainEvents() {
        var told: [EngineEvent] = []
        let ended = control.withLock { control in
            var event = rcore_event_t()
            while rcore_next_event(core.handle, &event) { told += EngineEvent(event).map { [$0] } ?? [] }
            control.plan.collect(from: core.handle)
            return endedVoices(&control)
        }
        for event in told { observers.tell(event) }
        for voice in ended { voice.onEnd?(voice) }
    }

    // By state, not by event: an end that was dropped from the ring is found all the same.
    private func endedVoices(_ control: inout Control) -> [Voice] {
        let ended = control.voices.values.filter {
            rcore_voice_state(core.handle, $0.handle) == RCORE_VOICE_ENDED
        }
        for voice in ended.sorted(by: { $0.handle < $1.handle }) {
            voice.noteEnd()
            rcore_voice_release(core.handle, voice.handle)
            control.voices[voice.handle] = nil
        }
        return ended
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
