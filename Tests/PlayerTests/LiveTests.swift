import Foundation
import TestSupport
import Testing

/// The player on a real jackd, judged by what went to its output ports.
@Suite("player: live", .serialized)
struct LiveTests {
    static let rate = 48_000
    static let period = 256
    static let fade = rate * 5 / 1000
    let directory: TemporaryDirectory
    let name: ServerName
    let server: JackServer

    init() throws {
        directory = try TemporaryDirectory()
        name = try ServerName()
        server = try JackServer(name, sampleRate: Self.rate, periodFrames: Self.period)
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

    @Test("HW-3: 44.1 kHz stereo on a 48 kHz server: same duration, right pitch, no click, same level")
    func resampled() throws {
        let seconds = 4
        let sources = [1000.0, 3000.0].map { Signal.sine(frequency: $0, sampleRate: 44_100, frames: 44_100 * seconds) }
        let heard = try capture(sources, sampleRate: 44_100)
        for (plane, frequency) in zip(heard, [1000.0, 3000.0]) {
            let first = try #require(plane.firstIndex { abs($0) > 0.01 })
            let last = try #require(plane.lastIndex { abs($0) > 0.01 })
            #expect(abs(last - first + 1 - Self.rate * seconds) <= Self.period)
            let steady = Array(plane[(first + 4800)..<(last - 4800)])
            let measured = Signal.frequency(of: steady, near: frequency * 1.00001, sampleRate: Self.rate)
            #expect(Signal.cents(measured, frequency) <= 0.1)
            #expect(abs(Signal.decibels(Float(Signal.rms(steady) * 2.0.squareRoot() / 0.5))) <= 0.1)
            let ownStep = Float(2 * 0.5 * sin(.pi * frequency / Double(Self.rate)))
            #expect(Signal.largestStep(steady) <= ownStep * 1.01)
        }
    }

    @Test("INT-1, INT-8: a call in the middle: silent within a period and the fade, then the very next frame")
    func interruption() throws {
        let source = Signal.counting(frames: Self.rate * 4)
        let heard = try capture([source, source], sampleRate: Self.rate, ["--call-at", "1.5", "--call-for", "1"])[0]
        let begin = try #require(heard.firstIndex { $0 != 0 })
        let faded = try #require((begin..<heard.count).first { heard[$0] != source[$0 - begin] })
        let silent = try #require(heard[faded...].firstIndex { $0 == 0 })
        #expect(silent - faded <= Self.period + Self.fade)
        let resumed = try #require(heard[silent...].firstIndex { $0 != 0 })
        #expect(resumed - silent > Self.rate / 2)
        // The last frame of the fade is silent itself: the source has rendered the whole fade.
        let rendered = faded - begin + Self.fade
        let after = heard[(resumed + Self.fade)...].prefix(Self.rate)
        #expect(Signal.firstDifference(after, source[(rendered + Self.fade)...].prefix(Self.rate)) == nil)
    }

    @Test("DUCK-3, DUCK-5: a prompt ducks by 14 dB; afterwards every bit is the source's")
    func duck() throws {
        let source = Signal.sine(frequency: 997, sampleRate: Self.rate, frames: Self.rate * 5)
        // A silent prompt: what is heard is the music alone.
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

    @Test("Signals end it cleanly: status 0, the capture complete", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(number: Int32) throws {
        let source = Signal.counting(frames: Self.rate * 20)
        let file = directory.file("long.wav")
        try SoundFile.write([source], sampleRate: Self.rate, to: file)
        let run = try PlayerRun([
            "--server", server.name, "--events", "json", "--capture", directory.file("heard.wav"), file,
        ])
        #expect(run.waitForLine("\"event\":\"position\"", count: 2))
        run.send(number)
        #expect(run.exit(within: 10) == 0)
        #expect(run.errorLines.isEmpty)
        let heard = try SoundFile.read(directory.file("heard.wav")).planes[0].filter { $0 != 0 }
        #expect(heard.count > Self.rate / 2)
        #expect(Signal.firstDifference(heard, source.prefix(heard.count)) == nil)
    }

    @Test(
        "SRV-1, SRV-2: jackd killed ten times in a row: lost, back, going on; no thread and no descriptor is left over")
    func killedTenTimes() throws {
        let file = directory.file("long.wav")
        try SoundFile.write([Signal.counting(frames: Self.rate * 60)], sampleRate: Self.rate, to: file)
        let run = try PlayerRun(["--server", server.name, "--events", "json", file])
        #expect(run.waitForLine("\"event\":\"position\""))
        var (current, threads, descriptors) = (server, 0, 0)
        for round in 1...10 {
            current.kill()
            #expect(run.waitForLine("\"state\":\"lost\"", count: round))
            current = try JackServer(name, sampleRate: Self.rate, periodFrames: Self.period)
            #expect(run.waitForLine("\"state\":\"reset\"", count: round))
            let positions = run.outLines.filter { $0.contains("\"event\":\"position\"") }.count
            #expect(run.waitForLine("\"event\":\"position\"", count: positions + 1))
            if round == 2 { (threads, descriptors) = census(run.identifier) }
        }
        let after = census(run.identifier)
        // Dispatch lends threads as it sees fit: some more or fewer, but not one a round.
        #expect(after.threads <= threads + 4, "\(threads) threads became \(after.threads)")
        #expect(after.descriptors <= descriptors + 1, "\(descriptors) descriptors became \(after.descriptors)")
        let seconds = run.outLines.compactMap(parsed).filter { $0["event"] as? String == "position" }
            .compactMap { $0["seconds"] as? Double }
        #expect(zip(seconds, seconds.dropFirst()).allSatisfy { $0 < $1 + 0.001 }, "\(seconds)")
        run.send(SIGINT)
        #expect(run.exit(within: 10) == 0)
    }

    @Test("SRV-1: a server that stays away: lost at once, one clear sentence, and 69")
    func killedForGood() throws {
        let file = directory.file("long.wav")
        try SoundFile.write([Signal.counting(frames: Self.rate * 60)], sampleRate: Self.rate, to: file)
        let run = try PlayerRun(["--server", server.name, "--events", "json", file])
        #expect(run.waitForLine("\"event\":\"position\""))
        server.kill()
        #expect(run.waitForLine("\"state\":\"lost\"", within: 2))
        #expect(run.exit(within: 20) == 69)
        #expect(run.errorLines.count == 1 && run.errorLines[0].contains("did not come back"))
        #expect(run.outLines.last?.contains("\"event\":\"error\"") == true)
    }

    private func census(_ process: pid_t) -> (threads: Int, descriptors: Int) {
        func count(_ folder: String) -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/\(folder)").count) ?? 0
        }
        return (count("task"), count("fd"))
    }
}
