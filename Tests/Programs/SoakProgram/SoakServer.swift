import Foundation
import JackDriver
import TestSupport

/// The soak's own server, which is ended and restarted.
final class SoakServer {
    enum Kind: String, CaseIterable {
        case jackd
        case jackdSync = "jackd-sync"
        case pipewire
        /// The server that the driver itself starts and restarts.
        case managed
    }

    let kind: Kind
    private let name: ServerName
    private(set) var sampleRate = 48_000
    /// Whether the server has had another rate. A player resamples its material from then on, even
    /// when the rate returns.
    private(set) var hadOtherRate = false
    /// Whether the server's rate changes while it runs.
    var changesRate: Bool { kind == .managed || kind == .pipewire }
    private var process: JackServer?

    init(_ kind: Kind, _ name: ServerName, periodFrames: Int = 256) throws {
        self.kind = kind
        self.name = name
        let needed: TestServer = kind == .managed ? .jackd : TestServer(rawValue: kind.rawValue) ?? .jackd
        guard TestServer.current == needed else {
            throw TestFailure(
                "The soak on '\(kind.rawValue)' requires AUDIO_TEST_SERVER=\(needed.rawValue); Scripts/soak sets it.")
        }
        try start(sampleRate: 48_000, periodFrames: periodFrames)
    }

    /// The configuration with which the driver connects to the server.
    var configuration: JackDriver.Configuration {
        JackDriver.Configuration(
            server: kind == .managed ? .managed : .named(name.text), clientName: "session-soak", outputs: 2, inputs: 2,
            recovery: .within(seconds: 120),
            managedServer: ManagedServer(
                name: name.text, sampleRate: 48_000, periodFrames: 256, device: .none, idleExit: 20),
            callTimeout: 3)
    }

    /// The environment that other programs need to connect to the server.
    var environment: [String: String] {
        process?.environment ?? ["JACK_DEFAULT_SERVER": name.text, "JACK_NO_START_SERVER": "1"]
    }

    /// Starts the server. A managed server is started by the driver.
    func start(sampleRate: Int, periodFrames: Int) throws {
        guard kind != .managed else { return }
        process = try JackServer(name, sampleRate: sampleRate, periodFrames: periodFrames)
        self.sampleRate = sampleRate
        hadOtherRate = hadOtherRate || sampleRate != 48_000
    }

    /// Ends the server: kills it, or shuts it down in order.
    func end(inOrder: Bool) {
        if let process {
            inOrder ? process.stop() : process.kill()
        } else {
            signal(inOrder ? SIGTERM : SIGKILL)
        }
        process = nil
    }

    func suspend() { process.map { $0.freeze() } ?? signal(SIGSTOP) }
    func resume() { process.map { $0.thaw() } ?? signal(SIGCONT) }

    /// Sends a signal to the managed server's host process. The process that waits to reap the host
    /// ends on its own.
    private func signal(_ signal: Int32) {
        let programs = OtherProcess.find(program: "audiosession-server", arguments: [name.text])
        for host in programs where programs.contains(Self.parent(of: host)) { kill(host, signal) }
    }

    private static func parent(of process: pid_t) -> pid_t {
        let line = readText("/proc/\(process)/status").split(separator: "\n").first { $0.hasPrefix("PPid:") }
        return line.flatMap { pid_t($0.dropFirst(5).filter { !$0.isWhitespace }) } ?? 0
    }

    /// The entries under the server's name that it left in shared memory.
    var leftovers: [String] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/shm")) ?? []
        return entries.filter { $0.contains("_\(name.text)_") }.sorted()
    }
}
