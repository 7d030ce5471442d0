import Foundation

/// A server of the test's own, of the kind that `TestServer.current` says, without a sound card.
public final class JackServer: Sendable {
    public let name: String
    private let process: ChildProcess
    private let folder: TemporaryDirectory

    /// Starts it; clients can connect on return. `arguments` are a jackd's own, before those of its driver.
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

    /// A jackd on a driver of its own choice, `-d` and what follows; not for PipeWire.
    public init(_ name: ServerName, driver: [String]) throws {
        self.name = name.text
        folder = try TemporaryDirectory()
        process = try Self.startJackd(name, TestServer.current == .jackdSync ? ["-S"] : [], ["-d"] + driver)
    }

    /// jackd tells when it is ready, as it would tell systemd.
    private static func startJackd(_ name: ServerName, _ arguments: [String], _ driver: [String]) throws -> ChildProcess
    {
        let listener = try ReadinessListener()
        let process = try ChildProcess(
            "jackd", ["-n", name.text] + arguments + driver,
            environment: ["NOTIFY_SOCKET": listener.path, "JACK_NO_AUDIO_RESERVATION": "1"], inheriting: name.lock)
        guard listener.wait(orEndOf: process, seconds: 20) else {
            process.send(SIGKILL)
            process.reap()
            throw TestFailure("jackd -n \(name.text) did not become ready. It said: \(process.output)")
        }
        return process
    }

    /// What the environment of other programs must hold to reach it.
    public var environment: [String: String] {
        TestServer.current == .pipewire
            ? PipeWireServer.environment(name: name) : ["JACK_DEFAULT_SERVER": name, "JACK_NO_START_SERVER": "1"]
    }

    deinit { stop() }

    /// Ends it in order, and waits for that.
    public func stop() { end(by: SIGTERM) }

    /// Ends it at once, and waits for that.
    public func kill() { end(by: SIGKILL) }

    private func end(by signal: Int32) {
        process.send(SIGCONT)
        process.send(signal)
        if !process.waitForEnd(seconds: 10) { process.send(SIGKILL) }
        process.reap()
    }

    /// Stops the process where it stands: it lives, and answers nobody.
    public func freeze() { process.send(SIGSTOP) }

    /// Lets it go on.
    public func thaw() { process.send(SIGCONT) }
}

/// Why a test cannot go on.
public struct TestFailure: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}

/// The socket at which a service says READY=1.
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
        guard path.utf8.count < capacity else { throw TestFailure("'\(path)' is too long for a socket.") }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw TestFailure("The socket '\(path)' cannot be bound.") }
    }

    deinit { close(socket) }

    /// Whether the service said so before it ended or the time was over.
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
