internal import CRenderCore
internal import Platform

/// Starting voices, and making sounds.
extension AudioEngine {
    /// Plays a source on a session's bus, or on a bus of its mixer.
    ///
    /// - Parameters:
    ///   - source: What the voice plays.
    ///   - bus: A bus of this engine.
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
        var (parameters, voiceMap) = try parameters(of: source, map: map, bus: bus, pan: pan, priority: priority)
        if case .stream(let stream) = source { stream.fill(share: beginning(of: stream)) }
        parameters.gain = gain
        parameters.speed = speed
        parameters.fade_in_frames = UInt32(clamping: fadeInFrames)
        parameters.paused = paused
        let handle = try acquireVoice()
        let voice = Voice(source: source, handle: handle, map: voiceMap, bus: bus, control: control, onEnd: onEnd)
        do throws(AudioEngineError) {
            try voices.withLock { voices throws(AudioEngineError) in
                try control.start(handle, parameters, on: bus.identity, sourceRate: source.sampleRate, at: time)
                voices.started[handle] = voice
            }
        } catch {
            rcore_voice_release(control.core.handle, handle)
            throw error
        }
        return voice
    }

    /// Creates a sound that can be triggered on a session's bus or on a bus of its mixer, as many
    /// times at once as the pool has voices. Without a `pan`, its voices cannot be panned.
    /// `fadeInFrames` are engine frames. Throws `invalidArgument` or `busRemoved`.
    public func makeSound(
        _ buffer: AudioBuffer, on bus: any AudioBus, startFrame: Int = 0, loop: Loop = .none, pan: Pan? = nil,
        priority: VoicePriority = .normal, map: ChannelMap? = nil, fadeInFrames: Int = 0
    ) throws(AudioEngineError) -> Sound {
        let source = VoiceSource.buffer(buffer, startFrame: startFrame, loop: loop)
        var (parameters, voiceMap) = try parameters(of: source, map: map, bus: bus, pan: pan, priority: priority)
        parameters.fade_in_frames = UInt32(clamping: fadeInFrames)
        parameters.one_shot = true
        let memory = SoundMemory(buffer: buffer, map: voiceMap, bus: bus, parameters: parameters)
        return Sound(memory: memory, retired: retired)
    }

    /// Returns the share of a stream to read before its voice starts: an eighth, and at least two
    /// periods. The background thread reads the rest, so that the start does not wait for it.
    private func beginning(of stream: AudioStream) -> Double {
        max(1 / 8, Double(2 * (format?.periodFrames ?? 0)) / Double(stream.capacity))
    }

    /// Acquires a voice from the pool; if the pool is empty, reclaims ended voices first.
    private func acquireVoice() throws(AudioEngineError) -> UInt64 {
        var handle = rcore_voice_acquire(control.core.handle)
        if handle == 0 {
            reclaim()
            handle = rcore_voice_acquire(control.core.handle)
        }
        guard handle != 0 else { throw .noFreeVoice(limit: configuration.maximumVoices) }
        return handle
    }

    /// Checks that source and bus belong to this engine, and that a buffer's start frame and loop
    /// are valid.
    private func check(_ source: VoiceSource, _ bus: any AudioBus) throws(AudioEngineError) {
        guard bus.belongs(to: control) else { throw .invalidArgument(what: "playing on a bus of another engine") }
        if case .input(let input) = source, !input.belongs(to: control) {
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

    /// Returns the given map, otherwise the standard one; nil if channels pass one to one, and for
    /// a panned mono source, which the pan routes to two channels.
    private static func map(
        _ explicit: ChannelMap?, of source: VoiceSource, pan: Pan?, to outputs: Int
    ) throws(AudioEngineError) -> ChannelMap? {
        if let explicit { return explicit }
        let inputs = source.channels
        let direct = inputs == outputs || (inputs == 1 && pan != nil && outputs > 1)
        return direct ? nil : try ChannelMap.standard(from: inputs, to: outputs)
    }

    /// Returns the core's parameters of a voice, and the channel map that they refer to. The caller
    /// sets gain, speed, fade and pause. Throws `busRemoved` or `invalidArgument`.
    private func parameters(
        of source: VoiceSource, map: ChannelMap?, bus: any AudioBus, pan: Pan?, priority: VoicePriority
    ) throws(AudioEngineError) -> (rcore_voice_params_t, ChannelMap?) {
        try check(source, bus)
        let channels = control.read { $0[bus.identity] == nil ? nil : $0.channels(of: bus.identity) }
        guard let channels else { throw bus.identity.removed }
        let map = try Self.map(map, of: source, pan: pan, to: channels)
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
        return (params, map)
    }
}
