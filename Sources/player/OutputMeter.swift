import AudioRendering
import Foundation

/// Measures the true peak and loudness of the first output that the sessions are routed to. Main
/// thread only.
final class OutputMeter {
    private let engine: AudioEngine
    private let meter: AudioMeter
    private var output: OutputRoute?

    init(engine: AudioEngine) throws {
        self.engine = engine
        meter = try AudioMeter(loudness: true)
    }

    /// Moves the meter to the output that the sessions are routed to now. If the engine refuses,
    /// the next call tries again.
    func follow() {
        guard let first = engine.routes.first, first != output else { return }
        do {
            if let output { try engine.setMeter(nil, of: output) }
            output = nil
            try engine.setMeter(meter, of: first)
            output = first
        } catch { return }
    }

    /// Returns the loudness of the whole output so far; levels of -100 or below count as silence.
    func loudness(isFinal: Bool = false) -> OutputLoudness {
        let loudness = meter.loudness
        let peak = meter.levels.compactMap(\.greatestTruePeak).max() ?? 0
        func level(_ value: Double?) -> Double? { value.flatMap { $0 > -100 ? ($0 * 100).rounded() / 100 : nil } }
        return OutputLoudness(
            momentary: level(loudness?.momentary), shortTerm: level(loudness?.shortTerm),
            integrated: level(loudness?.integrated), range: level(loudness?.range) ?? 0,
            truePeak: level(20 * log10(Double(peak))), isFinal: isFinal)
    }
}
