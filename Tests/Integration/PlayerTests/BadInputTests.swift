import Foundation
import TestSupport
import Testing

/// An impossible request ends with one clear sentence and the right exit status (sysexits), and
/// affects no server.
@Suite("player: bad input", .serialized)
struct BadInputTests {
    let directory: TemporaryDirectory
    let good: String

    init() throws {
        directory = try TemporaryDirectory()
        good = directory.file("good.wav")
        try SoundFile.write(
            [Signal.sine(frequency: 440, sampleRate: 48_000, frames: 9600)], sampleRate: 48_000, to: good)
    }

    private func write(_ name: String, _ data: Data) throws -> String {
        try data.write(to: URL(fileURLWithPath: directory.file(name)))
        return directory.file(name)
    }

    private func expect(
        _ status: Int32, _ text: String, _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try PlayerRun.run(["--ui", "none"] + arguments)
        #expect(result.status == status, "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.errors.count == 1, "\(result.errors)", sourceLocation: sourceLocation)
        let sentence = result.errors.first ?? ""
        #expect(
            sentence.hasPrefix("player: ") && sentence.contains(text), "\(sentence)", sourceLocation: sourceLocation)
        #expect(sentence.hasSuffix(".") || sentence.hasSuffix("]"), "\(sentence)", sourceLocation: sourceLocation)
    }

    @Test("Missing files, folders, empty files and files without sound are refused")
    func files() throws {
        try expect(66, "There is no file", [directory.file("missing.wav")])
        try expect(66, "is not a file", [directory.path])
        try expect(65, "holds no audio", [write("empty.wav", Data())])
        try expect(
            65, "cannot be decoded", [write("noise.wav", Data((0..<4000).map { UInt8(truncatingIfNeeded: $0 * 31) }))])
        try expect(66, "There is no file", [good, directory.file("second.wav")])
        try expect(66, "There is no file", ["--prompt", directory.file("prompt.wav"), good])
        try expect(66, "There is no file", [""])
        #expect(mkfifo(directory.file("pipe.wav"), 0o600) == 0)
        try expect(66, "is not a file", [directory.file("pipe.wav")])
        try expect(64, "is beyond the end of", ["--start", "0.2", "--render", directory.file("a.wav"), good])
    }

    @Test("A file to be played is never overwritten, under any name", arguments: ["--render", "--capture"])
    func ownInput(option: String) throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: good))
        let link = directory.file("link.wav")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: good)
        try expect(64, "is also an input file", [option, good, good])
        try expect(64, "is also an input file", [option, link, good])
        let other = directory.file("other.wav")
        try FileManager.default.copyItem(atPath: good, toPath: other)
        try expect(64, "is also an input file", [option, good, "--prompt", good, other])
        #expect(try Data(contentsOf: URL(fileURLWithPath: good)) == before)
    }

    @Test("Impossible header values are refused", arguments: [(0, 48_000), (2, 0), (2, 2_000_000_000), (300, 48_000)])
    func headers(channels: Int, rate: Int) throws {
        let path = try write("absurd.wav", WAV.header(channels: channels, sampleRate: rate, dataBytes: 4800))
        let result = try PlayerRun.run(["--ui", "none", path])
        #expect(result.status == 65)
        #expect(result.errors.count == 1 && result.errors[0].hasPrefix("player: "))
    }

    @Test("A truncated file plays as far as it goes, is reported, and ends with 65")
    func truncated() throws {
        let path = try write(
            "cut.wav", WAV.header(channels: 2, sampleRate: 48_000, dataBytes: 48_000, promised: 480_000))
        let rendered = directory.file("out.wav")
        try expect(65, "is truncated: it holds 12000 frames", ["--render", rendered, path])
        #expect(try SoundFile.read(rendered).planes[0].count >= 12_000)
    }

    @Test("A truncated AIFF is reported like a truncated WAV", arguments: [10, 50, 99])
    func truncatedAIFF(percent: Int) throws {
        let whole = directory.file("whole.aiff")
        try SoundFile.write(
            [Signal.sine(frequency: 440, sampleRate: 48_000, frames: 48_000)], sampleRate: 48_000, to: whole)
        let data = try Data(contentsOf: URL(fileURLWithPath: whole))
        let path = try write("cut.aiff", data.prefix(data.count * percent / 100))
        try expect(65, "is truncated: it holds", ["--render", directory.file("out.wav"), path])
        let result = try PlayerRun.run(["--ui", "none", "--render", directory.file("out.wav"), whole])
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test("NaN and infinite samples become silence")
    func nonFinite() throws {
        var samples = Signal.sine(frequency: 440, sampleRate: 44_100, frames: 44_100)
        for index in stride(from: 100, to: 40_000, by: 777) {
            samples[index] = index.isMultiple(of: 2) ? .nan : .infinity
        }
        let path = directory.file("poison.wav")
        try SoundFile.write([samples], sampleRate: 44_100, to: path)
        for rate in ["44100", "48000"] {
            let rendered = directory.file("clean.wav")
            let result = try PlayerRun.run(["--ui", "none", "--sample-rate", rate, "--render", rendered, path])
            #expect(result.status == 0 && result.errors.isEmpty)
            let file = try SoundFile.readRaw(rendered)
            #expect(file.allSatisfy { $0.isFinite && abs($0) <= 1 })
        }
    }

    @Test("CAT, MODE-1, OPT-3: errors about unknown and unsuitable names list the known ones")
    func names() throws {
        try expect(64, "Known values: ambient, soloAmbient, playback", ["--category", "loud", good])
        try expect(64, "Known values: default, voiceChat", ["--mode", "loud", good])
        try expect(64, "Known values: mixWithOthers, duckOthers", ["--option", "loud", good])
        try expect(64, "MODE-1", ["--category", "ambient", "--mode", "moviePlayback", good])
        try expect(64, "OPT-", ["--category", "playback", "--option", "defaultToSpeaker", good])
        try expect(64, "has no output", ["--category", "audioProcessing", "--render", directory.file("a.wav"), good])
        try expect(64, "has no output 'kazoo'", ["--output", "kazoo", "--render", directory.file("a.wav"), good])
    }

    @Test("HW-4: out-of-range requests are refused")
    func requests() throws {
        for rate in ["-1", "nan", "inf", "1e12"] {
            try expect(64, "rate", ["--sample-rate=\(rate)", "--render", directory.file("a.wav"), good])
        }
        for duration in ["-1", "nan", "inf", "1e12"] {
            try expect(64, "HW-4", ["--io-buffer=\(duration)", "--render", directory.file("a.wav"), good])
        }
    }

    @Test("Usage errors end with 64 and name the valid arguments")
    func usage() throws {
        for arguments in [
            [], ["--volume", "1000", good], ["--start", "-1", good], ["--loop", "-2", good], ["--ui", "big", good],
            ["--prompt-at", "1", good], ["--render", "a.wav", "--capture", "b.wav", good], ["--events", "xml", good],
            ["--render", "a.wav", "--loop", "-1", good], ["--volume", "nan", good], ["--frobnicate", good],
            ["--volume", "loud", good], ["--loop", "1.5", good], ["--duration", "inf", good], ["--wait", "-1", good],
            ["--call-for", "nan", good], ["--io-buffer", "automatic", good], ["--io-buffer", "5ms", good],
            ["--io-buffer", "auto", "--render", "a.wav", good], ["--sample-rate", "fast", good],
            ["--server", "", good],
            ["--server", String(repeating: "x", count: 500), good], ["--events", "json", "--ui", "full", good],
        ] {
            let result = try PlayerRun.run(arguments)
            #expect(result.status == 64, "\(arguments): \(result.errors)")
            #expect(result.errors.first?.hasPrefix("Error: ") == true, "\(result.errors)")
        }
    }

    @Test("--help lists every option and exits with 0")
    func help() throws {
        let result = try PlayerRun.run(["--help"])
        #expect(result.status == 0 && result.errors.isEmpty)
        for option in [
            "category", "mode", "option", "sample-rate", "io-buffer", "server", "wait", "output", "volume", "loop",
            "start", "duration", "prompt", "prompt-at", "call-at", "call-for", "render", "capture", "ui", "events",
        ] {
            #expect(result.out.contains { $0.hasPrefix("  --\(option) <") }, "--\(option)")
        }
    }

    @Test("The full-screen interface requires a terminal")
    func noTerminal() throws {
        let result = try PlayerRun.run(["--ui", "full", good])
        #expect(result.status == 64)
        #expect(result.out.isEmpty)
        #expect(result.errors == ["player: The full-screen interface needs a terminal; use --ui lines."])
    }

    @Test("Paths that cannot be written are refused")
    func unwritable() throws {
        try FileManager.default.createDirectory(
            atPath: directory.file("folder.wav"), withIntermediateDirectories: false)
        try expect(73, "cannot be written", ["--render", "/nowhere/out.wav", good])
        try expect(73, "cannot be written", ["--render", directory.file("folder.wav"), good])
        try expect(64, "use one of wav", ["--render", directory.file("out.mp3000"), good])
    }

    @Test("A missing server of a given name ends with 69 at once")
    func noServer() throws {
        let begin = ContinuousClock.now
        try expect(69, "No audio server named 'nobody' is running", ["--server", "nobody", good])
        // It tries once and does not wait.
        #expect(ContinuousClock.now - begin < .seconds(20))
    }

    @Test("A default server's name beyond what libjack can hold is refused, not copied")
    func longDefaultName() throws {
        let result = try PlayerRun.run(
            ["--ui", "none", good],
            environment: ["JACK_DEFAULT_SERVER": String(repeating: "x", count: 500), "SWIFT_BACKTRACE": "enable=no"])
        #expect(result.status == 69)
        #expect(result.errors.count == 1 && result.errors[0].contains("JACK_DEFAULT_SERVER"), "\(result.errors)")
    }

    @Test("With events, an error is also an event, with the same status and sentence")
    func errorEvents() throws {
        let cases: [(code: Int, arguments: [String])] = [
            (69, ["--server", "nobody", good]), (66, [directory.file("missing.wav")]),
            (65, [try write("empty.wav", Data())]), (64, ["--category", "loud", "--render", "a.wav", good]),
            (73, ["--render", "/nowhere/out.wav", good]),
        ]
        for (code, arguments) in cases {
            let result = try PlayerRun.run(["--events", "json"] + arguments)
            #expect(result.status == code)
            let last = try #require(result.out.last.flatMap(parsed))
            #expect(last["event"] as? String == "error")
            #expect(last["code"] as? Int == code)
            #expect((last["message"] as? String).map { ["player: \($0)"] } == result.errors)
        }
    }
}
