public import Foundation

/// An isolated user for arbitration: private folders for the arbiter service, its settings and its
/// state.
public final class ServiceEnvironment: Sendable {
    public let directory: TemporaryDirectory
    /// The environment for programs that share one arbiter.
    public let environment: [String: String]
    public let socket: String

    /// Programs named in `trusting` may act for the system.
    public init(trusting programs: [String] = []) throws {
        directory = try TemporaryDirectory()
        let runtime = directory.file("run")
        for folder in [runtime + "/audiosession", directory.file("config/audiosession")] {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        let names = programs.map { "\"\($0)\"" }.joined(separator: ", ")
        try "programs: {trusted: [\(names)]}\n".write(
            toFile: directory.file("config/audiosession/audiosession.yaml"), atomically: true, encoding: .utf8)
        socket = runtime + "/audiosession/arbiter.socket"
        environment = [
            "XDG_RUNTIME_DIR": runtime, "XDG_CONFIG_HOME": directory.file("config"),
            "XDG_STATE_HOME": directory.file("state"), "AUDIOSESSION_ARBITER": "service", "AUDIOSESSION_SOCKET": socket,
        ]
    }

    deinit {
        for service in services { kill(service, SIGTERM) }
        for service in services { try? OtherProcess.waitForEnd(of: service, seconds: 10) }
    }

    /// The services that run in this environment: one, or none before a program needs it.
    public var services: [pid_t] { OtherProcess.find(program: "audiosessiond", arguments: ["--socket", socket]) }

    /// Starts the service unless one is running, by a command that needs it.
    public func startService() throws { try audiosession("log") }

    /// Kills the service, as a crash would end it, and waits for its end.
    public func killService() throws {
        let running = services
        guard !running.isEmpty else { throw TestFailure("No audiosessiond is running in this environment.") }
        for service in running {
            kill(service, SIGKILL)
            try OtherProcess.waitForEnd(of: service)
        }
    }

    /// Runs the `audiosession` command to its end.
    @discardableResult
    public func audiosession(_ arguments: String...) throws -> (status: Int32, output: String) {
        try ChildProcess.run(try BuiltProgram.path("audiosession"), arguments, environment: environment)
    }
}
