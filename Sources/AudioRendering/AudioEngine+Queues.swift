internal import CRenderCore
internal import Platform

/// Command queues and sounds: triggering from threads that must not block.
extension AudioEngine {
    /// Opens a command queue for one thread. The queue closes when its last reference is released.
    /// Throws `noFreeQueue`.
    public func makeCommandQueue() throws(AudioEngineError) -> CommandQueue {
        let handle = control.withLock { _ in rcore_queue_open(core.handle, nil) }
        guard let handle else { throw .noFreeQueue(limit: configuration.maximumQueues) }
        return CommandQueue(handle: handle, engine: self)
    }

    func closeQueue(_ handle: OpaquePointer) { control.withLock { _ in rcore_queue_close(handle) } }

    /// Creates a sound that can be triggered on a session's bus or on a bus of its mixer, as many
    /// times at once as the pool has voices. Without a `pan`, its voices cannot be panned.
    /// `fadeInFrames` are engine frames. Throws `invalidArgument` or `busRemoved`.
    public func makeSound(
        _ buffer: AudioBuffer, on bus: any AudioBus, startFrame: Int = 0, loop: Loop = .none, pan: Pan? = nil,
        priority: VoicePriority = .normal, map: ChannelMap? = nil, fadeInFrames: Int = 0
    ) throws(AudioEngineError) -> Sound {
        let source = VoiceSource.buffer(buffer, startFrame: startFrame, loop: loop)
        try check(source, bus)
        let voiceMap = try control.withLock { control throws(AudioEngineError) in
            guard control.plan[bus] != nil else { throw bus.removed }
            return try Self.map(map, of: source, pan: pan, to: control.plan.channels(of: bus))
        }
        var parameters = Self.parameters(of: source, map: voiceMap, bus: bus, pan: pan, priority: priority)
        parameters.fade_in_frames = UInt32(clamping: fadeInFrames)
        parameters.one_shot = true
        let memory = SoundMemory(buffer: buffer, map: voiceMap, bus: bus, parameters: parameters)
        return Sound(memory: memory, retired: retired)
    }
}
