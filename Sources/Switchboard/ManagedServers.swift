internal import AudioRendering
internal import Foundation
public import JackDriver

/// `audiosession server`: the JACK server that apps share where nobody runs one.
public struct ManagedServers {
    /// What a server is to be; nil: as it was, else by default.
    public struct Wishes: Sendable {
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

    /// Seconds that a server has to end.
    private static let endLimit = 10.0
    private let name: String

    /// 1 to 31 letters, digits, `-`, `_` or `.`.
    public init(name: String) throws(SwitchboardError) {
        let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
        guard (1...31).contains(name.utf8.count), name.allSatisfy(letters.contains) else {
            throw SwitchboardError(
                .usage, "A server '\(name)' was asked for; its name has 1 to 31 letters, digits, '-', '_' or '.'.")
        }
        self.name = name
    }

    public func status() throws(SwitchboardError) -> ServerOutcome { ServerOutcome(look(), process: process) }

    /// Starts it, unless it runs. It stays until it is stopped.
    public func start(_ wishes: Wishes) throws(SwitchboardError) -> ServerOutcome {
        let before = look()
        guard !before.reachable else {
            guard wishes.isEmpty else {
                throw SwitchboardError(
                    .usage,
                    "Server '\(name)' runs already (\(before.summary)); `audiosession server restart` gives it other values."
                )
            }
            return ServerOutcome(before, process: process, what: "It runs already. ")
        }
        do throws(DriverError) {
            let facts = try server(wishes).start()
            return ServerOutcome(ServerView(name: name, facts), process: process, what: "Started. ")
        } catch {
            throw SwitchboardError(error)
        }
    }

    /// Ends it, and waits for that.
    public func stop() throws(SwitchboardError) -> Done {
        let processes = ProgramProcess.servers(name)
        defer { processes.forEach { close($0.descriptor) } }
        guard let server = ProgramProcess.server(among: processes) else {
            guard look().reachable else {
                throw SwitchboardError(.usage, "No server '\(name)' runs, so none can be stopped.")
            }
            throw SwitchboardError(
                .noPermission,
                "Server '\(name)' runs, but it is no managed server of this user's; end it the way it was started.")
        }
        server.terminate()
        for process in processes where !process.waitForEnd(seconds: Self.endLimit) {
            throw SwitchboardError(
                .tryAgain,
                """
                Server '\(name)' was asked to end and has not within \(Int(Self.endLimit)) s; \
                `kill -KILL \(server.process)` ends it at once.
                """)
        }
        return Done("server stop", "Server '\(name)' (pid \(server.process)) has ended.")
    }

    /// Ends it if it runs, and starts it with what is wished, else with what it had.
    public func restart(_ wishes: Wishes) throws(SwitchboardError) -> ServerOutcome {
        var wishes = wishes
        let processes = ProgramProcess.servers(name)
        if let server = ProgramProcess.server(among: processes) {
            wishes.device = wishes.device ?? server.option("--driver").flatMap(ManagedServer.Device.init(rawValue:))
            wishes.sampleRate = wishes.sampleRate ?? server.option("--rate").flatMap { Int($0) }
            wishes.periodFrames = wishes.periodFrames ?? server.option("--period").flatMap { Int($0) }
        }
        processes.forEach { close($0.descriptor) }
        if !processes.isEmpty { _ = try stop() }
        return try start(wishes)
    }

    /// By name; the default server and then the managed one, as apps look for one.
    public static func look() -> ServerView {
        let first = look(at: defaultName)
        let second = first.reachable ? first : look(at: ProgramProcess.defaultServer)
        return second.reachable ? second : first
    }

    /// The name that the environment gives the default server; nil: none. PipeWire takes a name for that of another PipeWire.
    static var defaultName: String? {
        guard !JackDriver.libraryVersion.contains("PipeWire") else { return nil }
        return ProcessInfo.processInfo.environment["JACK_DEFAULT_SERVER"].flatMap { $0.isEmpty ? nil : $0 }
    }

    private func look() -> ServerView { Self.look(at: name) }

    private static func look(at name: String?) -> ServerView {
        do throws(DriverError) {
            return ServerView(name: name, try JackDriver.look(at: name))
        } catch {
            guard case .noServer = error else { return ServerView(name: name, unreachable: error.description) }
            return ServerView(
                name: name, unreachable: name.map { "no JACK server '\($0)' runs" } ?? "no JACK server runs")
        }
    }

    private var process: Int32? {
        let processes = ProgramProcess.servers(name)
        defer { processes.forEach { close($0.descriptor) } }
        return ProgramProcess.server(among: processes)?.process
    }

    private func server(_ wishes: Wishes) -> ManagedServer {
        // Whoever starts one by hand ends it by hand.
        var server = ManagedServer(name: name, idleExit: 0)
        if let device = wishes.device { server.device = device }
        if let rate = wishes.sampleRate { server.sampleRate = rate }
        if let period = wishes.periodFrames { server.periodFrames = period }
        return server
    }
}

/// A server, and the process that is it.
public struct ServerOutcome: Outcome, Equatable {
    private var server: ServerView
    /// nil: not a managed one of this user's.
    private var process: Int32?
    private var what = ""

    private enum CodingKeys: String, CodingKey { case process }

    init(_ server: ServerView, process: Int32?, what: String = "") {
        self.server = server
        self.process = process
        self.what = what
    }

    public var words: String { what + server.summary + (process.map { ", pid \($0)" } ?? "") }

    /// 69 when it cannot be reached.
    public var exitStatus: Int32 { server.reachable ? 0 : SwitchboardError.Status.unavailable.rawValue }

    /// The keys of the server, and its process.
    public func encode(to encoder: any Encoder) throws {
        try server.encode(to: encoder)
        var keys = encoder.container(keyedBy: CodingKeys.self)
        try keys.encodeIfPresent(process, forKey: .process)
    }
}
