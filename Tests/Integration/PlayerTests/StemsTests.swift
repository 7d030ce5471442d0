import AudioRendering
import Foundation
import TestSupport
import Testing

/// Examples/Stems, run: four stems through a desk, into a file.
@Suite struct StemsTests {
    static let rate = 48_000
    /// Where the stems begin: a fifth of a second.
    static let start = rate / 5
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func stems(_ arguments: [String]) throws -> (status: Int32, output: String) {
        try ChildProcess.run(try BuiltProgram.path("Stems"), arguments)
    }

    @Test func `what it makes itself is heard, stays below the ceiling, and is the same bits twice`() throws {
        let files = ["a.wav", "b.wav"].map(directory.file)
        let runs = try files.map { try stems(["--output", $0]) }
        #expect(runs.allSatisfy { $0.status == 0 })
        let bytes = try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        #expect(bytes[0] == bytes[1], "the same bits")
        let (planes, rate) = try SoundFile.read(files[0])
        #expect(rate == Self.rate && planes.count == 2 && planes.allSatisfy { Signal.rms($0) > 0.05 })

        // Measured again, by other means than the engine's meter.
        #expect(planes.allSatisfy { truePeak(of: $0) <= pow(10, -1 / 20) })
        var measurement = try LoudnessMeasurement(sampleRate: rate, channels: 2)
        try measurement.add(planes)
        let told = numbers(in: runs[0].output)
        #expect(told.count == 4 && told[0] <= -1 && told[3] > 0.5, "\(runs[0].output)")
        try #require(told.count == 4)
        #expect(abs(told[1] - measurement.integrated) < 0.1 && told[2] > 1, "\(runs[0].output)")
    }

    @Test func `the rhythm makes room for the voice, and the echo goes on when that has left`() throws {
        // A word, a gap, the last word; beneath it a steady bass.
        var voice = [Float](repeating: 0, count: 4 * Self.rate)
        for second in [1, 2] {
            let word = Signal.sine(frequency: 2_000, sampleRate: Self.rate, frames: Self.rate / 4, amplitude: 0.3)
            voice.replaceSubrange((second * Self.rate)..<(second * Self.rate + word.count), with: word)
        }
        let silence = [Float](repeating: 0, count: 4 * Self.rate)
        let steady = Signal.sine(frequency: 100, sampleRate: Self.rate, frames: 4 * Self.rate, amplitude: 0.3)
        let alone = try mix(["drums": silence, "bass": silence, "pad": silence, "voice": voice])
        let rhythm = try mix(["drums": silence, "bass": steady, "pad": silence, "voice": voice])
        // Between words and behind the last one nobody sings: what is there is the echo, and more of the last word.
        let first = Signal.rms(alone[part(of: 1.375..<1.625)])
        let last = Signal.rms(alone[part(of: 2.375..<2.625)])
        #expect(first > 0.002 && last > 3 * first && Signal.rms(alone[part(of: 2.26..<2.36)]) < last / 10)
        #expect(Signal.rms(alone[part(of: 2.75..<3)]) > last / 5, "again and again")
        let bass = { (seconds: Range<Double>) in
            Signal.rms(zip(rhythm[part(of: seconds)], alone[part(of: seconds)]).map { $0 - $1 })
        }
        let before = bass(0.2..<0.4)
        #expect(abs(bass(1.2..<1.8) / before - 0.5) < 0.01 && abs(bass(3.4..<3.8) / before - 1) < 0.01)
    }

    @Test func `what cannot be is refused with a sentence, and writes nothing`() throws {
        let stem = directory.file("stem.wav")
        try SoundFile.write([[0.5, 0.5]], sampleRate: Self.rate, to: stem)
        let output = directory.file("mix.wav")
        let refused: [(arguments: [String], status: Int32, sentence: String)] = [
            ([stem], 64, "1 files are given"), (["--loud"], 64, "'--loud' is not understood"),
            (["--output"], 64, "'--output' is not understood, or lacks its file"),
            ([stem, stem, stem, stem, "--output", stem], 64, "is a stem, and would be lost"),
            ([stem, stem, stem, "none.wav", "--output", output], 1, "There is no file 'none.wav'"),
            (["--output", directory.file("mix.txt")], 1, "names no known format"),
        ]
        for (arguments, status, sentence) in refused {
            let run = try stems(arguments)
            #expect(run.status == status && run.output.contains(sentence), "\(arguments): \(run.output)")
        }
        #expect(!FileManager.default.fileExists(atPath: output))
        #expect(try SoundFile.read(stem).planes[0].count == 2)
    }

    /// The left side of a mix of these.
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

    /// Frames of the mix for these seconds of the stems.
    private func part(of seconds: Range<Double>) -> Range<Int> {
        let frame = { (second: Double) in Self.start + Int(second * Double(Self.rate)) }
        return frame(seconds.lowerBound)..<frame(seconds.upperBound)
    }

    /// The greatest magnitude at and between the samples, a quarter of a frame apart: a windowed sinc, wherever it can matter.
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

    /// The numbers that a sentence tells.
    private func numbers(in text: String) -> [Double] {
        text.split(whereSeparator: { !"-.0123456789".contains($0) }).compactMap { Double($0) }
    }
}
