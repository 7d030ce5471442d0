internal import CRenderCore
internal import Foundation
internal import Platform

/// A limiter that keeps an output below a ceiling: neither a sample nor the waveform between
/// samples exceeds it.
///
/// Attached to an output (`AudioEngine.setLimiter`), it processes the mix of all buses, before the
/// output's meter and capture. It looks ahead: the gain of all channels falls before the peak that
/// needs it, so nothing is clipped, and recovers after it. A signal that stays 0.25 dB below the
/// ceiling passes unchanged, bit for bit. The limiter delays the output by `latencyFrames`, which
/// the engine reports to the server's other clients. It limits one output, and belongs to the first
/// engine that it was attached to.
///
/// While a session in measurement mode is routed to the output, the limiter is bypassed and adds no
/// latency.
public final class AudioLimiter: Sendable {
    /// The ceiling of the true peak (ITU-R BS.1770), in dB relative to full scale, 0 or less.
    public let ceilingDecibels: Float
    /// The lookahead, in seconds, in which the gain falls; the limiter uses at least 64 frames.
    public let lookahead: Double
    /// The release time, in seconds, in which the gain recovers by 63 %.
    public let release: Double

    private let share = EngineShare<CoreLimiter>()

    /// Creates a limiter. Throws `invalidArgument` for a ceiling that is not -60…0 dB, a lookahead
    /// that is not 0.5…20 ms, and a release that is not 0.001…5 s.
    public init(
        ceilingDecibels: Float = -1, lookahead: Double = 0.002, release: Double = 0.1
    ) throws(AudioEngineError) {
        guard (-60...0).contains(ceilingDecibels), (0.0005...0.02).contains(lookahead), (0.001...5).contains(release)
        else {
            throw .invalidArgument(
                what: """
                    a limiter with a ceiling of \(ceilingDecibels) dB, a lookahead of \(lookahead) s and a release of \(release) s; valid: -60 to \
                    0 dB, 0.0005 to 0.02 s and 0.001 to 5 s
                    """)
        }
        (self.ceilingDecibels, self.lookahead, self.release) = (ceilingDecibels, lookahead, release)
    }

    /// The latency that the limiter adds to its output, in frames; 0 while it limits nothing.
    public var latencyFrames: Int {
        share.core.map { Int(rcore_limiter_latency($0.handle)) } ?? 0
    }

    /// The greatest gain reduction in the last period, in dB: 0 if there was none, 240 at most.
    public var gainReduction: Float {
        let gain = share.core.map { rcore_limiter_gain($0.handle) } ?? 1
        return gain < 1 ? -20 * log10(max(gain, 1e-12)) : 0
    }

    /// Returns a core limiter for this channel count and sample rate: the current one if it fits,
    /// or a new one.
    func fitting(channels: Int, sampleRate: Int) throws(AudioEngineError) -> CoreLimiter {
        if let limiter = share.core, limiter.channels == channels, limiter.sampleRate == sampleRate {
            return limiter
        }
        return try CoreLimiter(self, channels: channels, sampleRate: sampleRate)
    }

    /// Uses this core limiter from now on. nil: the limiter is detached or bypassed, or no bus is
    /// routed to its output; the frames in its delay line are discarded.
    func use(_ limiter: CoreLimiter?) { share.core = limiter }

    /// Binds the limiter to an engine for the engine's life.
    func claim(for engine: EngineIdentity) throws(AudioEngineError) { try share.claim(for: engine, "limiter") }
}

/// The owner of a core limiter (`rcore_limiter_t`).
///
/// Unchecked `Sendable`: the render thread runs it, and any thread may read it, as the C interface
/// documents.
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
