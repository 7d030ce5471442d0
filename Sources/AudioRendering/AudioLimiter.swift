internal import CRenderCore
internal import Foundation

/// Keeps an output below a ceiling: no sample, and nothing between the samples, goes above it.
///
/// It is given to an output (`AudioEngine.setLimiter`), behind all that leads there and before its meter and a capture. It looks ahead: the gain of all channels falls
/// before the peak that needs it, so that nothing is clipped, and comes back behind it. What stays 0.25 dB below the ceiling comes out as it
/// was, bit by bit, and everything comes out later, by `latencyFrames`, of which the server's other clients are told. It limits one output, and belongs to the first engine that it was given to.
///
/// While a session that leads there has mode measurement, it does nothing and delays nothing.
public final class AudioLimiter: Sendable {
    /// dB below full scale, 0 or less, of the true peak (ITU-R BS.1770).
    public let ceilingDecibels: Float
    /// Seconds in which the gain falls; 64 frames at least.
    public let lookahead: Double
    /// Seconds in which the gain comes back by 63 %.
    public let release: Double

    private let share = EngineShare<CoreLimiter>()

    /// Throws `invalidArgument` for a ceiling that is not -60…0 dB, a look-ahead that is not 0.5…20 ms, and a release that is not 0.001…5 s.
    public init(
        ceilingDecibels: Float = -1, lookahead: Double = 0.002, release: Double = 0.1
    ) throws(AudioEngineError) {
        guard (-60...0).contains(ceilingDecibels), (0.0005...0.02).contains(lookahead), (0.001...5).contains(release)
        else {
            throw .invalidArgument(
                what: """
                    a limiter with a ceiling of \(ceilingDecibels) dB that looks ahead \(lookahead) s and releases in \(release) s: -60 to 0 dB, \
                    0.0005 to 0.02 s and 0.001 to 5 s
                    """)
        }
        (self.ceilingDecibels, self.lookahead, self.release) = (ceilingDecibels, lookahead, release)
    }

    /// By how many frames its output is later; 0 while it limits nothing.
    public var latencyFrames: Int {
        share.core.map { Int(rcore_limiter_latency($0.handle)) } ?? 0
    }

    /// dB by which it lowered the output in the last period, at most: 0 where it did nothing, 240 at most.
    public var gainReduction: Float {
        let gain = share.core.map { rcore_limiter_gain($0.handle) } ?? 1
        return gain < 1 ? -20 * log10(max(gain, 1e-12)) : 0
    }

    /// What limits so many channels at that rate: what does already, or a new one.
    func fitting(channels: Int, sampleRate: Int) throws(AudioEngineError) -> CoreLimiter {
        if let limiter = share.core, limiter.channels == channels, limiter.sampleRate == sampleRate {
            return limiter
        }
        return try CoreLimiter(self, channels: channels, sampleRate: sampleRate)
    }

    /// Is that one from now on; nil: it limits nothing, and what waited in it is not heard later.
    func use(_ limiter: CoreLimiter?) { share.core = limiter }

    /// Belongs to that engine from now on, for as long as that lives.
    fileprivate func claim(for engine: AudioEngine) throws(AudioEngineError) { try share.claim(for: engine, "limiter") }
}

/// Owns a limiter of the core.
///
/// Unchecked `Sendable`: the render thread runs it, and any thread may read it, as the C interface says.
final class CoreLimiter: @unchecked Sendable {
    let handle: OpaquePointer
    let channels: Int
    let sampleRate: Int

    fileprivate init(_ limiter: AudioLimiter, channels: Int, sampleRate: Int) throws(AudioEngineError) {
        var description = rcore_limiter_description_t(
            channels: UInt32(clamping: channels), sample_rate: UInt32(clamping: sampleRate),
            ceiling: min(max(pow(10, limiter.ceilingDecibels / 20), 0.001), 1),
            lookahead_seconds: Float(limiter.lookahead), release_seconds: Float(limiter.release))
        var status = RCORE_OK
        guard let handle = rcore_limiter_create(&description, &status) else {
            throw AudioEngineError(status, "a limiter of \(channels) channels at \(sampleRate) Hz")
        }
        (self.handle, self.channels, self.sampleRate) = (handle, channels, sampleRate)
    }

    deinit { rcore_limiter_destroy(handle) }
}

extension AudioEngine {
    /// Has a limiter keep an output below its ceiling; nil ends that. What is heard cross-fades, in 5 ms, once the limiter holds its latency's frames: until then it is as
    /// it was, so give it before anything is played. Throws `invalidArgument` for a limiter of another output or another
    /// engine.
    public func setLimiter(_ limiter: AudioLimiter?, of output: OutputRoute) throws(AudioEngineError) {
        try check([output], atLeast: 1)
        try limiter?.claim(for: self)
        let before = control.withLock { $0.plan.outputLimiters[output] }
        guard before !== limiter else { return }
        try changePlan { plan throws(AudioEngineError) in
            if let limiter, plan.outputLimiters.values.contains(where: { $0 === limiter }) {
                throw .invalidArgument(what: "a limiter for two outputs: it limits one; make another limiter")
            }
            plan.outputLimiters[output] = limiter
        }
        before?.use(nil)
    }

    /// Whether what a session bus leads to may be limited: not while its session measures.
    func setAllowsLimiting(_ isAllowed: Bool, ofBus slot: Int) throws(AudioEngineError) {
        let isAllowedNow = control.withLock { $0.plan.buses[slot]?.allowsLimiting }
        guard let isAllowedNow, isAllowedNow != isAllowed else { return }
        try changePlan { $0.buses[slot]?.allowsLimiting = isAllowed }
    }
}

extension EnginePlan {
    /// Whether any of it is made for one sample rate.
    var knowsRate: Bool { isMetered || !outputLimiters.isEmpty }

    /// What limits an output now: nothing where a session measures.
    func limiter(of output: OutputRoute) -> AudioLimiter? {
        let isFree = buses.values.contains { !$0.allowsLimiting && outputs(of: $0).contains(output) }
        return isFree ? nil : outputLimiters[output]
    }
}
