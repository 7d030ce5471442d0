import AudioSessionTypes
import Foundation
import TestSupport
import Testing

/// A server whose cycles wait for all clients, an arbiter, and a microphone with a coded signal,
/// for runs of the program `recorder`.
final class RecorderStage {
    static let rate = 48_000
    static let period = 1024
    let service: ServiceEnvironment
    let name: ServerName
    var server: JackServer
    let microphone: VirtualDevice
    let signal: CodedSignal
    var directory: TemporaryDirectory { service.directory }

    init(channels: Int = 2, rate: Int = RecorderStage.rate, length: Int = 1 << 18, folder: String? = nil) throws {
        service = try ServiceEnvironment()
        name = try ServerName()
        server = try JackServer(
            name, sampleRate: rate, periodFrames: Self.period, arguments: JackServer.synchronous)
        signal = CodedSignal(channels: channels, length: length)
        let source = service.directory.file("source.wav")
        try signal.write(to: source, sampleRate: rate)
        microphone = try VirtualDevice(
            "Mic", kind: .builtInMic, on: server.environment, outputs: 0, inputs: channels, sound: .file(source),
            comesBack: true)
    }

    deinit {
        microphone.kill()
        server.stop()
    }

    /// The path of the program, which is built with these tests.
    static var program: String {
        get throws { try BuiltProgram.path("recorder") }
    }

    func file(_ name: String) -> String { directory.file(name) }

    /// Starts a recorder that reports events as JSON.
    func start(_ arguments: [String], to name: String = "take.wav") throws -> PlayerRun {
        try PlayerRun(
            ["--server", server.name, "--events", "json"] + arguments + [file(name)],
            environment: service.environment, program: Self.program)
    }

    /// Starts a recorder, and waits until it has recorded for a second.
    func startRecording(_ arguments: String..., to name: String = "take.wav") throws -> PlayerRun {
        let run = try start(arguments, to: name)
        guard run.waitForLine("\"event\":\"position\"", count: 2) else {
            throw TestFailure("The recorder did not record: \(run.errorLines)")
        }
        return run
    }

    /// Runs a recorder to its end.
    func record(_ arguments: String..., to name: String = "take.wav") throws -> RecorderResult {
        try finish(start(arguments, to: name))
    }

    /// Waits for the end of a recorder. Expects that its events have the documented keys, and that
    /// their times do not decrease.
    func finish(_ run: PlayerRun, within seconds: Double = 60) throws -> RecorderResult {
        guard let status = run.exit(within: seconds) else {
            throw TestFailure("The recorder did not end within \(seconds) s.")
        }
        let events = try run.outLines.map { line in try #require(parsed(line), "\(line)") }
        for event in events { #expect(try hasRecorderKeys(event), "\(event)") }
        let times = events.compactMap { $0["time"] as? Double }
        #expect(times == times.sorted())
        return RecorderResult(status: status, events: events, errors: run.errorLines)
    }

    /// Expects that a file of a recording is one run of the signal after the fade of its beginning,
    /// but for xruns, and has that many frames.
    func expectComplete(
        _ path: String, of result: RecorderResult, frames: Int? = nil, rate: Int = RecorderStage.rate,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try signal.runs(in: path, gaps: result.xruns(in: path))
        if let frames { #expect(found.frames == frames, sourceLocation: sourceLocation) }
        let run = try #require(found.runs.last, "\(path) has no frame of the signal", sourceLocation: sourceLocation)
        #expect(run.begin <= CodedSignal.fade(rate), "\(found)", sourceLocation: sourceLocation)
        #expect(run.begin + run.frames == found.frames, "\(found)", sourceLocation: sourceLocation)
    }
}

/// A recorder that has ended.
struct RecorderResult {
    let status: Int32
    let events: [[String: Any]]
    let errors: [String]

    func all(_ name: String) -> [[String: Any]] { events.filter { $0["event"] as? String == name } }

    /// The number of frames of each file, as reported.
    var frames: [Int] { all("file").compactMap { $0["frames"] as? Int } }
    /// The frames that xruns have cost a file.
    func xruns(in path: String) -> [Range<Int>] {
        all("gap").compactMap { gap in
            guard gap["cause"] as? String == "xrun", gap["path"] as? String == path, let first = gap["frame"] as? Int,
                let frames = gap["frames"] as? Int
            else { return nil }
            return first..<(first + frames)
        }
    }
    /// Why the recording ended.
    var reason: String? { all("ended").last?["reason"] as? String }
}

/// Returns whether an event of the recorder has every key that the interface documents for its
/// kind. Throws for an unknown kind.
func hasRecorderKeys(_ event: [String: Any]) throws -> Bool {
    let keys: [String: Set<String>] = [
        "waiting": [], "started": ["path"], "paused": ["by"], "resumed": [], "position": ["path", "frame", "seconds"],
        "level": ["channels"], "gap": ["path", "frame", "frames", "cause"],
        "file": ["path", "frames", "sampleRate", "channels", "reason"],
        "ended": ["reason", "files", "frames", "seconds", "lostFrames"],
    ]
    guard let promised = keys[event["event"] as? String ?? ""] else { return try hasPromisedKeys(event) }
    return event["time"] is Double && promised.isSubset(of: event.keys)
}
