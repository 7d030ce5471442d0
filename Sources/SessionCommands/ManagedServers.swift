internal import AudioRendering
internal import Foundation
public import JackDriver

/// `audiosession server`: the JACK server that apps share if no other server is running.
public struct ManagedServers {
    /// The options of a server. A nil option keeps, at a restart, the value with which the running
    /// server was started, and otherwise has its default value.
    public struct Options: Sendable {
        public var device: ManagedServer.Device?
        public var sampleRate: Int?
        public var periodFrames: Int?

        public init(device: ManagedServer.Device? = nil, sampleRate: Int? = nil, periodFrames: Int? = nil) {
            self.device = device
            self.sampleRate = sampleRate
            self.periodFrames = periodFrames
        }

        var isEmpty: Bool { device == nil && sampleRate == nil && periodFrames == nil }
    }

    /// The time limit for a server to report its properties.
    private static let replyTimeoutSeconds = 2.0
    /// The time limit for a server to exit.
    private static let stopTimeoutSeconds = 10.0
    private let name: String

    /// Creates the commands for the server of that name: 1 to 31 letters, digits, `-`, `_` or `.`.
    public init(name: String) throws(CommandError) {
        let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
        guard (1...31).contains(name.utf8.count), name.allSatisfy(letters.contains) else {
            throw CommandError(
                .usage, "Invalid server name '\(name)'; use 1 to 31 letters, digits, '-', '_' or '.'.")
        }
        self.name = name
    }

    /// Returns the state of the server.
    public func status() throws(CommandError) -> ServerResult { ServerResult(look(), process: process) }

    /// Starts the server unless it is running. It runs until it is stopped. Throws a usage error if
    /// it is running and options are requested.
    public func start(_ requests: Options) throws(CommandError) -> ServerResult {
        let current = look()
        guard !current.reachable else {
            guard requests.isEmpty else {
                throw CommandError(
                    .usage,
                    "Server '\(name)' is already running (\(current.summary)); `audiosession server restart` changes it."
                )
            }
            return ServerResult(current, process: process, preface: "Already running. ")
        }
        do throws(DriverError) {
            let facts = try server(requests).start()
            return ServerResult(ServerView(name: name, facts), process: process, preface: "Started. ")
        } catch {
            throw CommandError(error)
        }
    }

    /// Ends the server and waits until it has exited. Throws if it is not running, is not a managed
    /// server of this user, or does not exit within 10 s.
    public func stop() throws(CommandError) -> ChangeResult {
        let processes = ProgramProcess.servers(name)
        defer { processes.forEach { close($0.descriptor) } }
        guard let server = ProgramProcess.server(among: processes) else {
            guard look().reachable else {
                throw CommandError(.usage, "Server '\(name)' is not running.")
            }
            throw CommandError(
                .noPermission,
                "Server '\(name)' is running, but is not a managed server of this user; stop it as it was started.")
        }
        // A process that detached the server exits after it.
        server.terminate()
        for process in processes where !process.waitForEnd(seconds: Self.stopTimeoutSeconds) {
            throw CommandError(
                .tryAgain,
                """
                Server '\(name)' did not exit within \(Int(Self.stopTimeoutSeconds)) s; \
                end it with `kill -KILL \(server.process)`.
                """)
        }
        return ChangeResult("server stop", "Server '\(name)' (pid \(server.process)) has stopped.")
    }

    /// Ends the server if it is running, and starts it. Options that are not requested keep the
    /// values with which the running server was started.
    public func restart(_ requests: Options) throws(CommandError) -> ServerResult {
        var requests = requests
        let processes = ProgramProcess.servers(name)
        if let server = ProgramProcess.server(among: processes) {
            requests.device = requests.device ?? server.option("--driver").flatMap(ManagedServer.Device.init(rawValue:))
            requests.sampleRate = requests.sampleRate ?? server.option("--rate").flatMap { Int($0) }
            requests.periodFrames = requests.periodFrames ?? server.option("--period").flatMap { Int($0) }
        }
        processes.forEach { close($0.descriptor) }
        if !processes.isEmpty { _ = try stop() }
        return try start(requests)
    }

    /// Looks for the default server and then for the managed one, as apps do. If neither is
    /// running, returns why the default one is unreachable.
    public static func look() -> ServerView {
        let standard = look(at: defaultName)
        // Apps use a default server that hangs, and fail; they do not look further.
        guard !standard.reachable, !standard.isHanging else { return standard }
        let server = look(at: ProgramProcess.managedServerName)
        return server.reachable ? server : standard
    }

    /// The default server's name according to `JACK_DEFAULT_SERVER`; nil if it is not set, or if
    /// the JACK library is PipeWire's, which would look for a PipeWire instance of that name.
    static var defaultName: String? {
        guard !JackDriver.libraryVersion.contains("PipeWire") else { return nil }
        return ProcessInfo.processInfo.environment["JACK_DEFAULT_SERVER"].flatMap { $0.isEmpty ? nil : $0 }
    }

    private func look() -> ServerView { Self.look(at: name) }

    /// Returns the properties of the server of that name (nil: the default one), or why it cannot
    /// be reached.
    private static func look(at name: String?) -> ServerView {
        do throws(DriverError) {
            return ServerView(name: name, try JackDriver.look(at: name, seconds: replyTimeoutSeconds))
        } catch {
            if case .timedOut = error {
                return ServerView(
                    name: name,
                    unreachable:
                        "JACK server '\(name ?? "default")' does not answer within \(Int(replyTimeoutSeconds)) s",
                    isHanging: true)
            }
            guard case .noServer = error else { return ServerView(name: name, unreachable: error.description) }
            return ServerView(
                name: name,
                unreachable: name.map { "JACK server '\($0)' is not running" } ?? "no JACK server is running")
        }
    }

    /// The process id of the server; nil if no managed server of this user has the name.
    private var process: Int32? {
        let processes = ProgramProcess.servers(name)
        defer { processes.forEach { close($0.descriptor) } }
        return ProgramProcess.server(among: processes)?.process
    }

    private func server(_ requests: Options) -> ManagedServer {
        // Without an idle exit, the server runs until a command stops it.
        var server = ManagedServer(name: name, idleExit: 0)
        if let device = requests.device { server.device = device }
        if let rate = requests.sampleRate { server.sampleRate = rate }
        if let period = requests.periodFrames { server.periodFrames = period }
        return server
    }
}

/// A server and its process.
public struct ServerResult: CommandResult, Equatable {
    private var server: ServerView
    /// The process id; nil if the server is not a managed server of this user.
    private var process: Int32?
    /// Text before the summary.
    private var preface = ""

    private enum CodingKeys: String, CodingKey { case process }

    init(_ server: ServerView, process: Int32?, preface: String = "") {
        self.server = server
        self.process = process
        self.preface = preface
    }

    public var text: String { Text.lines([preface + server.summary + (process.map { ", pid \($0)" } ?? "")]) }

    /// 69 if the server cannot be reached.
    public var exitStatus: Int32 { server.reachable ? 0 : CommandError.Status.unavailable.rawValue }

    /// Encodes the keys of the server, and its process id.
    public func encode(to encoder: any Encoder) throws {
        try server.encode(to: encoder)
        var keys = encoder.container(keyedBy: CodingKeys.self)
        try keys.encodeIfPresent(process, forKey: .process)
    }
}
