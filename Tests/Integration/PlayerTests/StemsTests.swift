import AudioRendering
import Foundation
import TestSupport
import Testing

/// Runs Examples/Stems: mixes four stems to a file.
@Suite struct StemsTests {
    static let rate = 48_000
    /// The time at which the stems begin: a fifth of a second.
    static let start = rate / 5
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func stems(_ arguments: [String]) throws -> (status: Int32, output: String) {
        try ChildProcess.run(try BuiltProgram.path("Stems"), arguments)
    }

    @Test func `the generated stems are audible, stay below the ceiling, and are reproducible`() throws {
        let files = ["a.wav", "b.wav"].map(directory.file)
        let runs = try files.map { try stems(["--output", $0]) }
        #expect(runs.allSatisfy { $0.status == 0 })
        let bytes = try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        #expect(bytes[0] == bytes[1], "the same bits")
        let (planes, rate) = try SoundFile.read(files[0])
        #expect(rate == Self.rate && planes.count == 2 && planes.allSatisfy { Signal.rms($0) > 0.05 })

        // Measured again with code that is independent of the engine's meter.
        #expect(planes.allSatisfy { truePeak(of: $0) <= pow(10, -1 / 20) })
        var measurement = try LoudnessMeasurement(sampleRate: rate, channels: 2)
        try measurement.add(planes)
        let notified = numbers(in: runs[0].output)
        #expect(notified.count == 4 && notified[0] <= -1 && notified[3] > 0.5, "\(runs[0].output)")
        try #require(notified.count == 4)
        #expect(abs(notified[1] - measurement.integrated) < 0.1 && notified[2] > 1, "\(runs[0].output)")
    }

    @Test func `the voice ducks the rhythm, and the echo continues after the voice ends`() throws {
        // A word, a gap, the last word; below it a steady bass.
        var voice = [Float](repeating: 0, count: 4 * Self.rate)
        for second in [1, 2] {
            let word = Signal.sine(frequency: 2_000, sampleRate: Self.rate, frames: Self.rate / 4, amplitude: 0.3)
            voice.replaceSubrange((second * Self.rate)..<(second * Self.rate + word.count), with: word)
        }
        let silence = [Float](repeating: 0, count: 4 * Self.rate)
        let steady = Signal.sine(frequency: 100, sampleRate: Self.rate, frames: 4 * Self.rate, amplitude: 0.3)
        let alone = try mix(["drums": silence, "bass": silence, "pad": silence, "voice": voice])
        let rhythm = try mix(["drums": silence, "bass": steady, "pad": silence, "voice": voice])
        // Between the words and after the last one, only the echo is heard; more of it after the
        // last word.
        let first = Signal.rms(alone[part(of: 1.375..<1.625)])
        let last = Signal.rms(alone[part(of: 2.375..<2.625)])
        #expect(first > 0.002 && last > 3 * first && Signal.rms(alone[part(of: 2.26..<2.36)]) < last / 10)
        #expect(Signal.rms(alone[part(of: 2.75..<3)]) > last / 5, "repeatedly")
        let bass = { (seconds: Range<Double>) in
            Signal.rms(zip(rhythm[part(of: seconds)], alone[part(of: seconds)]).map { $0 - $1 })
        }
        let before = bass(0.2..<0.4)
        #expect(abs(bass(1.2..<1.8) / before - 0.5) < 0.01 && abs(bass(3.4..<3.8) / before - 1) < 0.01)
    }

    @Test func `invalid arguments are refused with one sentence, and no file is written`() throws {
        let stem = directory.file("stem.wav")
        try SoundFile.write([[0.5, 0.5]], sampleRate: Self.rate, to: stem)
        let output = directory.file("mix.wav")
        let refused: [(arguments: [String], status: Int32, sentence: String)] = [
            ([stem], 64, "1 files were given"), (["--loud"], 64, "Unknown option '--loud'"),
            (["--output"], 64, "Unknown option '--output', or its file is missing"),
            ([stem, stem, stem, stem, "--output", stem], 64, "is one of the stems and would be overwritten"),
            ([stem, stem, stem, "none.wav", "--output", output], 1, "There is no file 'none.wav'"),
            (["--output", directory.file("mix.txt")], 1, "has no known file extension"),
        ]
        for (arguments, status, sentence) in refused {
            let run = try stems(arguments)
            #expect(run.status == status && run.output.contains(sentence), "\(arguments): \(run.output)")
        }
        #expect(!FileManager.default.fileExists(atPath: output))
        #expect(try SoundFile.read(stem).planes[0].count == 2)
    }

    /// Returns the left channel of a mix of these stems.
    private func mix(_ stems: [String: [Float]]) throws -> [Float] {
        for (name, samples) in stems {
            try SoundFile.write([samples], sampleRate: Self.rate, to: directory.file(name + ".wav"))
        }
        let output = directory.file("mix.wav")
        let run = try self.stems(
            ["drums", "bass", "pad", "voice"].map { directory.file($0 + ".wav") } + ["--output", output])
        #expect(run.status == 0, "\(run.output)")
        return try SoundFile.read(output).planes[0]
    }

    /// Returns the frames of the mix for these seconds of the stems.
    private func part(of seconds: Range<Double>) -> Range<Int> {
        let frame = { (second: Double) in Self.start + Int(second * Double(Self.rate)) }
        return frame(seconds.lowerBound)..<frame(seconds.upperBound)
    }

    /// Returns the greatest magnitude at and between the samples, a quarter of a frame apart,
    /// interpolated with a windowed sinc where it can matter.
    private func truePeak(of samples: [Float]) -> Double {
        let reach = 32
        let kernels = [0.25, 0.5, 0.75].map { (place: Double) in
            (1 - reach...reach).map { (tap: Int) -> Double in
                let x = Double.pi * (place - Double(tap))
                return sin(x) / x * (0.5 + 0.5 * cos(x / Double(reach + 1)))
            }
        }
        let loud = (reach..<(samples.count - reach)).filter { max(abs(samples[$0]), abs(samples[$0 + 1])) > 0.7 }
        return loud.reduce(Double(Signal.peak(samples))) { peak, frame in
            kernels.reduce(peak) { peak, kernel in
                let around = samples[(frame + 1 - reach)...(frame + reach)]
                return max(peak, abs(zip(kernel, around).reduce(0) { $0 + $1.0 * Double($1.1) }))
            }
        }
    }

    /// Returns the numbers in a text.
    private func numbers(in text: String) -> [Double] {
        text.split(whereSeparator: { !"-.0123456789".contains($0) }).compactMap { Double($0) }
    }
}
