import Foundation
import TestSupport
import Testing

/// `--render`: the complete scenario without a server, as fast as possible.
@Suite("player: offline", .serialized)
struct OfflineTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Examples/Media of this package.
    private var media: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Examples/Media").path
    }

    private func scene(_ out: String) -> [String] {
        [
            "--render", out, "--prompt", media + "/prompt.flac", "--prompt-at", "2", "--call-at", "7", "--call-for",
            "2",
            "--duration", "12", media + "/music.ogg",
        ]
    }

    @Test("Rendering the same scenario twice yields the same bytes")
    func determinism() throws {
        for name in ["a.wav", "b.wav"] {
            let result = try PlayerRun.run(["--ui", "none"] + scene(directory.file(name)))
            #expect(result.status == 0 && result.errors.isEmpty && result.out.isEmpty)
        }
        let (a, b) = (
            try Data(contentsOf: URL(fileURLWithPath: directory.file("a.wav"))),
            try Data(contentsOf: URL(fileURLWithPath: directory.file("b.wav")))
        )
        #expect(a == b && a.count > 12 * 44_100 * 8)
    }

    @Test("Every event has the documented keys, and the events match the scenario")
    func events() throws {
        let result = try PlayerRun.run(["--events", "json"] + scene(directory.file("a.wav")))
        #expect(result.status == 0)
        var scenario: [String] = []
        var time = 0.0
        for line in result.out {
            let event = try #require(parsed(line), "\(line)")
            let name = try #require(event["event"] as? String)
            let now = try #require(event["time"] as? Double)
            #expect(now >= time)
            time = now
            #expect(try hasPromisedKeys(event), "\(line)")
            if name == "session", event["id"] as? String == "music" {
                scenario.append(
                    (event["state"] as? String ?? "") + (event["ducked"] as? Bool == true ? ", ducked" : ""))
            } else if name == "interruption" {
                scenario.append("\(event["type"] ?? "") \(event["shouldResume"] ?? event["reason"] ?? "")")
            }
        }
        let notified = scenario.filter { $0 != "inactive" }
        #expect(
            notified.sorted()
                == [
                    "running", "running, ducked", "running", "interrupted", "began default", "ended 1", "running",
                ].sorted(), "\(scenario)")
    }

    @Test("Loudness is reported with the position, and for the complete program at the end")
    func loudness() throws {
        let sine = Signal.sine(frequency: 1000, sampleRate: 48_000, frames: 48_000 * 4, amplitude: 0.1)
        try SoundFile.write([sine, sine], sampleRate: 48_000, to: directory.file("tone.wav"))
        let arguments = ["--render", directory.file("out.wav"), directory.file("tone.wav")]
        let result = try PlayerRun.run(["--events", "json"] + arguments)
        let notified = result.out.compactMap(parsed).filter { $0["event"] as? String == "loudness" }
        #expect(notified.count == 5 && notified.map { $0["final"] as? Bool } == [false, false, false, false, true])
        #expect(notified.first?["momentary"] is NSNull, "before the first frame")
        for (key, wanted) in [("momentary", -20.0), ("integrated", -20), ("truePeak", -20), ("range", 0)] {
            #expect(abs((notified.last?[key] as? Double ?? .nan) - wanted) < 0.1, "\(key) of \(notified)")
        }
        let lines = try PlayerRun.run(["--ui", "lines"] + arguments).out
        #expect(lines.filter { $0.contains("loudness: -20.0 LUFS, range 0.0 LU, true peak -20.0 dBTP") }.count == 1)
    }

    @Test("HW-3: with --sample-rate, 44.1 kHz rendered at 48 kHz keeps duration, pitch and level, without a click")
    func resampled() throws {
        let source = Signal.rounded(Signal.sine(frequency: 1000, sampleRate: 44_100, frames: 88_200), frames: 882)
        try SoundFile.write([source, source], sampleRate: 44_100, to: directory.file("tone.wav"))
        let out = directory.file("out.wav")
        let result = try PlayerRun.run(
            ["--ui", "none", "--sample-rate", "48000", "--render", out, directory.file("tone.wav")])
        #expect(result.status == 0)
        let (planes, rate) = try SoundFile.read(out)
        #expect(rate == 48_000 && planes.count == 2 && planes[0] == planes[1])
        let played = try #require(Signal.extent(of: source, above: 0.01))
        let (first, last) = try #require(Signal.extent(of: planes[0], above: 0.01))
        #expect(abs(Double(last - first + 1) - Double(played.last - played.first + 1) * 48_000 / 44_100) <= 48)
        let steady = Array(planes[0][(first + 4800)..<(last - 4800)])
        #expect(Signal.cents(Signal.frequency(of: steady, near: 1000.01, sampleRate: rate), 1000) <= 0.1)
        #expect(abs(Signal.decibels(Float(Signal.rms(steady) * 2.0.squareRoot() / 0.5))) <= 0.1)
        #expect(Signal.largestStep(planes[0]) <= Float(sin(Double.pi * 1000 / 48_000)) * 1.01)
    }

    @Test("Files play one after the other; --start, --loop and --duration apply")
    func playlist() throws {
        let count = Signal.counting(frames: 9600)
        try SoundFile.write([count, count], sampleRate: 48_000, to: directory.file("count.wav"))
        let out = directory.file("out.wav")
        let file = directory.file("count.wav")
        _ = try PlayerRun.run(["--ui", "none", "--start", "0.1", "--loop", "1", "--render", out, file, file])
        let heard = try SoundFile.read(out).planes[0].filter { $0 != 0 }
        #expect(Signal.firstDifference(heard, count[4800...] + count + count + count) == nil)
        _ = try PlayerRun.run(["--ui", "none", "--loop", "-1", "--duration", "1.5", "--render", out, file])
        #expect(try SoundFile.read(out).planes[0].count == 72_000)
    }

    @Test("With --normalize, files of different levels play at that loudness")
    func normalized() throws {
        for (name, amplitude) in [("loud.wav", Float(0.3)), ("soft.wav", 0.03)] {
            let sine = Signal.sine(frequency: 1000, sampleRate: 48_000, frames: 48_000 * 4, amplitude: amplitude)
            try SoundFile.write([sine, sine], sampleRate: 48_000, to: directory.file(name))
            let result = try PlayerRun.run([
                "--events", "json", "--normalize", "-20", "--render", directory.file("out.wav"), directory.file(name),
            ])
            let last = result.out.compactMap(parsed).last { $0["event"] as? String == "loudness" }
            #expect(abs((last?["integrated"] as? Double ?? .nan) + 20) < 0.1, "\(name)")
        }
        let refused = try PlayerRun.run(["--normalize", "3", directory.file("loud.wav")])
        #expect(refused.status == 64 && refused.errors.contains { $0.contains("--normalize") })
    }

    @Test("Volume is in decibels")
    func volume() throws {
        let sine = Signal.sine(frequency: 440, sampleRate: 48_000, frames: 48_000)
        try SoundFile.write([sine, sine], sampleRate: 48_000, to: directory.file("sine.wav"))
        _ = try PlayerRun.run(
            ["--ui", "none", "--volume", "-6", "--render", directory.file("out.wav"), directory.file("sine.wav")])
        let ratio = Signal.rms(try SoundFile.read(directory.file("out.wav")).planes[0][..<48_000]) / Signal.rms(sine)
        #expect(abs(Signal.decibels(Float(ratio)) + 6) < 0.01)
    }
}
