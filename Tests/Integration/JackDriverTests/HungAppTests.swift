import AudioRendering
import Foundation
import JackDriver
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

extension RealServers {
    /// An app that hangs: all its threads and the library's are suspended; only libjack still calls
    /// the render core.
    @Suite("A hung app", .serialized)
    struct HungAppTests {
        private static let rate = 48_000
        private static let period = 256
        private static let fade = rate * 5 / 1000

        @Test("INT-1: a call silences a hung app within one period and the fade; after the call the app can play again")
        func hung() throws {
            let stage = try ServiceEnvironment(trusting: [BuiltProgram.own])
            let server = try JackServer(ServerName(), sampleRate: Self.rate, periodFrames: Self.period)
            let file = stage.directory.file("tone.wav")
            // Never 0 itself: a frame of 0 means silence.
            try SoundFile.write([Signal.counting(frames: Self.rate * 60)], sampleRate: Self.rate, to: file)
            let app = try FrozenProgram(
                "player", ["--server", server.name, "--ui", "none", file], environment: stage.environment)
            let recorder = try Recorder(server)
            try recorder.connect("player:out_1")
            #expect(recorder.wait { $0 != 0 } != nil, "it plays")
            let arbiter = try ArbiterConnection(try ArbiterAddress(path: stage.socket))
            defer { arbiter.close() }

            #expect(try app.notify("freeze").hasPrefix("frozen"))
            let before = recorder.engine.currentFrame
            let call = try #require(
                try arbiter.request(.beginSystemSession(rank: .call, isRinging: true, isKept: false)).session)
            let after = recorder.engine.currentFrame
            let faded = try #require(recorder.wait { $0 == 0 })
            // The clock counts in periods, and the cycle in progress is heard one period later.
            #expect(faded <= after + UInt64(2 * Self.period + Self.fade), "\(before), \(after): silent at \(faded)")
            #expect(faded >= before)

            _ = try arbiter.request(.submit(.endSystemSession(call, shouldResume: true)))
            #expect(try app.notify("thaw").hasPrefix("thawed"))
            #expect(
                recorder.wait { $0 != 0 } != nil, "its own threads have been notified of the end and continue playback")
            #expect(app.end() == 0)
        }
    }
}

/// A program whose threads the test can suspend from outside.
private final class FrozenProgram: Sendable {
    private let process: ChildProcess
    private let commands: Int32

    init(_ program: String, _ arguments: [String], environment: [String: String]) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw TestFailure("Cannot create a socket pair.")
        }
        defer { close(ends[1]) }
        commands = ends[0]
        process = try ChildProcess(
            try BuiltProgram.path("hang-helper"), ["101", try BuiltProgram.path(program)] + arguments,
            environment: environment, inheriting: ends[1])
    }

    deinit { close(commands) }

    /// Sends a command and returns the reply.
    func notify(_ command: String) throws -> String {
        let line = command + "\n"
        guard write(commands, line, line.utf8.count) == line.utf8.count else {
            throw TestFailure("The hang-helper has ended.")
        }
        var answer = [UInt8](repeating: 0, count: 64)
        let count = read(commands, &answer, answer.count)
        return String(decoding: answer.prefix(max(0, count)), as: UTF8.self)
    }

    /// Ends the program in order. Returns nil if it does not end.
    func end() -> Int32? {
        shutdown(commands, Int32(SHUT_RDWR))
        return process.waitForEnd(seconds: 20) ? process.reap() : nil
    }
}

/// A JACK client that records another client's port.
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
        // The player's port may appear only after a moment.
        let found = try (0..<200).contains { _ in
            _ = try player.waitForFrames(2_400)
            return try ChildProcess.run("jack_lsp", [], environment: server.environment).output.contains(port + "\n")
        }
        guard found else { throw TestFailure("Port '\(port)' does not exist.") }
        let linked = try ChildProcess.run("jack_connect", [port, "recorder:in_1"], environment: server.environment)
        guard linked.status == 0 else { throw TestFailure("jack_connect: \(linked.output)") }
    }

    /// Returns the time of the first wanted frame among the frames that arrive next, or nil if none
    /// arrives within ten seconds.
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
