import AudioRendering
import Foundation
import JackDriver
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

extension RealServers {
    /// An app that hangs: all its threads and the library's stand still, and only libjack goes on calling the render core.
    @Suite("A hung app", .serialized)
    struct HungAppTests {
        private static let rate = 48_000
        private static let period = 256
        private static let fade = rate * 5 / 1000

        @Test("INT-1: a call silences a hung app within one period and the fade, and its end lets it sound again")
        func hung() throws {
            let stage = try ServiceEnvironment(trusting: [BuiltProgram.own])
            let name = try ServerName()
            let server = try JackServer(name, sampleRate: Self.rate, periodFrames: Self.period)
            let file = stage.directory.file("tone.wav")
            // Never 0 itself: a frame of 0 is silence.
            try SoundFile.write([Signal.counting(frames: Self.rate * 60)], sampleRate: Self.rate, to: file)
            let app = try FrozenProgram(
                "player", ["--server", server.name, "--ui", "none", file], environment: stage.environment)
            let recorder = try Recorder(server)
            try recorder.connect("player:out_1")
            #expect(recorder.wait { $0 != 0 } != nil, "it plays")
            let arbiter = try ArbiterConnection(try ArbiterAddress(path: stage.socket))
            defer { arbiter.close() }

            #expect(try app.tell("freeze").hasPrefix("frozen"))
            let before = recorder.engine.currentFrame
            let call = try #require(
                try arbiter.request(.beginSystemSession(rank: .call, isRinging: true, isKept: false)).session)
            let after = recorder.engine.currentFrame
            let faded = try #require(recorder.wait { $0 == 0 })
            // The clock counts in periods, and the cycle that was under way is heard one later.
            #expect(faded <= after + UInt64(2 * Self.period + Self.fade), "\(before), \(after): silent at \(faded)")
            #expect(faded >= before)

            _ = try arbiter.request(.submit(.endSystemSession(call, shouldResume: true)))
            #expect(try app.tell("thaw").hasPrefix("thawed"))
            #expect(recorder.wait { $0 != 0 } != nil, "its own threads have heard of the end, and play on")
            #expect(app.end() == 0)
        }
    }
}

/// A program whose threads can be stopped from outside.
private final class FrozenProgram: Sendable {
    private let process: ChildProcess
    private let commands: Int32

    init(_ program: String, _ arguments: [String], environment: [String: String]) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw TestFailure("There is no socket pair to be had.")
        }
        defer { close(ends[1]) }
        commands = ends[0]
        process = try ChildProcess(
            try BuiltProgram.path("freezer"), ["101", try BuiltProgram.path(program)] + arguments,
            environment: environment, inheriting: ends[1])
    }

    deinit { close(commands) }

    /// Returns the answer.
    func tell(_ command: String) throws -> String {
        let line = command + "\n"
        guard write(commands, line, line.utf8.count) == line.utf8.count else {
            throw TestFailure("The freezer is gone.")
        }
        var answer = [UInt8](repeating: 0, count: 64)
        let count = read(commands, &answer, answer.count)
        return String(decoding: answer.prefix(max(0, count)), as: UTF8.self)
    }

    /// Ends it in order; nil when it does not end.
    func end() -> Int32? {
        shutdown(commands, Int32(SHUT_RDWR))
        return process.waitForEnd(seconds: 20) ? process.reap() : nil
    }
}

/// A JACK client that listens to another one's port.
private final class Recorder {
    let engine: AudioEngine
    private let player: JackPlayer
    private let input: EngineInput
    private let server: JackServer

    init(_ server: JackServer) throws {
        self.server = server
        player = try JackPlayer(
            JackDriver.Configuration(
                server: .named(server.name), clientName: "recorder", inputs: 1, recovery: .never))
        _ = try player.start()
        engine = player.engine
        input = try engine.makeInput(for: player.makeBus(inputGranted: true))
    }

    deinit { engine.close() }

    func connect(_ port: String) throws {
        // Whoever plays is there soon.
        let found = try (0..<200).contains { _ in
            _ = try player.waitForFrames(2_400)
            return try ChildProcess.run("jack_lsp", [], environment: server.environment).output.contains(port + "\n")
        }
        guard found else { throw TestFailure("There is no port '\(port)'.") }
        let linked = try ChildProcess.run("jack_connect", [port, "recorder:in_1"], environment: server.environment)
        guard linked.status == 0 else { throw TestFailure("jack_connect: \(linked.output)") }
    }

    /// When the first of the next frames came that is as wanted, after those that are not; nil when none comes in ten seconds.
    func wait(for isWanted: (Float) -> Bool) -> UInt64? {
        for _ in 0..<100 {
            guard (try? player.waitForFrames(4_800)) == true else { return nil }
            while let block = input.read() {
                if let place = block.samples.firstIndex(where: isWanted) { return block.time + UInt64(place) }
            }
        }
        return nil
    }
}
