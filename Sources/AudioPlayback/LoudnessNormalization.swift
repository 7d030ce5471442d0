internal import AudioRendering
internal import Foundation

/// Brings sounds to one loudness: finds, by EBU R 128, the gain with which a sound plays as loud as
/// all others.
///
///     let normalization = LoudnessNormalization()
///     queue.append(source, gain: try normalization.gain(for: source))
///
/// A measurement decodes the whole sound, which takes about a hundredth of its length, on the
/// thread of the call. Store the gain if you play the sound again.
public struct LoudnessNormalization: Hashable, Sendable {
    /// The loudness that sounds are brought to, in LUFS. The reference of ReplayGain 2 is -18, that
    /// of EBU R 128 for broadcasts -23.
    public var target: Double
    /// The greatest sample that a sound may have after its gain, in dB of full scale: a loud peak
    /// limits the gain, so that nothing clips. The default leaves room for peaks between samples.
    public var maximumPeak: Double

    /// The greatest gain in dB: near silence stays quiet.
    public static let maximumGain = 24.0

    public init(target: Double = -18, maximumPeak: Double = -1) {
        self.target = target
        self.maximumPeak = maximumPeak
    }

    /// Measures a sound and returns its linear gain. It is 1 for a sound without a loudness:
    /// silence, or less than 0.4 s.
    ///
    /// Throws the error of a source that cannot be opened. A damaged source is measured as far as
    /// it can be read. Throws `invalidArgument` for buffers that are delivered while they are
    /// played; do not pass another source without an end.
    public func gain(for source: PlaybackSource) throws -> Float { try gain(forAll: [source]) }

    /// Measures several sounds as one programme, and returns the gain for each of them: the tracks
    /// of an album keep their differences. Throws like `gain(for:)`.
    public func gain(forAll sources: [PlaybackSource]) throws -> Float {
        var measurement: LoudnessMeasurement?
        var peak: Float = 0
        var block: [Float] = []
        for source in sources {
            let reader = try source.open()
            guard !reader.awaitsMore else {
                throw AudioEngineError.invalidArgument(
                    what: "measuring '\(source.name)', which is delivered while it is played")
            }
            if measurement == nil {
                measurement = try LoudnessMeasurement(sampleRate: reader.sampleRate, channels: reader.channels)
            } else {
                try measurement?.change(sampleRate: reader.sampleRate, channels: reader.channels)
            }
            while case let count = reader.read(into: &block, maximumFrames: 8_192), count > 0 {
                for sample in block[..<(count * reader.channels)] { peak = max(peak, abs(sample)) }
                try measurement?.add(interleaved: block, frames: count)
            }
        }
        return gain(loudness: measurement?.integrated ?? -.infinity, peak: Double(peak))
    }

    /// Returns the linear gain for a sound of a loudness in LUFS and with a greatest sample,
    /// linear.
    func gain(loudness: Double, peak: Double) -> Float {
        guard loudness.isFinite, target.isFinite, peak > 0, peak.isFinite else { return 1 }
        let headroom = maximumPeak.isNaN ? .infinity : maximumPeak - 20 * log10(peak)
        return Float(pow(10, min(target - loudness, headroom, Self.maximumGain) / 20))
    }
}
