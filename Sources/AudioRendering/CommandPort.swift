internal import CRenderCore

/// A sound that is ready to be triggered: samples in memory, and how they are played.
///
/// Its memory stays until the last voice that plays it has ended, also when the sound itself is gone.
public final class Sound: Sendable {
    let keep: SoundMemory
    private let retired: RetiredSounds

    init(keep: SoundMemory, retired: RetiredSounds) {
        self.keep = keep
        self.retired = retired
    }

    deinit { retired.add(keep) }
}

/// What sounds that are gone still play. Held by the engine too until its driver is closed, so a sound that goes while its engine does takes
/// nothing from the render thread.
final class RetiredSounds: Sendable {
    private let list = Locked<[SoundMemory]>([])

    func add(_ memory: SoundMemory) { list.withLock { $0.append(memory) } }

    /// Those that nobody plays any more, to be let go of.
    func takeSilent() -> [SoundMemory] {
        list.withLock { list in
            let silent = list.filter { !$0.isPlaying }
            list.removeAll { memory in silent.contains { $0 === memory } }
            return silent
        }
    }
}

/// What the voices of a sound read.
///
/// Unchecked `Sendable`: immutable.
final class SoundMemory: @unchecked Sendable {
    let buffer: AudioBuffer
    let map: ChannelMap?
    let bus: any AudioBus
    let parameters: rcore_voice_params_t

    init(buffer: AudioBuffer, map: ChannelMap?, bus: any AudioBus, parameters: rcore_voice_params_t) {
        self.buffer = buffer
        self.map = map
        self.bus = bus
        self.parameters = parameters
    }

    var isPlaying: Bool { rcore_buffer_users(buffer.handle) > 0 }
}

/// One playing of a sound. It needs no care: when it ends, it is gone.
public struct TriggeredVoice: Hashable, Sendable {
    let handle: UInt64
}

/// A thread's own way into the engine: a sequencer's, a MIDI callback's.
///
/// Every call is wait-free: no lock, no allocation, no other thread waited for. One thread at a time may use a port; each thread that triggers
/// sound makes one of its own. `time` is an engine frame, and is met exactly; nil is the next period. Fades and ramps are in frames. Calls for a voice
/// that has ended throw `voiceEnded`.
///
/// Unchecked `Sendable`: the C port has one producer at a time, which is for its owner to see to; it can be handed to the thread that uses it.
public final class CommandPort: @unchecked Sendable {
    private let handle: OpaquePointer
    private let engine: AudioEngine
    private let core: RenderCore

    init(handle: OpaquePointer, engine: AudioEngine) {
        self.handle = handle
        self.engine = engine
        core = engine.core
    }

    deinit { engine.closePort(handle) }

    /// Plays a sound. Throws `noFreeVoice` when the pool is empty, `commandQueueFull`, or `invalidArgument`; then nothing plays.
    @discardableResult
    public func trigger(
        _ sound: Sound, gain: Float = 1, pan: Float? = nil, speed: Float = 1, at time: UInt64? = nil
    ) throws(AudioEngineError) -> TriggeredVoice {
        var parameters = sound.keep.parameters
        parameters.gain = gain
        parameters.speed = speed
        if let pan { parameters.pan = pan }
        let voice = rcore_voice_acquire(core.handle)
        guard voice != 0 else { throw .noFreeVoice(limit: engine.configuration.maximumVoices) }
        let status = rcore_post_start(handle, voice, &parameters, time ?? 0)
        guard status == RCORE_OK else {
            rcore_voice_release(core.handle, voice)
            throw AudioEngineError(status, "triggering a sound with gain \(gain) and speed \(speed)")
        }
        return TriggeredVoice(handle: voice)
    }

    /// Fades out and ends.
    public func stop(_ voice: TriggeredVoice, fadeFrames: Int = 0, at time: UInt64? = nil) throws(AudioEngineError) {
        let status = rcore_post_stop(handle, voice.handle, UInt32(clamping: fadeFrames), time ?? 0)
        guard status == RCORE_OK else { throw AudioEngineError(status, "stopping a voice") }
    }

    /// Lets its loop go: what follows is played to the end, as an instrument does when the key is released.
    public func release(_ voice: TriggeredVoice, at time: UInt64? = nil) throws(AudioEngineError) {
        let status = rcore_post_leave_loop(handle, voice.handle, time ?? 0)
        guard status == RCORE_OK else { throw AudioEngineError(status, "releasing a voice") }
    }

    /// Ramps to a linear gain; finite.
    public func setGain(
        _ gain: Float, of voice: TriggeredVoice, rampFrames: Int, curve: AutomationCurve = .linear,
        at time: UInt64? = nil
    ) throws(AudioEngineError) {
        let status = AutomatedParameter.voiceGain.ramp(
            to: gain, frames: rampFrames, curve: curve, of: voice.handle, to: handle, at: time)
        guard status == RCORE_OK else { throw AudioEngineError(status, "a gain of \(gain)") }
    }

    /// Moves between left (−1) and right (1); the sound must have been made with a pan.
    public func setPan(
        _ position: Float, of voice: TriggeredVoice, rampFrames: Int, curve: AutomationCurve = .linear,
        at time: UInt64? = nil
    ) throws(AudioEngineError) {
        let status = AutomatedParameter.voicePan.ramp(
            to: position, frames: rampFrames, curve: curve, of: voice.handle, to: handle, at: time)
        guard status == RCORE_OK else { throw AudioEngineError(status, "a pan of \(position)") }
    }

    /// Ramps to a speed, 1/16…16 frames of the source a frame.
    public func setSpeed(
        _ speed: Float, of voice: TriggeredVoice, rampFrames: Int, curve: AutomationCurve = .linear,
        at time: UInt64? = nil
    ) throws(AudioEngineError) {
        let status = AutomatedParameter.voiceSpeed.ramp(
            to: speed, frames: rampFrames, curve: curve, of: voice.handle, to: handle, at: time)
        guard status == RCORE_OK else { throw AudioEngineError(status, "a speed of \(speed)") }
    }

    /// Moves a parameter through `points`, all of them or none, as `Voice.automate` does; in a group as part of it.
    public func automate(
        _ parameter: VoiceParameter, of voice: TriggeredVoice, _ points: [AutomationPoint]
    ) throws(AudioEngineError) {
        let automated = parameter.automated
        try automated.check(points)
        let status = automated.post(points, of: voice.handle, to: handle)
        guard status == RCORE_OK else {
            throw AudioEngineError(status, "automating \(automated.name) through \(points.count) points")
        }
    }

    /// All that `body` posts through this port takes effect together, or, when it throws or finds no room, not at all: a chord starts on one frame.
    /// Groups do not nest.
    public func group(_ body: () throws -> Void) throws {
        guard rcore_group_begin(handle) == RCORE_OK else {
            throw AudioEngineError.invalidArgument(what: "a group within a group of the same port")
        }
        do {
            try body()
        } catch {
            rcore_group_cancel(handle)
            throw error
        }
        guard rcore_group_commit(handle) == RCORE_OK else { throw AudioEngineError.commandQueueFull }
    }
}
