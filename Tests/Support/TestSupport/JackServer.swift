import Foundation

/// A server for one test, of the kind that `TestServer.current` selects, without a sound card.
public final class JackServer: Sendable {
    public let name: String
    private let process: ChildProcess
    private let folder: TemporaryDirectory

    /// The option of a jackd that waits for its clients (`arguments`). Without it, a client that is
    /// late by a period misses that period, or processes it twice: a test that compares what one
    /// client receives from another needs it.
    public static let synchronous = ["-S"]

    /// Starts the server; clients can connect on return. `arguments` are jackd's own options, which
    /// precede those of its driver.
    public init(_ name: ServerName, sampleRate: Int = 48_000, periodFrames: Int = 256, arguments: [String] = []) throws
    {
        self.name = name.text
        folder = try TemporaryDirectory()
        if TestServer.current == .pipewire {
            process = try PipeWireServer.start(
                name: name.text, sampleRate: sampleRate, periodFrames: periodFrames, folder: folder, holding: name.lock)
        } else {
            let mode = TestServer.current == .jackdSync ? ["-S"] : []
            process = try Self.startJackd(
                name, mode + arguments, ["-d", "dummy", "-r", "\(sampleRate)", "-p", "\(periodFrames)"])
        }
    }

    /// Starts a jackd with another driver: `-d` and the given arguments. Not for PipeWire.
    public init(_ name: ServerName, driver: [String]) throws {
        self.name = name.text
        folder = try TemporaryDirectory()
        process = try Self.startJackd(name, TestServer.current == .jackdSync ? ["-S"] : [], ["-d"] + driver)
    }

    /// Starts jackd. In isolation it is started once more if it hangs: a program that was killed
    /// inside libjack's metadata database leaves that locked (Documentation/Servers.md). All other
    /// programs that use the database then belong to the test.
    private static func startJackd(_ name: ServerName, _ arguments: [String], _ driver: [String]) throws -> ChildProcess
    {
        do {
            return try startJackdOnce(name, arguments, driver)
        } catch {
            guard ProcessInfo.processInfo.environment["AUDIO_TEST_ISOLATED"] == "1" else { throw error }
            print("JackServer: \(error) Removing JACK's metadata database, and starting it again.")
            try? FileManager.default.removeItem(atPath: "/dev/shm/jack_db-\(getuid())")
            return try startJackdOnce(name, arguments, driver)
        }
    }

    /// Starts jackd and waits for its readiness message, which jackd sends as it would to systemd.
    private static func startJackdOnce(
        _ name: ServerName, _ arguments: [String], _ driver: [String]
    ) throws -> ChildProcess {
        let listener = try ReadinessListener()
        let process = try ChildProcess(
            "jackd", ["-n", name.text] + arguments + driver,
            environment: ["NOTIFY_SOCKET": listener.path, "JACK_NO_AUDIO_RESERVATION": "1"], inheriting: name.lock)
        guard listener.wait(orEndOf: process, seconds: 20) else {
            process.send(SIGKILL)
            process.reap()
            throw TestFailure("jackd -n \(name.text) did not become ready. Its output: \(process.output)")
        }
        return process
    }

    /// The environment that other programs need to connect to the server.
    public var environment: [String: String] {
        TestServer.current == .pipewire
            ? PipeWireServer.environment(name: name) : ["JACK_DEFAULT_SERVER": name, "JACK_NO_START_SERVER": "1"]
    }

    deinit { stop() }

    /// Shuts the server down and waits for its end.
    public func stop() { end(by: SIGTERM) }

    /// Kills the server and waits for its end.
    public func kill() { end(by: SIGKILL) }

    private func end(by signal: Int32) {
        process.send(SIGCONT)
        process.send(signal)
        if !process.waitForEnd(seconds: 10) { process.send(SIGKILL) }
        process.reap()
    }

    /// Suspends the server process with SIGSTOP: it stays alive but does not respond.
    public func freeze() { process.send(SIGSTOP) }

    /// Resumes the server process.
    public func thaw() { process.send(SIGCONT) }
}

/// The reason why a test cannot continue.
public struct TestFailure: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}

/// The socket at which a service reports READY=1.
private final class ReadinessListener {
    let path: String
    private let directory: TemporaryDirectory
    private let socket: Int32

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("n")
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < capacity else { throw TestFailure("'\(path)' is too long for a socket path.") }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw TestFailure("Cannot bind the socket '\(path)'.") }
    }

    deinit { close(socket) }

    /// Returns whether the service reported that it is ready before it ended or the time was over.
    func wait(orEndOf process: ChildProcess, seconds: Double) -> Bool {
        var watched = [
            pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
            pollfd(fd: process.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&watched, 2, Int32(seconds * 1000)) == -1, errno == EINTR { continue }
        guard watched[0].revents != 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = recv(socket, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).contains("READY=1")
    }
}
