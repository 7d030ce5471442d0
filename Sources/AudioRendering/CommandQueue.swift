internal import CRenderCore
internal import Platform

/// One playback of a sound. It needs no cleanup: the engine reclaims the voice when it ends.
public struct TriggeredVoice: Hashable, Sendable {
    let handle: UInt64
}

/// A command queue for one thread, such as a sequencer's thread or a MIDI callback.
///
/// Every call is wait-free: it takes no lock, allocates nothing and waits for no other thread. One
/// thread at a time may use a queue; each thread that triggers sounds creates its own. A command
/// takes effect on exactly the engine frame `time`; nil is the next period. Fades and ramps are in
/// engine frames. Calls for a voice that has ended throw `voiceEnded`.
///
/// Unchecked `Sendable`: the C queue has one producer at a time, which its owner ensures; the queue
/// can be handed to the thread that uses it.
public final class CommandQueue: @unchecked Sendable {
    let handle: OpaquePointer
    let engine: AudioEngine
    /// The time of commands without a frame: the next period, or a beat (`at`).
    var defaultTime: UInt64 = 0
    private let core: RenderCore

    /// Returns the time for the core of a command at a frame; nil: of a command without one.
    func commandTime(_ time: UInt64?) -> UInt64 { time == nil ? defaultTime : time.commandTime }

    fileprivate init(handle: OpaquePointer, engine: AudioEngine) {
        self.handle = handle
        self.engine = engine
        core = engine.control.core
    }

    deinit { engine.control.withState { _ in rcore_queue_close(handle) } }

    /// Plays a sound. `gain` is linear; `pan`, −1…1, replaces the sound's own position; `speed` is
    /// 1/16…16 source frames per engine frame. Throws `noFreeVoice` if the pool is empty,
    /// `commandQueueFull` or `invalidArgument`; then nothing plays.
    @discardableResult
    public func trigger(
        _ sound: Sound, gain: Float = 1, pan: Float? = nil, speed: Float = 1, at time: UInt64? = nil
    ) throws(AudioEngineError) -> TriggeredVoice {
        var parameters = sound.memory.parameters
        parameters.gain = gain
        parameters.speed = speed
        if let pan { parameters.pan = pan }
        let voice = rcore_voice_acquire(core.handle)
        guard voice != 0 else { throw .noFreeVoice(limit: engine.configuration.maximumVoices) }
        let status = rcore_post_start(handle, voice, &parameters, commandTime(time))
        guard status == RCORE_OK else {
            rcore_voice_release(core.handle, voice)
            throw AudioEngineError(status, "triggering a sound with gain \(gain) and speed \(speed)")
        }
        return TriggeredVoice(handle: voice)
    }

    /// Fades out and ends a voice.
    public func stop(_ voice: TriggeredVoice, fadeFrames: Int = 0, at time: UInt64? = nil) throws(AudioEngineError) {
        let status = rcore_post_stop(handle, voice.handle, UInt32(clamping: fadeFrames), commandTime(time))
        guard status == RCORE_OK else { throw AudioEngineError(status, "stopping a voice") }
    }

    /// Leaves the voice's loop: the voice plays the frames that follow it to the end, as an
    /// instrument does when the key is released.
    public func release(_ voice: TriggeredVoice, at time: UInt64? = nil) throws(AudioEngineError) {
        let status = rcore_post_leave_loop(handle, voice.handle, commandTime(time))
        guard status == RCORE_OK else { throw AudioEngineError(status, "releasing a voice") }
    }

    /// Ramps the gain to a linear value; finite.
    public func setGain(
        _ gain: Float, of voice: TriggeredVoice, rampFrames: Int, curve: AutomationCurve = .linear,
        at time: UInt64? = nil
    ) throws(AudioEngineError) {
        let status = AutomatedParameter.voiceGain.ramp(
            to: gain, frames: rampFrames, curve: curve, of: voice.handle, to: handle, at: commandTime(time))
        guard status == RCORE_OK else { throw AudioEngineError(status, "a gain of \(gain)") }
    }

    /// Moves the pan position between left (−1) and right (1). The sound must have been created
    /// with a pan.
    public func setPan(
        _ position: Float, of voice: TriggeredVoice, rampFrames: Int, curve: AutomationCurve = .linear,
        at time: UInt64? = nil
    ) throws(AudioEngineError) {
        let status = AutomatedParameter.voicePan.ramp(
            to: position, frames: rampFrames, curve: curve, of: voice.handle, to: handle, at: commandTime(time))
        guard status == RCORE_OK else { throw AudioEngineError(status, "a pan of \(position), or no pan law") }
    }

    /// Ramps the speed, 1/16…16 source frames per engine frame.
    public func setSpeed(
        _ speed: Float, of voice: TriggeredVoice, rampFrames: Int, curve: AutomationCurve = .linear,
        at time: UInt64? = nil
    ) throws(AudioEngineError) {
        let status = AutomatedParameter.voiceSpeed.ramp(
            to: speed, frames: rampFrames, curve: curve, of: voice.handle, to: handle, at: commandTime(time))
        guard status == RCORE_OK else { throw AudioEngineError(status, "a speed of \(speed)") }
    }

    /// Moves a parameter through `points` at frames, all of them or none, as `Voice.automate` does.
    /// Within a transaction, it is part of that.
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

    /// Applies all commands that `body` posts through this queue together, so that a chord starts
    /// on one frame. If `body` throws or the queue is full, none of them takes effect. Transactions
    /// do not nest: throws `invalidArgument` within another one.
    public func transaction(_ body: () throws -> Void) throws {
        guard rcore_transaction_begin(handle) == RCORE_OK else {
            throw AudioEngineError.invalidArgument(what: "a transaction within a transaction of the same queue")
        }
        do {
            try body()
        } catch {
            rcore_transaction_cancel(handle)
            throw error
        }
        guard rcore_transaction_commit(handle) == RCORE_OK else { throw AudioEngineError.commandQueueFull }
    }
}

extension AudioEngine {
    /// Opens a command queue for one thread. The queue closes when its last reference is released.
    /// Throws `noFreeQueue`.
    public func makeCommandQueue() throws(AudioEngineError) -> CommandQueue {
        let handle = control.withState { _ in rcore_queue_open(control.core.handle, nil) }
        guard let handle else { throw .noFreeQueue(limit: configuration.maximumQueues) }
        return CommandQueue(handle: handle, engine: self)
    }
}
