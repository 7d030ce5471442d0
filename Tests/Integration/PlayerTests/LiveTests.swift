import Foundation
import TestSupport
import Testing

/// The player on a real jackd. The tests check what went to its output ports.
@Suite("player: live", .serialized)
struct LiveTests {
    static let rate = 48_000
    static let period = 256
    static let fade = rate * 5 / 1000
    let directory: TemporaryDirectory
    let server: JackServer

    init() throws {
        directory = try TemporaryDirectory()
        server = try JackServer(ServerName(), sampleRate: Self.rate, periodFrames: Self.period)
    }

    private func capture(_ source: [[Float]], sampleRate: Int, _ arguments: [String] = []) throws -> [[Float]] {
        let file = directory.file("source.wav")
        try SoundFile.write(source, sampleRate: sampleRate, to: file)
        let out = directory.file("heard.wav")
        let result = try PlayerRun.run(
            ["--server", server.name, "--ui", "none", "--capture", out] + arguments + [file])
        #expect(result.status == 0, "\(result.errors)")
        return try SoundFile.read(out).planes
    }

    @Test("HW-3: 44.1 kHz stereo on a 48 kHz server keeps duration, pitch and level, without a click")
    func resampled() throws {
        let seconds = 4
        let frequencies = [1000.0, 3000.0]
        let sources = frequencies.map {
            Signal.rounded(Signal.sine(frequency: $0, sampleRate: 44_100, frames: 44_100 * seconds), frames: 882)
        }
        let heard = try capture(sources, sampleRate: 44_100)
        for (index, frequency) in frequencies.enumerated() {
            let played = try #require(Signal.extent(of: sources[index], above: 0.01))
            let (first, last) = try #require(Signal.extent(of: heard[index], above: 0.01))
            let expected = Double(played.last - played.first + 1) * Double(Self.rate) / 44_100
            #expect(abs(Double(last - first + 1) - expected) <= Double(Self.period))
            let steady = Array(heard[index][(first + 4800)..<(last - 4800)])
            let measured = Signal.frequency(of: steady, near: frequency * 1.00001, sampleRate: Self.rate)
            #expect(Signal.cents(measured, frequency) <= 0.1)
            #expect(abs(Signal.decibels(Float(Signal.rms(steady) * 2.0.squareRoot() / 0.5))) <= 0.1)
            let ownStep = Float(2 * 0.5 * sin(.pi * frequency / Double(Self.rate)))
            #expect(Signal.largestStep(heard[index]) <= ownStep * 1.01, "also at its beginning and end")
        }
    }

    @Test("INT-1, INT-8: a call silences playback within a period and the fade; it resumes at the very next frame")
    func interruption() throws {
        let source = Signal.counting(frames: Self.rate * 4)
        let heard = try capture([source, source], sampleRate: Self.rate, ["--call-at", "1.5", "--call-for", "1"])[0]
        let begin = try #require(heard.firstIndex { $0 != 0 })
        let faded = try #require((begin..<heard.count).first { heard[$0] != source[$0 - begin] })
        let silent = try #require(heard[faded...].firstIndex { $0 == 0 })
        #expect(silent - faded <= Self.period + Self.fade)
        let resumed = try #require(heard[silent...].firstIndex { $0 != 0 })
        #expect(resumed - silent > Self.rate / 2)
        // The last frame of the fade is itself silent: the source has rendered the complete fade.
        let rendered = faded - begin + Self.fade
        // The gate fades linearly, and the player's own pause may fade in the same frames: never
        // louder than the gate alone allows, and never with a larger step than that of two
        // simultaneous fades.
        let fall = (0..<Self.fade).map { heard[faded + $0] / source[faded - begin + $0] }
        let rise = (0..<Self.fade).map { heard[resumed + $0] / source[rendered + $0] }
        for gains in [[1] + fall, [1] + rise.reversed() + [0]] {
            let steps = zip(gains, gains.dropFirst()).map { $0 - $1 }
            let bound = gains.enumerated().map { $1 - (1 - Float($0) / Float(Self.fade)) }.max() ?? 1
            #expect(
                steps.allSatisfy { $0 >= -1e-5 && $0 <= 2.01 / Float(Self.fade) },
                "\(steps.min() ?? 0)…\(steps.max() ?? 0)")
            #expect(bound <= 1.01 / Float(Self.fade))
            #expect(gains.last == 0)
        }
        let after = heard[(resumed + Self.fade)...].prefix(Self.rate)
        #expect(Signal.firstDifference(after, source[(rendered + Self.fade)...].prefix(Self.rate)) == nil)
    }

    @Test("DUCK-3, DUCK-5: a prompt ducks by 14 dB; afterwards every bit equals the source's")
    func duck() throws {
        let source = Signal.sine(frequency: 997, sampleRate: Self.rate, frames: Self.rate * 5)
        // A silent prompt: only the music is heard.
        let silence = [Float](repeating: 0, count: Self.rate)
        try SoundFile.write([silence], sampleRate: Self.rate, to: directory.file("prompt.wav"))
        let heard = try capture(
            [source, source], sampleRate: Self.rate, ["--prompt", directory.file("prompt.wav"), "--prompt-at", "1"])[0]
        let begin = try #require(heard.firstIndex { $0 != 0 }) - 1  // the sine's first sample is 0
        let attack = try #require((begin..<heard.count).first { heard[$0] != source[$0 - begin] })
        let ducked = (attack + Self.rate / 10)..<(attack + Self.rate * 8 / 10)
        let ratio =
            Signal.rms(heard[ducked]) / Signal.rms(source[(ducked.lowerBound - begin)..<(ducked.upperBound - begin)])
        #expect(abs(Signal.decibels(Float(ratio)) + 14) <= 0.1)
        let released = attack + Self.rate * 2
        #expect(
            Signal.firstDifference(
                heard[released...].prefix(Self.rate), source[(released - begin)...].prefix(Self.rate)) == nil)
    }

    @Test("Signals end the player cleanly, with status 0 and a complete capture", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(number: Int32) throws {
        let source = Signal.counting(frames: Self.rate * 20)
        let file = directory.file("long.wav")
        try SoundFile.write([source], sampleRate: Self.rate, to: file)
        let run = try PlayerRun([
            "--server", server.name, "--events", "json", "--capture", directory.file("heard.wav"), file,
        ])
        #expect(run.waitForLine("\"event\":\"position\"", count: 2))
        run.send(number)
        #expect(run.exit() == 0)
        #expect(run.errorLines.isEmpty)
        let heard = try SoundFile.read(directory.file("heard.wav")).planes[0].filter { $0 != 0 }
        #expect(heard.count > Self.rate / 2)
        #expect(Signal.firstDifference(heard, source.prefix(heard.count)) == nil)
    }

    @Test("Errors that need a server: a port that does not exist, a capture that cannot be written")
    func refusals() throws {
        let file = directory.file("short.wav")
        try SoundFile.write([Signal.counting(frames: 480)], sampleRate: Self.rate, to: file)
        let cases: [(Int32, String, [String])] = [
            (64, "has no output 'kazoo'", ["--output", "kazoo"]),
            (73, "cannot be written", ["--capture", "/nowhere/out.wav"]),
        ]
        for (status, text, arguments) in cases {
            let result = try PlayerRun.run(["--server", server.name, "--ui", "none"] + arguments + [file])
            #expect(result.status == status)
            #expect(result.errors.count == 1 && result.errors[0].contains(text), "\(result.errors)")
        }
    }
}
