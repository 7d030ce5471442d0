package import Foundation
internal import Processes

/// The server that the measurement runs on.
package enum ServerKind: String, CaseIterable, Codable, Sendable {
    /// jackd as it is usually started: clients run in the period after the one for which they were
    /// called.
    case jackd
    /// jackd -S: clients run within the same period.
    case jackdSync = "jackd-sync"
    /// PipeWire through its own libjack.
    case pipewire

    package var isSync: Bool { self != .jackd }

    /// The number of input ports that its device offers, in addition to two output ports.
    package var inputs: Int { self == .pipewire ? 0 : 2 }

    /// Returns the installed kinds with this name, or all of them for `all`; nil if there is no
    /// such kind. Without PipeWire's libjack, only the two of jackd.
    package static func installed(_ name: String) -> [ServerKind]? {
        if let kind = ServerKind(rawValue: name) { return [kind] }
        guard name == "all" else { return nil }
        if PipeWire.library != nil { return allCases }
        return [.jackd, .jackdSync]
    }
}

/// A server that the benchmark starts, with a dummy device and a name that no other server has at
/// the same time.
package final class Server {
    package let kind: ServerKind
    package let period: Int
    private let context: ServerContext
    private let options: [String]
    private var process: pid_t = 0

    package static let sampleRate = 48_000

    /// Starts the server; it serves on return. `options` are jackd's own, such as `["-L", "2"]`;
    /// PipeWire has none.
    package init(_ kind: ServerKind, period: Int, in context: ServerContext, options: [String] = []) throws {
        (self.kind, self.period, self.context, self.options) = (kind, period, context, options)
        try start()
    }

    deinit { if process != 0 { end(by: SIGTERM) } }

    package var name: String { context.name }
    /// The process whose processor time counts as the server's.
    package var processIdentifier: pid_t { process }

    /// Starts the server again. Returns when it was ready, in nanoseconds.
    @discardableResult
    package func start() throws -> UInt64 {
        switch kind {
        case .jackd, .jackdSync:
            let readiness = try Readiness(folder: context.folder)
            let mode = kind.isSync ? ["-S"] : []
            process = try Spawn.process(
                "jackd",
                ["-n", name] + mode + options + ["-d", "dummy", "-r", "\(Self.sampleRate)", "-p", "\(period)"],
                environment: ["NOTIFY_SOCKET": readiness.path, "JACK_NO_AUDIO_RESERVATION": "1"], output: false)
            guard readiness.wait(seconds: 20) else {
                end(by: SIGKILL)
                throw BenchmarkError("jackd -n \(name) did not become ready within 20 s.")
            }
            return now()
        case .pipewire:
            process = try Spawn.process(
                "pipewire", ["-c", try PipeWire.configure(name: name, period: period, in: context.folder)],
                environment: context.environment, output: false)
            try context.awaitServer()
            return now()
        }
    }

    /// Ends the server and waits for its end. Returns when the signal was sent.
    @discardableResult
    package func end(by signal: Int32) -> UInt64 {
        let time = now()
        kill(process, signal)
        while waitpid(process, nil, 0) == -1, errno == EINTR { continue }
        process = 0
        return time
    }
}

/// The environment of servers of one kind: their name, a folder, and the variables that a process
/// needs to connect to them.
package final class ServerContext {
    package let name = "audio-benchmark"
    package let folder: String
    package let environment: [String: String]
    private let lock: Int32
    /// A client that finds out when PipeWire is ready, since PipeWire does not report it.
    private var readinessProbe: Performer?

    /// Waits while another benchmark of the user is running.
    ///
    /// A program that creates one must answer `--part bare` with `BareClient.perform`.
    package init(_ kind: ServerKind, service: String = "") throws {
        let path = "/tmp/audio-benchmark-\(getuid()).lock"
        lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            throw BenchmarkError("Cannot open '\(path)': \(String(cString: strerror(errno))).")
        }
        while flock(lock, LOCK_EX) != 0, errno == EINTR { continue }
        folder = "/dev/shm/audio-benchmark-\(getpid())"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        ShutdownSignal.register(folder: folder)
        var environment = ["JACK_NO_AUDIO_RESERVATION": "1"]
        if !service.isEmpty { environment["AUDIOSESSION_SOCKET"] = service }
        if kind == .pipewire {
            guard let library = PipeWire.library else { throw BenchmarkError("PipeWire's libjack is not installed.") }
            let others = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"].map { ":" + $0 } ?? ""
            environment.merge(
                [
                    "LD_LIBRARY_PATH": library + others, "PIPEWIRE_RUNTIME_DIR": folder, "XDG_RUNTIME_DIR": folder,
                    "PIPEWIRE_REMOTE": name,
                ]
            ) { $1 }
        }
        self.environment = environment
        readinessProbe = kind == .pipewire ? try Performer(BareClient.part, environment) : nil
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
        close(lock)
    }

    func awaitServer() throws { try readinessProbe?.ask("reach", name, "\(ServerKind.pipewire.inputs)") }
}

/// The socket at which a server reports READY=1, as it would to systemd.
private final class Readiness {
    let path: String
    private let socket: Int32

    init(folder: String) throws {
        path = folder + "/ready"
        unlink(path)
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw BenchmarkError("Cannot bind the socket '\(path)'.") }
    }

    deinit { close(socket) }

    /// Returns whether the server reported that it is ready in time.
    func wait(seconds: Int32) -> Bool {
        var watched = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while poll(&watched, 1, seconds * 1_000) == -1, errno == EINTR { continue }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = watched.revents == 0 ? 0 : recv(socket, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).contains("READY=1")
    }
}
