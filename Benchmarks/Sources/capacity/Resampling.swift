import AudioRendering
import Foundation
import Processes
import Reporting

/// The quality of the conversion of a file's sample rate. Sines are written to files, streamed
/// through the engine without a clock, and compared with the best-fitting sine.
struct Resampling: Part {
    private struct Rates {
        var input: Int
        var output: Int
        var text: String { "\(Double(input) / 1000) → \(Double(output) / 1000) kHz" }
        var parameters: Parameters { ["inputRate": .whole(input), "sampleRate": .whole(output)] }
    }

    private struct Tone {
        /// The frequency in Hz.
        var frequency: Double
        /// The ratio of the sine to everything else, in decibels; and that of the same sine when
        /// only rounded to 32-bit float.
        var signalToNoise: Double
        var bound: Double
        /// The level of the output sine relative to the input, in decibels.
        var gain: Double
    }

    private static let bound = "sine in 32-bit float"
    private static let amplitude = 0.5
    /// The duration, and the margin at both ends that is ignored because of the resampler's
    /// transients.
    private static let (seconds, margin) = (1.0, 0.1)

    mutating func measure(_ run: Run) throws -> Findings {
        let folder = FileManager.default.temporaryDirectory.appending(path: "capacity-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var findings = Findings()
        var table = Table(
            "Resampling of streamed files: a sine of -6 dB, decibels",
            note: "Worst: of all frequencies up to 20 kHz, or 0.45 of a rate",
            [.text("rates", 16), "SNR 997 Hz", "worst SNR", "at Hz", "bound", "gain, low", "gain, high"])
        for (index, rates) in Self.rates(quick: run.quick).enumerated() {
            let tones = try Self.frequencies(rates, quick: run.quick).map { try Self.tone($0, rates, folder) }
            guard let worst = tones.min(by: { $0.signalToNoise < $1.signalToNoise }) else { continue }
            let middle = tones.first { $0.frequency == 997 } ?? worst
            table.add(
                [rates.text]
                    + [middle.signalToNoise, worst.signalToNoise, worst.frequency, worst.bound].map(digits)
                    + [tones.map(\.gain).min() ?? 0, tones.map(\.gain).max() ?? 0].map { String(format: "%+.4f", $0) })
            findings.results += Self.measurements(tones, rates)
            // The first rates are those of the targets.
            if index == 0 { findings.targets = Self.targets(rates, worst, tones) }
        }
        findings.tables = [table]
        return findings
    }

    private static func flatness(_ tones: [Tone]) -> Double { tones.map { abs($0.gain) }.max() ?? 0 }

    private static func measurements(_ tones: [Tone], _ rates: Rates) -> [Measurement] {
        tones.flatMap { tone in
            let parameters = rates.parameters.with(["frequency": .number(tone.frequency)])
            return [
                Measurement("resample.snr_db", Subject.core.name, "dB", tone.signalToNoise, parameters),
                Measurement("resample.snr_db", bound, "dB", tone.bound, parameters),
                Measurement("resample.gain_db", Subject.core.name, "dB", tone.gain, parameters),
            ]
        } + [Measurement("resample.flatness_db", Subject.core.name, "dB", flatness(tones), rates.parameters)]
    }

    private static func targets(_ rates: Rates, _ worst: Tone, _ tones: [Tone]) -> [Target] {
        [
            Target(
                what: "\(rates.text), streamed: signal to noise of a sine, the worst up to 20 kHz", unit: "dB",
                wanted: 110, atLeast: true, reached: worst.signalToNoise),
            Target(
                what: "\(rates.text), streamed: off unity gain up to 20 kHz, at most", unit: "dB", wanted: 0.1,
                reached: flatness(tones)),
        ]
    }

    private static func rates(quick: Bool) -> [Rates] {
        let all = [(44_100, 48_000), (48_000, 44_100), (22_050, 48_000), (96_000, 48_000), (44_100, 192_000)]
        return all.prefix(quick ? 1 : all.count).map { Rates(input: $0.0, output: $0.1) }
    }

    private static func frequencies(_ rates: Rates, quick: Bool) -> [Double] {
        let all: [Double] =
            quick
            ? [20, 997, 5_000, 10_000, 15_000, 18_000, 19_000, 20_000]
            : [20, 50, 100, 300, 997, 2_000, 4_000, 6_000, 8_000, 10_000]
                + stride(from: 11_000, through: 20_000, by: 500).map { Double($0) }
        return all.filter { $0 <= min(20_000, 0.4536 * Double(min(rates.input, rates.output))) }
    }

    private static func tone(_ frequency: Double, _ rates: Rates, _ folder: URL) throws -> Tone {
        let path = folder.appending(path: "sine.wav").path
        let writer = try AudioFileWriter(path: path, channels: 1, sampleRate: rates.input)
        let frames = Int(Double(rates.input) * seconds)
        try writer.write(sine(frequency, rates.input, frames), frameCount: frames)
        if let failure = writer.close() { throw failed("\(failure)") }
        let output = try play(path, rates.output)
        let steady = Int(margin * Double(rates.output))..<Int((seconds - margin) * Double(rates.output))
        guard let fit = Sinusoid(in: Array(output[steady]), frequency / Double(rates.output)),
            let bound = Sinusoid(in: sine(frequency, rates.output, steady.count), frequency / Double(rates.output)),
            fit.amplitude > amplitude / 2
        else { throw failed("the output has no sine of \(frequency) Hz") }
        return Tone(
            frequency: frequency, signalToNoise: fit.signalToNoise, bound: bound.signalToNoise,
            gain: 20 * log10(fit.amplitude / amplitude))
    }

    private static func failed(_ why: String) -> BenchmarkError {
        BenchmarkError("Cannot measure the resampler: \(why).")
    }

    private static func sine(_ frequency: Double, _ rate: Int, _ frames: Int) -> [Float] {
        (0..<frames).map { Float(amplitude * sin(2 * .pi * frequency * Double($0) / Double(rate))) }
    }

    /// Plays a file as an app plays music. Returns the output of the first of two channels.
    private static func play(_ path: String, _ rate: Int) throws -> [Float] {
        let driver = OfflineDriver(sampleRate: rate)
        let engine = try AudioEngine(driver: driver)
        try engine.start()
        defer { engine.stop() }
        let gate = try Owned.openGate()
        let bus = try engine.makeSessionBus(gate: gate.handle, owner: gate)
        let stream = try AudioStream(reader: AudioFile(path: path), sampleRate: rate)
        let voice = try engine.play(.stream(stream), on: bus)
        let output = try driver.render(frames: Int(Double(rate) * seconds))
        guard voice.underrunFrames == 0, let first = output.first else {
            throw failed("the stream underran")
        }
        return first
    }
}

/// The sine of a known frequency that fits samples best, and its ratio to the rest.
private struct Sinusoid {
    let amplitude: Double
    let signalToNoise: Double

    /// `frequency` is in cycles per sample. Returns nil if the samples do not determine the sine.
    init?(in samples: [Float], _ frequency: Double) {
        let waves = samples.indices.map {
            (sin(2 * .pi * frequency * Double($0)), cos(2 * .pi * frequency * Double($0)))
        }
        var (ss, sc, cc, xs, xc) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for (sample, wave) in zip(samples, waves) {
            ss += wave.0 * wave.0
            sc += wave.0 * wave.1
            cc += wave.1 * wave.1
            xs += Double(sample) * wave.0
            xc += Double(sample) * wave.1
        }
        let determinant = ss * cc - sc * sc
        guard determinant > 0 else { return nil }
        let (a, b) = ((xs * cc - xc * sc) / determinant, (xc * ss - xs * sc) / determinant)
        var (signal, noise) = (0.0, 0.0)
        for (sample, wave) in zip(samples, waves) {
            let value = a * wave.0 + b * wave.1
            signal += value * value
            noise += (Double(sample) - value) * (Double(sample) - value)
        }
        guard noise > 0 else { return nil }
        amplitude = (a * a + b * b).squareRoot()
        signalToNoise = 10 * log10(signal / noise)
    }
}
