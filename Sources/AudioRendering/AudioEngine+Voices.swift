internal import CRenderCore
internal import Platform

/// Voices: starting, querying and reclaiming them.
extension AudioEngine {
    /// Plays a source on a session's bus, or on a bus of its mixer.
    ///
    /// - Parameters:
    ///   - gain: The gain: linear, finite.
    ///   - pan: The pan. A mono source without a map of its own is panned to the bus's first two
    ///     channels; any other source is balanced between them. nil: no pan.
    ///   - speed: Source frames per engine frame, 1/16…16, of buffers and streams. In addition, a
    ///     source with a sample rate of its own is converted to the server's rate and so keeps its
    ///     pitch.
    ///   - priority: The priority for voice stealing, if the engine has a `polyphony`.
    ///   - map: Gains from the source's channels to the bus's (`AudioBus.channels`); nil is the
    ///     standard map.
    ///   - fadeInFrames: The length of the fade-in; 0 begins at full gain.
    ///   - paused: Whether the voice begins paused.
    ///   - time: The engine frame to begin on; nil is the next period.
    ///   - onEnd: Called once when the voice has ended: on a thread of the engine, or on the thread
    ///     that stops or closes the engine or renders offline.
    /// - Throws: `noFreeVoice`, `commandQueueFull`, `busRemoved`, `engineGone`, `invalidArgument`
    ///   or `outOfMemory`; then nothing plays.
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
                let voiceMap = try Self.map(map, of: source, pan: pan, to: control.plan.channels(of: bus))
                let pace = Voice.Pace(speed: speed, sampleRate: control.sampleRate, beginsAt: time ?? 0)
                let voice = Voice(
                    source: source, handle: handle, map: voiceMap, bus: bus, pace: pace, engine: self, onEnd: onEnd)
                var params = Self.parameters(of: source, map: voiceMap, bus: bus, pan: pan, priority: priority)
                params.gain = gain
                params.fade_in_frames = UInt32(clamping: fadeInFrames)
                params.paused = paused
                params.speed = Self.speed(speed, of: source, at: control.sampleRate)
                let status = rcore_post_start(core.queue, handle, &params, time ?? 0)
                guard status == RCORE_OK else {
                    throw AudioEngineError(
                        status,
                        "starting a voice with gain \(gain), speed \(speed), pan \(pan?.position ?? 0) and priority \(priority.rawValue)"
                    )
                }
                control.voices[handle] = voice
                applyCommandsIfIdle(&control)
                return voice
            }
        } catch {
            rcore_voice_release(core.handle, handle)
            throw error
        }
    }

    /// Acquires a voice from the pool; if the pool is empty, reclaims ended voices first.
    private func acquireVoice() throws(AudioEngineError) -> UInt64 {
        var handle = rcore_voice_acquire(core.handle)
        if handle == 0 {
            reclaim()
            handle = rcore_voice_acquire(core.handle)
        }
        guard handle != 0 else { throw .noFreeVoice(limit: configuration.maximumVoices) }
        return handle
    }

    /// Checks that source and bus belong to this engine, and that a buffer's start frame and loop
    /// are valid.
    func check(_ source: VoiceSource, _ bus: any AudioBus) throws(AudioEngineError) {
        guard bus.belongs(to: self) else { throw .invalidArgument(what: "playing on a bus of another engine") }
        if case .input(let input) = source, !input.belongs(to: self) {
            throw .invalidArgument(what: "playing an input of another engine")
        }
        guard case .buffer(let buffer, let startFrame, let loop) = source else { return }
        let loopFrames = loop.frames ?? 0..<buffer.frameCount
        guard (0..<buffer.frameCount).contains(startFrame), loop.count >= 0 else {
            throw .invalidArgument(
                what: "playing \(buffer.frameCount) frames from frame \(startFrame), with \(loop.count) repetitions")
        }
        guard !loopFrames.isEmpty, loopFrames.lowerBound >= 0, loopFrames.upperBound <= buffer.frameCount,
            (0...min(loopFrames.lowerBound, loopFrames.count)).contains(loop.fadeFrames)
        else {
            throw .invalidArgument(
                what: """
                    a loop over the frames \(loopFrames) of \(buffer.frameCount) with a fade of \(loop.fadeFrames); a fade is at most as long as the \
                    part before the loop, and as the loop
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

    /// Returns the given map, otherwise the standard one; nil if channels pass one to one, and for
    /// a panned mono source, which the pan routes to two channels.
    static func map(
        _ explicit: ChannelMap?, of source: VoiceSource, pan: Pan?, to outputs: Int
    ) throws(AudioEngineError) -> ChannelMap? {
        if let explicit { return explicit }
        let inputs = source.channels
        let direct = inputs == outputs || (inputs == 1 && pan != nil && outputs > 1)
        return direct ? nil : try ChannelMap.standard(from: inputs, to: outputs)
    }

    /// Returns the core's parameters of a voice. The caller sets gain, speed, fade and pause.
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

    /// Fills streams, writes the captured output to disk, measures loudness, and delivers events.
    /// Runs on the background queue when the core has work, between the cycles of a driver without
    /// a clock, and on the thread that stops or closes the engine.
    func runBackgroundWork() {
        fillStreams()
        let (recorder, meters, delay) = control.withLock { control in
            // The core may still write to a recorder that has ended, until a plan without it takes
            // effect.
            let recorder = control.plan.outputRecorder ?? control.endedRecorder
            return (recorder, control.plan.loudnessMeters, updateOutdatedSpeeds(&control))
        }
        if let delay, driver.hasClock { background.runWork(after: delay) }
        if let failure = recorder?.drain() { observers.send(.captureFailed(failure)) }
        for meter in meters { meter.drainLoudness() }
        drainEvents()
    }

    /// Waits until the background queue has delivered the events that it has found so far; for
    /// drivers without a clock. Must not be called from an event handler.
    package func drain() { background.drain() }

    func fillStreams() {
        let streams = control.withLock { control in
            control.voices.values.compactMap { voice in
                if case .stream(let stream) = voice.source { stream } else { nil }
            }
        }
        for stream in streams { stream.fill() }
    }

    /// Reclaims ended voices, reads the core's events, and delivers everything outside the locks.
    private func drainEvents() {
        var gateEvents: [EngineEvent] = []
        reap()
        let (ended, sessions) = control.withLock { control in
            var event = rcore_event_t()
            while rcore_next_event(core.handle, &event) { gateEvents += EngineEvent(event).map { [$0] } ?? [] }
            control.plan.collect(from: core.handle)
            defer { (control.ended, control.endedSessions) = ([], [:]) }
            return (control.ended, control.endedSessions.values)
        }
        releaseInserts()
        for event in gateEvents { observers.send(event) }
        for voice in ended { voice.onEnd?(voice) }
        for slot in silentSlots(of: sessions) { observers.send(.busEnded(bus: slot)) }
    }

    /// Returns the slots of those of the sessions that have no voice left. Omits a session whose
    /// slot already belongs to another one.
    private func silentSlots(of sessions: some Sequence<BusIdentity>) -> [Int] {
        control.withLock { control in
            sessions.filter { session in
                let current = control.plan.buses[session.slot]?.strip.identity
                return (current == nil || current === session)
                    && !control.voices.values.contains { $0.session === session }
            }.map(\.slot).sorted()
        }
    }

    /// Reclaims ended voices and sounds, to free voices and slots. The background queue reports the
    /// ends, whether or not the engine renders.
    func reclaim() {
        if reap() { background.run { [weak self] in self?.runBackgroundWork() } }
    }

    /// Reclaims ended voices and sounds. When it returns, their buses and their voices in the pool
    /// are free, whichever thread reclaimed them; their ends are reported later. It reads the
    /// voices' states, not events, and so finds ends whose events were dropped. Returns whether
    /// there is anything to report.
    @discardableResult
    private func reap() -> Bool {
        // Buses are released under `reaping`, but not under the control lock, which a session's bus
        // takes when it is released.
        let ended = reaping.withLock { _ in
            _ = retired.takeUnused()
            let taken = control.withLock { control in takeEnded(&control) }
            return taken.map(\.voice)
        }
        // Voices are released under no lock: their sources may belong to the app, or be inputs,
        // which take the control lock.
        return !ended.isEmpty
    }

    /// Removes the ended voices from the engine and releases their handles. Returns them with the
    /// buses that they kept alive.
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
    /// Converts gate events. Returns nil for others: the engine derives those from states.
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
