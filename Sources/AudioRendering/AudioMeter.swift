internal import CRenderCore

/// Measures how loud a bus or an output is: peaks, true peaks, RMS, clipped samples and correlation.
///
/// It is given to a bus (`AudioBus.setMeter`), and measures what leaves it, gain and verdict applied; or to an output
/// (`AudioEngine.setMeter`), and measures what goes to the device. Any thread reads it, as often as it likes: a held value is the greatest of at least the last
/// `holdTime`, so that a reader who looks thirty times a second misses no peak. Where no meter is, nothing is measured and nothing is paid. A meter
/// measures one place, and belongs to the first engine that it was given to.
///
/// With `loudness` it also measures by EBU R 128, off the render thread: what is measured goes through a ring to the engine's background thread.
public final class AudioMeter: Sendable {
    /// Of one channel; linear, full scale is 1.
    public struct Level: Sendable, Equatable {
        /// Greatest magnitude of a sample, held.
        public var peak: Float
        /// Greatest magnitude of the waveform between the samples too (ITU-R BS.1770), held; nil where it is not measured.
        public var truePeak: Float?
        /// Since the meter was made or reset.
        public var greatestPeak: Float
        public var greatestTruePeak: Float?
        /// Root of the mean square over about `integrationTime`; a sine at full scale has 0.707.
        public var rms: Float
        /// Samples of magnitude 1 or more, since the meter was made or reset.
        public var clippedSamples: Int
    }

    /// Seconds that a held value stands at least; it stands twice as long at most.
    public let holdTime: Double
    /// Seconds: time constant of RMS and correlation.
    public let integrationTime: Double
    public let measuresTruePeak: Bool
    public var measuresLoudness: Bool { loudnessMeter != nil }
    private let loudnessMeter: LoudnessMeter?

    private let share = EngineShare<CoreMeter>()

    /// Throws `invalidArgument` for times that are not above 0 and at most 60 seconds.
    public init(
        holdTime: Double = 1.5, integrationTime: Double = 0.3, truePeak: Bool = true, loudness: Bool = false
    ) throws(AudioEngineError) {
        guard [holdTime, integrationTime].allSatisfy({ $0 > 0 && $0 <= 60 }) else {
            throw .invalidArgument(
                what:
                    "a meter that holds for \(holdTime) s and integrates over \(integrationTime) s: above 0 and at most 60 s"
            )
        }
        (self.holdTime, self.integrationTime, measuresTruePeak) = (holdTime, integrationTime, truePeak)
        loudnessMeter = loudness ? LoudnessMeter() : nil
    }

    /// Channels of what it measures; 0 before it measures anything.
    public var channels: Int { share.core?.channels ?? 0 }

    /// Of each channel.
    public var levels: [Level] { (0..<channels).map(level) }

    /// Of one channel; silence for one that there is not.
    public func level(channel: Int) -> Level {
        let meter = channel < 0 ? nil : share.core
        let level = meter.map { rcore_meter_read($0.handle, UInt32(clamping: channel)) } ?? rcore_meter_level_t()
        return Level(
            peak: level.peak, truePeak: measuresTruePeak ? level.true_peak : nil, greatestPeak: level.greatest_peak,
            greatestTruePeak: measuresTruePeak ? level.greatest_true_peak : nil, rms: level.rms,
            clippedSamples: Int(clamping: level.clipped))
    }

    /// Of the first two channels: 1 the same, 0 independent, silent or mono, -1 opposite.
    public var correlation: Float { share.core.map { rcore_meter_correlation($0.handle) } ?? 0 }

    /// Forgets the greatest peaks and the clipped samples, from the next cycle on.
    public func reset() { if let meter = share.core { rcore_meter_reset(meter.handle) } }

    /// Of all that was rendered so far; nil where it is not measured. Where nothing plays, it measures silence; while nothing is rendered, it stands. What
    /// plays at another rate or in other channels belongs to the same programme. After ten minutes integrated loudness and range may be behind by a 6,000th of the
    /// programme; of one of more than four hours they are those of the last four. Any thread but the render thread: it may have to measure what waits.
    public var loudness: Loudness? { loudnessMeter?.read() }

    /// Begins another programme with what is rendered from now on. Momentary and short-term loudness begin anew too, and are whole after 0.4 s and 3 s.
    public func resetLoudness() { loudnessMeter?.reset() }

    /// Makes room in the ring.
    func drainLoudness() { loudnessMeter?.drain() }

    /// What measures so many channels at that rate: what does already, or a new one.
    func fitting(channels: Int, sampleRate: Int) throws(AudioEngineError) -> CoreMeter {
        if let meter = share.core, meter.channels == channels, meter.sampleRate == sampleRate {
            return meter
        }
        return try CoreMeter(self, channels: channels, sampleRate: sampleRate)
    }

    /// Reads that one from now on.
    func use(_ meter: CoreMeter) {
        share.core = meter
        loudnessMeter?.follow(meter)
    }

    /// Belongs to that engine from now on, for as long as that lives.
    fileprivate func claim(for engine: AudioEngine) throws(AudioEngineError) { try share.claim(for: engine, "meter") }
}

/// Owns a meter of the core.
///
/// Unchecked `Sendable`: the render thread writes it, and any thread may read it, as the C interface says.
final class CoreMeter: @unchecked Sendable {
    let handle: OpaquePointer
    let channels: Int
    let sampleRate: Int

    fileprivate init(_ meter: AudioMeter, channels: Int, sampleRate: Int) throws(AudioEngineError) {
        var description = rcore_meter_description_t(
            channels: UInt32(clamping: channels), sample_rate: UInt32(clamping: sampleRate),
            hold_seconds: Float(meter.holdTime), integration_seconds: Float(meter.integrationTime),
            true_peak: meter.measuresTruePeak,
            // Half a second, and two of the longest periods: the background looks every 5 ms.
            tap_frames: meter.measuresLoudness ? UInt32(clamping: max(sampleRate / 2, 16_384)) : 0)
        var status = RCORE_OK
        guard let handle = rcore_meter_create(&description, &status) else {
            throw AudioEngineError(status, "a meter of \(channels) channels at \(sampleRate) Hz")
        }
        (self.handle, self.channels, self.sampleRate) = (handle, channels, sampleRate)
    }

    deinit { rcore_meter_destroy(handle) }
}

extension AudioEngine {
    /// Has a meter measure what goes to an output; nil ends that. While no bus leads there it measures nothing, and reads as before. Throws `invalidArgument` for a meter
    /// that measures something else.
    public func setMeter(_ meter: AudioMeter?, of output: OutputRoute) throws(AudioEngineError) {
        try check([output], atLeast: 1)
        try meter?.claim(for: self)
        try changePlan { plan throws(AudioEngineError) in
            plan.outputMeters[output] = nil
            try plan.checkUnused(meter)
            plan.outputMeters[output] = meter
        }
    }

    func setMeter(_ meter: AudioMeter?, of bus: any AudioBus) throws(AudioEngineError) {
        try meter?.claim(for: self)
        try changePlan { plan throws(AudioEngineError) in
            guard plan[bus] != nil else { throw bus.removed }
            plan[bus]?.meter = nil
            try plan.checkUnused(meter)
            plan[bus]?.meter = meter
        }
    }
}

extension EnginePlan {
    /// Whether anything is measured.
    var isMetered: Bool { !meters.isEmpty }

    private var meters: [AudioMeter] {
        outputMeters.values + buses.values.flatMap { [$0.strip] + $0.desk.strips.values }.compactMap(\.meter)
    }

    fileprivate func checkUnused(_ meter: AudioMeter?) throws(AudioEngineError) {
        guard let meter else { return }
        guard !meters.contains(where: { $0 === meter }) else {
            throw .invalidArgument(what: "a meter for two places: it measures one; make another meter")
        }
    }
}
