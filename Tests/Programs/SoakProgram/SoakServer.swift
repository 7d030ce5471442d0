import Foundation
import JackDriver
import TestSupport

/// The soak's own server, which dies and returns.
final class SoakServer {
    enum Kind: String, CaseIterable {
        case jackd
        case jackdSync = "jackd-sync"
        case pipewire
        /// The one that the driver itself starts, and starts again.
        case managed
    }

    let kind: Kind
    private let name: ServerName
    private(set) var sampleRate = 48_000
    /// A player goes on through another rate, and back, by resampling what it has.
    private(set) var hadOtherRate = false
    /// Whether its rate changes while it lives.
    var changesRate: Bool { kind == .managed || kind == .pipewire }
    private var process: JackServer?

    init(_ kind: Kind, _ name: ServerName, periodFrames: Int = 256) throws {
        self.kind = kind
        self.name = name
        let needed: TestServer = kind == .managed ? .jackd : TestServer(rawValue: kind.rawValue) ?? .jackd
        guard TestServer.current == needed else {
            throw TestFailure(
                "The soak on '\(kind.rawValue)' wants AUDIO_TEST_SERVER=\(needed.rawValue); Scripts/soak sets it.")
        }
        try start(sampleRate: 48_000, periodFrames: periodFrames)
    }

    /// How the driver reaches it.
    var configuration: JackDriver.Configuration {
        JackDriver.Configuration(
            server: kind == .managed ? .managed : .named(name.text), clientName: "session-soak", outputs: 2, inputs: 2,
            recovery: .within(seconds: 120),
            managedServer: ManagedServer(
                name: name.text, sampleRate: 48_000, periodFrames: 256, device: .none, idleExit: 20),
            callTimeout: 3)
    }

    /// What other programs need to reach it.
    var environment: [String: String] {
        process?.environment ?? ["JACK_DEFAULT_SERVER": name.text, "JACK_NO_START_SERVER": "1"]
    }

    /// Starts it; the managed one is the driver's to start.
    func start(sampleRate: Int, periodFrames: Int) throws {
        guard kind != .managed else { return }
        process = try JackServer(name, sampleRate: sampleRate, periodFrames: periodFrames)
        self.sampleRate = sampleRate
        hadOtherRate = hadOtherRate || sampleRate != 48_000
    }

    /// Ends it, at once or in order.
    func end(inOrder: Bool) {
        if let process {
            inOrder ? process.stop() : process.kill()
        } else {
            signal(inOrder ? SIGTERM : SIGKILL)
        }
        process = nil
    }

    func freeze() { process.map { $0.freeze() } ?? signal(SIGSTOP) }
    func thaw() { process.map { $0.thaw() } ?? signal(SIGCONT) }

    /// The managed server's host; who stands by to reap it ends by itself.
    private func signal(_ signal: Int32) {
        let programs = OtherProcess.find(program: "audiosession-server", arguments: [name.text])
        for host in programs where programs.contains(Self.parent(of: host)) { kill(host, signal) }
    }

    private static func parent(of process: pid_t) -> pid_t {
        let line = readText("/proc/\(process)/status").split(separator: "\n").first { $0.hasPrefix("PPid:") }
        return line.flatMap { pid_t($0.dropFirst(5).filter { !$0.isWhitespace }) } ?? 0
    }

    /// What it left in shared memory: places under its name.
    var leftovers: [String] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/shm")) ?? []
        return entries.filter { $0.contains("_\(name.text)_") }.sorted()
    }
}
