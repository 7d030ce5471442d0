import Foundation
import TestSupport
import Testing

/// Runs Examples/Protocol/session.py, several instances of it, with a real service. It participates
/// with no knowledge other than the protocol.
@Suite struct ProtocolClientTests {
    private let service: ProtocolService

    init() throws { service = try ProtocolService() }

    @Test("ACT-2, ACT-8, INT-3: a second client interrupts the first, which resumes when the second has left")
    func interruption() throws {
        let first = try service.client([])
        #expect(first.shows("gate: 0 dB down") && first.shows("notice: activated"))
        let second = try service.client(["playback"])
        #expect(second.shows("gate: 0 dB down"))
        #expect(first.shows("gate: paused") && first.shows("notice: interruptionBegan"))
        #expect(second.ends(by: SIGINT) == 0)
        #expect(first.shows("notice: interruptionEnded") && first.shows("gate: 0 dB down"))
        #expect(first.ends(by: SIGTERM) == 0)
    }

    @Test("DUCK-1, DUCK-3, ACT-12: a client is ducked by 14 dB until the ducking client is gone, even if killed")
    func duck() throws {
        let music = try service.client([])
        #expect(music.shows("gate: 0 dB down"))
        let prompt = try service.client(["ambient", "duckOthers"])
        #expect(music.shows("gate: 14 dB down"))
        #expect(prompt.ends(by: SIGKILL) == 128 + SIGKILL)
        #expect(music.shows("gate: 0 dB down"))
    }

    @Test("OPT-3: a refused request ends the client with the arbiter's message")
    func refusal() throws {
        let confused = try service.client(["record", "duckOthers"])
        #expect(confused.shows("session.py: Option duckOthers cannot be used with category record"))
        #expect(confused.ends(by: nil) == 1)
    }
}

/// An `audiosessiond` process in a runtime folder of its own.
private final class ProtocolService {
    private let folder: TemporaryDirectory
    private let process: ChildProcess
    private let environment: [String: String]

    init() throws {
        folder = try TemporaryDirectory()
        environment = [
            "XDG_RUNTIME_DIR": folder.file(""), "XDG_CONFIG_HOME": folder.file("none"), "AUDIOSESSION_SOCKET": "",
        ]
        let program = try BuiltProgram.path("audiosessiond")
        let ready = try LineSink()
        process = try ChildProcess(
            program, ["--foreground", "--ready-fd", "101"], environment: environment, inheriting: ready.writing)
        guard ready.waits(for: "ready") else { throw TestFailure("'\(program)' does not serve: \(process.output)") }
    }

    deinit { process.send(SIGTERM) }

    func client(_ arguments: [String]) throws -> ProtocolClient {
        try ProtocolClient(arguments, environment: environment)
    }
}

/// A run of the example.
private final class ProtocolClient {
    private let process: ChildProcess
    private let lines: LineSink

    init(_ arguments: [String], environment: [String: String]) throws {
        lines = try LineSink()
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        process = try ChildProcess(
            "python3", [root.appending(path: "Examples/Protocol/session.py").path] + arguments,
            environment: environment,
            printingTo: (lines.writing, lines.writing))
    }

    /// Waits for a line with this beginning, after the line of the last call. Returns whether it
    /// appears.
    func shows(_ beginning: String) -> Bool { lines.waits(for: beginning) }

    /// Returns the exit status; nil if the program keeps running.
    func ends(by signal: Int32?) -> Int32? {
        if let signal { process.send(signal) }
        return process.waitForEnd(seconds: 20) ? process.reap() : nil
    }
}
