public import Foundation

/// A folder of a test's own in which `audiosessiond` is started when it is needed; what runs there ends with the test.
public final class ServiceFolder: Sendable {
    private let folder: TemporaryDirectory

    /// Throws when the service was not built beside these tests.
    public init() throws {
        folder = try TemporaryDirectory()
        _ = try BuiltProgram.path("audiosessiond")
    }

    deinit { for process in processes { end(process, by: SIGKILL) } }

    /// Where the service listens.
    public var socket: String { folder.file("arbiter.socket") }

    /// The services that run here; one at most, unless something is wrong.
    public var processes: [pid_t] { OtherProcess.find(program: "audiosessiond", arguments: [socket]) }

    public func send(_ signal: Int32) { for process in processes { kill(process, signal) } }

    /// Ends a process, and returns when it is gone.
    private func end(_ process: pid_t, by signal: Int32) {
        kill(process, signal)
        try? OtherProcess.waitForEnd(of: process)
    }
}
