internal import CRenderCore

/// Command ports and sounds: triggering from threads that may not wait.
extension AudioEngine {
    /// Opens a command port for one thread; it closes with its last reference. Throws `noFreePort`.
    public func makeCommandPort() throws(AudioEngineError) -> CommandPort {
        let handle = control.withLock { _ in rcore_port_open(core.handle, nil) }
        guard let handle else { throw .noFreePort(limit: configuration.maximumPorts) }
        return CommandPort(handle: handle, engine: self)
    }

    func closePort(_ handle: OpaquePointer) { control.withLock { _ in rcore_port_close(handle) } }

    /// Makes a sound ready to be triggered on a session's bus or one of its desk, as often and as densely as the pool has voices. With a `pan` it can be placed
    /// and moved. Throws `invalidArgument` or `busRemoved`.
    public func makeSound(
        _ buffer: AudioBuffer, on bus: any AudioBus, startFrame: Int = 0, loop: Loop = .none, pan: Pan? = nil,
        priority: VoicePriority = .normal, map: ChannelMap? = nil, fadeInFrames: Int = 0
    ) throws(AudioEngineError) -> Sound {
        let source = VoiceSource.buffer(buffer, startFrame: startFrame, loop: loop)
        try check(source, bus)
        let used = try control.withLock { control throws(AudioEngineError) in
            guard control.plan[bus] != nil else { throw bus.removed }
            return try Self.map(map, of: source, pan: pan, to: control.plan.channels(of: bus))
        }
        var parameters = Self.parameters(of: source, map: used, bus: bus, pan: pan, priority: priority)
        parameters.fade_in_frames = UInt32(clamping: fadeInFrames)
        parameters.one_shot = true
        let keep = SoundMemory(buffer: buffer, map: used, bus: bus, parameters: parameters)
        return Sound(keep: keep, retired: retired)
    }
}
