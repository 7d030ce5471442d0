internal import CRenderCore

/// A meter of a bus or an output: peaks, true peaks, RMS, clipped samples and correlation.
///
/// Attached to a bus (`AudioBus.setMeter`), it measures the bus's output, after gain and grant.
/// Attached to an output (`AudioEngine.setMeter`), it measures the signal to the device. Any thread
/// may read it, as often as it likes: a held value is the maximum of at least the last `holdTime`,
/// so a reader that polls thirty times a second misses no peak. Buses and outputs without a meter
/// cost nothing. A meter measures one bus or output, and belongs to the first engine that it was
/// attached to.
///
/// With `loudness`, it also measures by EBU R 128, off the render thread: the signal passes through
/// a FIFO, the tap, to the engine's background thread.
public final class AudioMeter: Sendable {
    /// The levels of one channel: linear, full scale is 1.
    public struct Level: Sendable, Equatable {
        /// Greatest magnitude of a sample, held.
        public var peak: Float
        /// Greatest magnitude of the waveform, also between the samples (ITU-R BS.1770), held; nil
        /// if it is not measured.
        public var truePeak: Float?
        /// Greatest peak since the meter was created or reset.
        public var greatestPeak: Float
        /// Greatest true peak since the meter was created or reset; nil if it is not measured.
        public var greatestTruePeak: Float?
        /// Root mean square over about `integrationTime`; a sine at full scale has 0.707.
        public var rms: Float
        /// Samples of magnitude 1 or more, since the meter was created or reset.
        public var clippedSamples: Int
    }

    /// The hold time in seconds: a value is held for at least this time, at most twice as long.
    public let holdTime: Double
    /// Time constant of RMS and correlation, in seconds.
    public let integrationTime: Double
    /// Whether true peaks are measured.
    public let measuresTruePeak: Bool
    /// Whether loudness is measured.
    public var measuresLoudness: Bool { loudnessMeter != nil }
    private let loudnessMeter: LoudnessMeter?

    private let share = EngineShare<CoreMeter>()

    /// Creates a meter. Throws `invalidArgument` for times that are not above 0 and at most 60
    /// seconds.
    public init(
        holdTime: Double = 1.5, integrationTime: Double = 0.3, truePeak: Bool = true, loudness: Bool = false
    ) throws(AudioEngineError) {
        guard [holdTime, integrationTime].allSatisfy({ $0 > 0 && $0 <= 60 }) else {
            throw .invalidArgument(
                what:
                    "a meter that holds for \(holdTime) s and integrates over \(integrationTime) s; valid: above 0, at most 60 s"
            )
        }
        (self.holdTime, self.integrationTime, measuresTruePeak) = (holdTime, integrationTime, truePeak)
        loudnessMeter = loudness ? LoudnessMeter() : nil
    }

    /// Channels of the measured bus or output; 0 before it measures anything.
    public var channels: Int { share.core?.channels ?? 0 }

    /// The levels of all channels.
    public var levels: [Level] { (0..<channels).map(level) }

    /// Returns the level of one channel; silence for a channel that does not exist.
    public func level(channel: Int) -> Level {
        let meter = channel < 0 ? nil : share.core
        let level = meter.map { rcore_meter_read($0.handle, UInt32(clamping: channel)) } ?? rcore_meter_level_t()
        return Level(
            peak: level.peak, truePeak: measuresTruePeak ? level.true_peak : nil, greatestPeak: level.greatest_peak,
            greatestTruePeak: measuresTruePeak ? level.greatest_true_peak : nil, rms: level.rms,
            clippedSamples: Int(clamping: level.clipped))
    }

    /// The correlation of the first two channels: 1 if they are identical, -1 if they are opposite,
    /// 0 if they are independent or silent, or if there is one channel.
    public var correlation: Float { share.core.map { rcore_meter_correlation($0.handle) } ?? 0 }

    /// Resets the greatest peaks and the clipped samples, from the next cycle on.
    public func reset() { if let meter = share.core { rcore_meter_reset(meter.handle) } }

    /// The loudness of everything rendered so far; nil if it is not measured.
    ///
    /// While nothing plays, it measures silence; while the engine does not render, it does not
    /// change. A change of sample rate or channels continues the same programme. After ten minutes,
    /// integrated loudness and range may lag by 1/6,000 of the programme; in programmes of more
    /// than four hours, they cover the last four. Any thread may read it except the render thread,
    /// because reading may measure pending frames.
    public var loudness: Loudness? { loudnessMeter?.read() }

    /// Starts a new programme with the signal that is rendered from now on. Momentary and
    /// short-term loudness start again too, and are complete after 0.4 s and 3 s.
    public func resetLoudness() { loudnessMeter?.reset() }

    /// Measures the frames in the tap, so that it does not become full.
    func drainLoudness() { loudnessMeter?.drain() }

    /// Returns a core meter for this channel count and sample rate: the current one if it fits, or
    /// a new one.
    func fitting(channels: Int, sampleRate: Int) throws(AudioEngineError) -> CoreMeter {
        if let meter = share.core, meter.channels == channels, meter.sampleRate == sampleRate {
            return meter
        }
        return try CoreMeter(
            rcore_meter_description_t(
                channels: UInt32(clamping: channels), sample_rate: UInt32(clamping: sampleRate),
                hold_seconds: Float(holdTime), integration_seconds: Float(integrationTime), true_peak: measuresTruePeak,
                // One second, and at least two of the longest periods. When half is filled, the
                // core wakes the engine to read it.
                tap_frames: measuresLoudness ? UInt32(clamping: max(sampleRate, 16_384)) : 0))
    }

    /// Reads from this core meter from now on.
    func use(_ meter: CoreMeter) {
        share.core = meter
        loudnessMeter?.addTap(of: meter)
    }

    /// Binds the meter to an engine for the engine's life.
    func claim(for engine: EngineIdentity) throws(AudioEngineError) { try share.claim(for: engine, "meter") }
}
