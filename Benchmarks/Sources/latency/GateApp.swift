import AudioRendering
import AudioSessions
import CGateEar
import Foundation
import JackDriver
import Processes
import Servers

/// What happens to an app that plays.
enum GateCase: String, CaseIterable {
    /// Another app's session activates.
    case interruption
    case call
    /// Another app speaks over it.
    case prompt
    case silentSwitch = "silent switch"

    var change: GateChange { self == .prompt ? .duck : .silence }
    /// Whether the app has to activate again when it is over.
    var ends: Bool { self == .interruption || self == .call }
}

/// A process that plays a constant sound through a session, or one that decides for the user's sessions, which needs no server.
final class GateApp {
    /// How the part is called that performs it.
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
        case "deactivate": try opened().setActive(false)
        case "begin": try begin(try Self.happening(words))
        case "end": try end(try Self.happening(words))
        case "close": close()
        case "after":
            wait(nanoseconds: Int(words[1]) ?? 0)
            return try perform(Array(words.dropFirst(2)))
        default: throw BenchmarkError("an app knows no such word")
        }
        return []
    }

    /// So that what follows comes at any moment of a period.
    private func wait(nanoseconds: Int) {
        var time = timespec(tv_sec: 0, tv_nsec: nanoseconds)
        pselect(0, nil, nil, nil, &time, nil)
    }

    private static func happening(_ words: [String]) throws -> GateCase {
        guard let found = GateCase(rawValue: words.dropFirst().joined(separator: " ")) else {
            throw BenchmarkError("an app knows no such case")
        }
        return found
    }

    private func opened() throws -> AudioSession {
        guard let session else { throw BenchmarkError("no session is open") }
        return session
    }

    private func hosting() throws -> AudioSessionHost {
        guard let host else { throw BenchmarkError("there is no host") }
        return host
    }

    private func makeHost(server: String, _ arbitration: String) -> AudioSessionHost {
        AudioSessionHost(
            driver: JackDriver(configuration: .init(server: .named(server), clientName: Self.part, inputs: nil)),
            arbitration: arbitration == GateArbitration.service.rawValue ? .automatic : .inProcess)
    }

    /// Plays when it returns: the process, and the address of the session's gate.
    private func open(server: String, _ arbitration: String) throws -> [Double] {
        let before = Self.gates()
        let host = makeHost(server: server, arbitration)
        let session = try AudioSession(host: host)
        let gates = Self.gates().filter { !before.contains($0) }
        guard gates.count == 1 else { throw BenchmarkError("\(gates.count) gates came with one session") }
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

    /// When it was asked, and for how long it blocked, in ns.
    private func activate() throws -> [Double] {
        let session = try opened()
        let begun = now()
        try session.setActive(true)
        return [Double(begun), Double(now() - begun)]
    }

    private func begin(_ what: GateCase) throws {
        switch what {
        case .interruption: try hosting().beginOtherAudio([])
        case .call: try hosting().beginInterruption(by: .call)
        case .prompt: try hosting().beginOtherAudio([.duckOthers])
        case .silentSwitch: try hosting().setSilentSwitch(true)
        }
    }

    private func end(_ what: GateCase) throws {
        switch what {
        case .interruption, .prompt: try hosting().endOtherAudio()
        case .call: try hosting().endInterruption()
        case .silentSwitch: try hosting().setSilentSwitch(false)
        }
    }

    private func close() {
        try? session?.setActive(false)
        host?.close()
        (voice, session, host) = (nil, nil, nil)
    }
}

/// Who decides for the app.
enum GateArbitration: String, CaseIterable {
    /// Its own process.
    case inProcess = "in-process"
    /// An audiosessiond of the benchmark's own.
    case service
}
