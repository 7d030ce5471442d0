import Foundation
import SessionArbiter
import TestSupport

/// The programs that were built with these tests, in a runtime folder of their own.
final class AudiosessionRun: Sendable {
    let folder: TemporaryDirectory

    /// Additional environment variables.
    private let more: [String: String]

    /// `more` may name a server; by default there is none.
    init(_ more: [String: String] = ["JACK_DEFAULT_SERVER": "audio-test-none"]) throws {
        self.more = more
        folder = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: folder.file("run"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    /// Terminates the arbiter that the commands started.
    deinit {
        guard let arbiter = try? arbiter else { return }
        _ = kill(arbiter, SIGTERM)
        try? OtherProcess.waitForEnd(of: arbiter)
    }

    /// The pid of the arbiter; nil when none is running.
    var arbiter: pid_t? {
        get throws {
            let arbiter = try object("status")["arbiter"] as? [String: Any]
            return (arbiter?["process"] as? Int).map(pid_t.init)
        }
    }

    /// The path of the arbiter's socket.
    var socket: String { folder.file("run/audiosession/arbiter.socket") }

    var environment: [String: String] {
        [
            "XDG_RUNTIME_DIR": folder.file("run"), "XDG_CONFIG_HOME": folder.file("config"),
            "XDG_STATE_HOME": folder.file("state"), "AUDIOSESSION_SOCKET": "", "AUDIOSESSIOND": "",
            "AUDIOSESSION_DEVICE": "", "JACK_NO_START_SERVER": "1",
        ].merging(more) { $1 }
    }

    /// Runs `audiosession` with the space-separated arguments of a line.
    func callAsFunction(_ line: String) throws -> (status: Int32, output: String) {
        try ChildProcess.run(
            try BuiltProgram.path("audiosession"), line.split(separator: " ").map(String.init), environment: environment
        )
    }

    /// Runs `audiosession` with these arguments to its end.
    func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        try ChildProcess.run(try BuiltProgram.path("audiosession"), arguments, environment: environment)
    }

    /// Starts `audiosession` with these arguments. Its output goes to `sink`.
    func start(_ arguments: [String], printingTo sink: LineSink) throws -> ChildProcess {
        try ChildProcess(
            try BuiltProgram.path("audiosession"), arguments, environment: environment,
            printingTo: (sink.writing, sink.writing))
    }

    /// Runs `audiosession` with --json, which must succeed. Returns the decoded object.
    func object(_ line: String) throws -> [String: Any] {
        let (status, output) = try self(line + " --json")
        guard status == 0, let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
        else {
            throw TestFailure("audiosession \(line) --json ended with \(status): \(output)")
        }
        return object
    }
}
