internal import CRenderCore
internal import Platform

/// The state of a voice, as of the last cycle.
public enum VoiceState: Equatable, Sendable {
    /// The start has not taken effect yet.
    case waiting
    case playing
    /// Paused, or fading out towards the pause.
    case paused
    /// Ended, for the reason in `Voice.endReason`.
    case ended
}

/// One playback of a source. The engine keeps a voice alive until it ends; it ends with its engine
/// at the latest.
///
/// Every method is safe from any thread, takes effect at the next period or on exactly the engine
/// frame `at`, and throws `voiceEnded` after the voice has ended. Fades and ramps are in engine
/// frames.
public final class Voice: Sendable {
    /// The source that the voice plays.
    public let source: VoiceSource
    let handle: UInt64
    /// Kept for the core.
    let map: ChannelMap?
    /// Keeps the bus alive until the voice ends.
    private let bus: Mutex<(any AudioBus)?>
    let onEnd: (@Sendable (Voice) -> Void)?
    private weak let control: EngineControl?
    private let finalValues = Mutex<FinalValues?>(nil)

    private struct FinalValues { var frames: UInt64, underruns: UInt64, end: VoiceEnd? }

    init(
        source: VoiceSource, handle: UInt64, map: ChannelMap?, bus: any AudioBus, control: EngineControl,
        onEnd: (@Sendable (Voice) -> Void)?
    ) {
        self.bus = Mutex(bus)
        self.source = source
        self.handle = handle
        self.map = map
        self.control = control
        self.onEnd = onEnd
    }

    /// The voice's current state.
    public var state: VoiceState { read({ _ in .ended }, { $0.state(ofVoice: handle) }) ?? .ended }

    /// The number of source frames rendered so far, at the source's own rate, including
    /// repetitions.
    public var framesRendered: UInt64 { read(\.frames, { rcore_voice_frames($0.handle, handle) }) ?? 0 }

    /// The number of frames that the stream did not deliver in time.
    public var underrunFrames: UInt64 { read(\.underruns, { rcore_voice_underrun_frames($0.handle, handle) }) ?? 0 }

    /// Why the voice ended; nil if it has not ended.
    public var endReason: VoiceEnd? { read(\.end, { $0.endReason(ofVoice: handle) }) ?? nil }

    /// Reads a value of the voice: from the final values if the voice has been reclaimed, otherwise
    /// from the core. nil if the engine no longer exists.
    private func read<Value>(_ last: (FinalValues) -> Value, _ current: (RenderCore) -> Value) -> Value? {
        if let ended = finalValues.withLock({ $0 }) { return last(ended) }
        let value = control.map { current($0.core) }
        // If the voice was reclaimed in the meantime, the core did not know its handle any longer.
        return finalValues.withLock { $0 }.map(last) ?? value
    }

    /// Fades out and ends the voice.
    public func stop(fadeFrames: Int = 0, at time: UInt64? = nil) throws(AudioEngineError) {
        try liveControl.command("stopping a voice") { queue in
            rcore_post_stop(queue, handle, UInt32(clamping: fadeFrames), time.commandTime)
        }
    }

    /// Fades out and pauses. Playback later resumes at the frame after the last one rendered.
    public func pause(fadeFrames: Int = 0, at time: UInt64? = nil) throws(AudioEngineError) {
        try liveControl.command("pausing a voice") { queue in
            rcore_post_pause(queue, handle, UInt32(clamping: fadeFrames), time.commandTime)
        }
    }

    /// Resumes playback, fading in.
    public func resume(fadeFrames: Int = 0, at time: UInt64? = nil) throws(AudioEngineError) {
        try liveControl.command("resuming a voice") { queue in
            rcore_post_resume(queue, handle, UInt32(clamping: fadeFrames), time.commandTime)
        }
    }

    /// Ramps the gain to a linear value; finite.
    public func setGain(
        _ gain: Float, rampFrames: Int, curve: AutomationCurve = .linear, at time: UInt64? = nil
    ) throws(AudioEngineError) {
        try liveControl.command("a gain of \(gain)") { queue in
            AutomatedParameter.voiceGain.ramp(
                to: gain, frames: rampFrames, curve: curve, of: handle, to: queue, at: time.commandTime)
        }
    }

    /// Ramps the speed, 1/16…16 source frames per engine frame: pitch and tempo together.
    ///
    /// At exactly 1, the source's samples are played bit for bit. For a source with a sample rate
    /// of its own, the engine multiplies the speed by the ratio of that rate to the server's; the
    /// range applies to the product. A ramp ends immediately if the server's rate changes.
    public func setSpeed(
        _ speed: Float, rampFrames: Int, curve: AutomationCurve = .linear, at time: UInt64? = nil
    ) throws(AudioEngineError) {
        try liveControl.setSpeed(speed, of: handle, rampFrames: rampFrames, curve: curve, at: time)
    }

    /// Moves the pan position between left (−1) and right (1), by the pan law that the voice was
    /// started with. The voice must have been started with a pan.
    public func setPan(
        _ position: Float, rampFrames: Int, curve: AutomationCurve = .linear, at time: UInt64? = nil
    ) throws(AudioEngineError) {
        try liveControl.command("a pan of \(position); valid: -1 to 1, for a voice with a pan") { queue in
            AutomatedParameter.voicePan.ramp(
                to: position, frames: rampFrames, curve: curve, of: handle, to: queue, at: time.commandTime)
        }
    }

    /// Moves a parameter through `points`: on each point's frame, it has exactly that point's
    /// value.
    ///
    /// Posts all points or none. Without points, nothing happens. Throws `invalidArgument`, naming
    /// the first point that is not finite, out of the parameter's range or not later than the
    /// previous one. Throws `commandQueueFull` if there are more points than free commands (the
    /// engine has 1,024) or free curves (`maximumCurves`).
    ///
    /// Until the first point, the parameter keeps its value. The next command for the same
    /// parameter that becomes due ends the running curve where it is; the points after that still
    /// take effect. While a session is paused, a running curve is held, but the frames of later
    /// points do not move. If the server's rate changes, an automated speed of a source with a rate
    /// of its own jumps to the value of the last point.
    public func automate(_ parameter: VoiceParameter, _ points: [AutomationPoint]) throws(AudioEngineError) {
        try liveControl.automate(parameter, of: handle, points)
    }

    /// Seeks to another frame of samples in memory; the old and the new position crossfade for
    /// `fadeFrames`. Throws `invalidArgument` for other sources.
    public func seek(to frame: Int, fadeFrames: Int = 0, at time: UInt64? = nil) throws(AudioEngineError) {
        try liveControl.command("seeking to frame \(frame); valid: 0 or more, for samples in memory") { queue in
            frame < 0
                ? RCORE_BAD_ARGUMENT
                : rcore_post_seek(queue, handle, UInt64(frame), UInt32(clamping: fadeFrames), time.commandTime)
        }
    }

    /// Leaves the loop: after the current pass, the voice plays the frames that follow the loop, to
    /// the end of the source.
    public func leaveLoop(at time: UInt64? = nil) throws(AudioEngineError) {
        try liveControl.command("leaving a loop") { queue in rcore_post_leave_loop(queue, handle, time.commandTime) }
    }

    private var liveControl: EngineControl {
        get throws(AudioEngineError) {
            guard let control else { throw .voiceEnded }
            return control
        }
    }

    /// Stores the final values and releases the bus. The engine calls this once, before it releases
    /// the handle, and not under the control lock, which a session's bus takes when it is released.
    func end(in core: RenderCore) {
        let last = FinalValues(
            frames: rcore_voice_frames(core.handle, handle),
            underruns: rcore_voice_underrun_frames(core.handle, handle), end: core.endReason(ofVoice: handle))
        finalValues.withLock { $0 = last }
        _ = bus.withLock { bus in
            defer { bus = nil }
            return bus
        }
    }
}

extension RenderCore {
    fileprivate func state(ofVoice handle: UInt64) -> VoiceState {
        switch rcore_voice_state(self.handle, handle) {
        case RCORE_VOICE_WAITING: .waiting
        case RCORE_VOICE_PLAYING: .playing
        case RCORE_VOICE_PAUSED: .paused
        default: .ended
        }
    }

    fileprivate func endReason(ofVoice handle: UInt64) -> VoiceEnd? {
        switch rcore_voice_end_reason(self.handle, handle) {
        case RCORE_END_SOURCE: .finished
        case RCORE_END_STOPPED: .stopped
        case RCORE_END_STOLEN: .stolen
        case RCORE_END_REFUSED: .refused
        default: nil
        }
    }
}
