internal import CRenderCore

/// Channels of the device's input that one session may record, or ports that receive from other
/// programs (`AudioEngine.makeInput(from:)`).
///
/// An input from the device is silent until the session's permission is granted, and delivers
/// nothing while the session is interrupted. Recorded frames wait in a ring buffer to be read, each
/// with its time; voices may play the input in the same cycle (`VoiceSource.input`). The engine
/// removes the input when its last reference is released.
public final class EngineInput: Sendable {
    /// The channel count, 1…the engine's `maximumChannels`.
    public let channels: Int
    let slot: Int
    let capture: InputCapture
    /// The ports that it receives from, if they are not the device's.
    private let ports: AudioPorts?
    private weak let control: EngineControl?

    /// Consecutive recorded frames.
    public struct Block: Equatable, Sendable {
        /// When the first frame was recorded, on the clock of `AudioEngine.currentFrame`. A gap
        /// between two blocks means that frames were lost or that the session was interrupted.
        public var time: UInt64
        /// Interleaved samples.
        public var samples: [Float]

        public init(time: UInt64, samples: [Float]) {
            self.time = time
            self.samples = samples
        }
    }

    init(channels: Int, slot: Int, capture: InputCapture, ports: AudioPorts?, control: EngineControl) {
        self.channels = channels
        self.slot = slot
        self.capture = capture
        self.ports = ports
        self.control = control
    }

    func belongs(to control: EngineControl) -> Bool { self.control === control }

    deinit { control?.removeFromPlan { $0.removeInput(slot: slot) } }

    /// Returns the oldest frames, at most `maximumFrames`; nil if none are available. Safe from any
    /// thread.
    public func read(maximumFrames: Int = 4096) -> Block? {
        capture.read(maximumFrames: max(1, maximumFrames)).map { Block(time: $0.time, samples: $0.samples) }
    }

    /// The number of frames lost because they were not read in time.
    public var lostFrames: UInt64 { capture.lostFrames }

    /// Returns the greatest magnitude of a sample in a channel since the last call (linear, full
    /// scale is 1), after gain and permission, and resets it. For one reader.
    public func takePeak(channel: Int) -> Float {
        guard channel >= 0, let control else { return 0 }
        return rcore_take_input_peak(control.core.handle, UInt32(slot), UInt32(clamping: channel))
    }

    /// Ramps the gain to a linear value; finite.
    public func setGain(
        _ gain: Float, rampFrames: Int, curve: AutomationCurve = .linear, at time: UInt64? = nil
    ) throws(AudioEngineError) {
        guard let control else { throw .engineGone }
        try control.command("an input gain of \(gain)") { queue in
            AutomatedParameter.inputGain.ramp(
                to: gain, frames: rampFrames, curve: curve, of: UInt64(slot), to: queue, at: time.commandTime)
        }
    }

    /// Moves the gain through `points`, as `Voice.automate` does.
    public func automateGain(_ points: [AutomationPoint]) throws(AudioEngineError) {
        guard let control else { throw .engineGone }
        let parameter = AutomatedParameter.inputGain
        try parameter.check(points)
        try control.command("automating \(parameter.name) through \(points.count) points") { queue in
            parameter.post(points, of: UInt64(slot), to: queue)
        }
    }
}
