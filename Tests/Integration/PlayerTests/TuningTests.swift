import Foundation
import TestSupport
import Testing

/// `player --io-buffer auto` on a real jackd.
@Suite("player: --io-buffer auto", .serialized)
struct TuningTests {
    /// An isolated environment: requests of other apps have no effect here.
    let stage: ServiceEnvironment
    let server: JackServer

    init() throws {
        stage = try ServiceEnvironment()
        server = try JackServer(ServerName(), periodFrames: 4_096)
    }

    private func period() throws -> Int? {
        try ChildProcess.run("jack_bufsize", [], environment: server.environment).output
            .split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.last
    }

    @Test(
        "HW-1, HW-2, HW-5: the buffer size decreases during playback without a lost frame; at the end the server's original one is restored"
    )
    func auto() throws {
        let source = Signal.counting(frames: 48_000 * 120)
        let file = stage.directory.file("count.wav")
        try SoundFile.write([source, source], sampleRate: 48_000, to: file)
        let run = try PlayerRun(
            [
                "--server", server.name, "--io-buffer", "auto", "--events", "json", "--capture",
                stage.directory.file("heard.wav"), file,
            ], environment: stage.environment)
        // Two halvings in a row, from a buffer size with which this machine has no xruns.
        #expect(run.waitForLine("\"periodFrames\":2048", within: 60))
        #expect(run.waitForLine("\"periodFrames\":1024", within: 60))
        run.send(SIGINT)
        #expect(run.exit() == 0)
        #expect(run.errorLines.isEmpty)
        #expect(try period() == 4_096)
        let events = run.outLines.compactMap(parsed)
        #expect(try events.allSatisfy(hasPromisedKeys))
        let hardware = events.filter { $0["event"] as? String == "hardware" }
        #expect(hardware.first?["preferredIOBufferDuration"] as? Double == 0)
        let first = try #require(hardware.first { $0["periodFrames"] as? Int == 2_048 })
        #expect(first["ioBufferDuration"] as? Double == 2_048.0 / 48_000)
        #expect((first["time"] as? Double ?? 0) >= 5, "not before five seconds without an xrun")
        let heard = try SoundFile.read(stage.directory.file("heard.wav")).planes[0]
        let begin = try #require(heard.firstIndex { $0 != 0 })
        let played = heard[begin...].prefix { $0 != 0 }
        #expect(played.count > 48_000 * 9)
        #expect(Signal.firstDifference(played, source.prefix(played.count)) == nil)
    }

    @Test("HW-2: a buffer duration in seconds is restored at the end, too")
    func seconds() throws {
        let file = stage.directory.file("short.wav")
        try SoundFile.write([Signal.counting(frames: 9_600)], sampleRate: 48_000, to: file)
        let result = try PlayerRun.run(
            [
                "--server", server.name, "--io-buffer", "0.005", "--events", "json", file,
            ], environment: stage.environment)
        #expect(result.status == 0 && result.out.contains { $0.contains("\"periodFrames\":240") }, "\(result.out)")
        #expect(try period() == 4_096)
    }
}
