public import Foundation

/// A private folder in which `audiosessiond` starts on demand. Services in it end with the test.
public final class ServiceFolder: Sendable {
    private let folder: TemporaryDirectory

    /// Throws if the service was not built with these tests.
    public init() throws {
        folder = try TemporaryDirectory()
        _ = try BuiltProgram.path("audiosessiond")
    }

    deinit { for process in processes { end(process, by: SIGKILL) } }

    /// The path at which the service listens.
    public var socket: String { folder.file("arbiter.socket") }

    /// The services that run in this folder: at most one, unless something is wrong.
    public var processes: [pid_t] { OtherProcess.find(program: "audiosessiond", arguments: [socket]) }

    public func send(_ signal: Int32) { for process in processes { kill(process, signal) } }

    /// Ends a process and returns when it has ended.
    private func end(_ process: pid_t, by signal: Int32) {
        kill(process, signal)
        try? OtherProcess.waitForEnd(of: process)
    }
}
