import AudioRendering
import AudioSessions
import CGateTap
import Foundation
import JackDriver
import Processes
import Servers

/// An event that affects a playing app.
enum GateCase: String, CaseIterable {
    /// Another app's session activates.
    case interruption
    case call
    /// Another app plays a prompt over it.
    case prompt
    case silentSwitch = "silent switch"

    var change: GateChange { self == .prompt ? .duck : .silence }
    /// Whether the app must activate again after the event.
    var ends: Bool { self == .interruption || self == .call }
}

/// A process that plays a constant sound through a session, or one that controls the arbitration of
/// the user's sessions and needs no server.
final class GateApp {
    /// The name of the part that performs it.
    static let part = "gate-app"
    static let port = "gate-app:out_1"

    private var host: AudioSessionHost?
    private var session: AudioSession?
    private var voice: Voice?

    func perform(_ words: [String]) throws -> [Double] {
        switch words.first {
        case "decide": host = makeHost(server: words[1], words[2])
        case "open": return try open(server: words[1], words[2])
        case "activate": return try activate()
        case "deactivate": try requireOpen().setActive(false)
        case "begin": try begin(try Self.happening(words))
        case "end": try end(try Self.happening(words))
        case "close": close()
        case "after":
            wait(nanoseconds: Int(words[1]) ?? 0)
            return try perform(Array(words.dropFirst(2)))
        default: throw BenchmarkError("unknown command of the gate app")
        }
        return []
    }

    /// Sleeps, so that what follows happens at any phase of a period.
    private func wait(nanoseconds: Int) {
        var time = timespec(tv_sec: 0, tv_nsec: nanoseconds)
        pselect(0, nil, nil, nil, &time, nil)
    }

    private static func happening(_ words: [String]) throws -> GateCase {
        guard let found = GateCase(rawValue: words.dropFirst().joined(separator: " ")) else {
            throw BenchmarkError("unknown case")
        }
        return found
    }

    private func requireOpen() throws -> AudioSession {
        guard let session else { throw BenchmarkError("no session is open") }
        return session
    }

    private func requireHost() throws -> AudioSessionHost {
        guard let host else { throw BenchmarkError("no host is open") }
        return host
    }

    private func makeHost(server: String, _ arbitration: String) -> AudioSessionHost {
        AudioSessionHost(
            driver: JackDriver(configuration: .init(server: .named(server), clientName: Self.part, inputs: nil)),
            arbitration: arbitration == GateArbitration.service.rawValue ? .automatic : .inProcess)
    }

    /// Opens a session that plays on return. Returns the process and the address of the session's
    /// gate.
    private func open(server: String, _ arbitration: String) throws -> [Double] {
        let before = Self.gates()
        let host = makeHost(server: server, arbitration)
        let session = try AudioSession(host: host)
        let gates = Self.gates().filter { !before.contains($0) }
        guard gates.count == 1 else { throw BenchmarkError("one session has \(gates.count) gates") }
        try session.setCategory(.soloAmbient)
        try session.setActive(true)
        let sound = [Float](repeating: GateChange.level, count: 4_800)
        voice = try session.engine.play(.buffer(try AudioBuffer([sound, sound]), loop: .forever), on: session.bus)
        (self.host, self.session) = (host, session)
        return [Double(getpid()), Double(gates[0])]
    }

    private static func gates() -> [UInt64] {
        var addresses = [UInt64](repeating: 0, count: 64)
        let count = gate_pages_find(&addresses, UInt32(addresses.count))
        return Array(addresses.prefix(Int(count)))
    }

    /// Activates the session. Returns when the call was made, and how long it blocked, in ns.
    private func activate() throws -> [Double] {
        let session = try requireOpen()
        let begun = now()
        try session.setActive(true)
        return [Double(begun), Double(now() - begun)]
    }

    private func begin(_ what: GateCase) throws {
        switch what {
        case .interruption: try requireHost().beginOtherAudio([])
        case .call: try requireHost().beginInterruption(by: .call)
        case .prompt: try requireHost().beginOtherAudio([.duckOthers])
        case .silentSwitch: try requireHost().setSilentSwitch(true)
        }
    }

    private func end(_ what: GateCase) throws {
        switch what {
        case .interruption, .prompt: try requireHost().endOtherAudio()
        case .call: try requireHost().endInterruption()
        case .silentSwitch: try requireHost().setSilentSwitch(false)
        }
    }

    private func close() {
        try? session?.setActive(false)
        host?.close()
        (voice, session, host) = (nil, nil, nil)
    }
}

/// The arbiter of the app.
enum GateArbitration: String, CaseIterable {
    /// The app's own process.
    case inProcess = "in-process"
    /// An audiosessiond that the benchmark starts.
    case service
}
