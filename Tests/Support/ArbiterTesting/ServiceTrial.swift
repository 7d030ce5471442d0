import ArbiterService
import CSessionSocket
import Foundation
import SessionArbiter
import SessionPolicy
import TestRandom

/// A complete service in this process. Clients that come and go send it malformed packets while a
/// well-behaved client checks that its session is not affected.
package struct ServiceTrial: Sendable {
    package let seed: UInt64
    /// Whether the clients that send malformed packets may act for the system.
    package let isTrusted: Bool
    private let note: @Sendable (_ number: UInt64, _ packet: [UInt8]) -> Void

    /// The number of messages between two checks by the well-behaved client.
    private static let round = 1_000
    private static let clientCount = 6

    package init(
        seed: UInt64, isTrusted: Bool = false, note: @escaping @Sendable (UInt64, [UInt8]) -> Void = { _, _ in }
    ) {
        self.seed = seed
        self.isTrusted = isTrusted
        self.note = note
    }

    /// What happened in a run.
    package struct Report: Sendable, CustomStringConvertible {
        package var packets = 0
        package var connections = 0
        package var replies = 0
        package var cutOff = 0
        package var decisions: UInt64 = 0

        package var description: String {
            "\(packets) packets over \(connections) connections, \(cutOff) cut off; \(replies) messages back, \(decisions) decisions"
        }
    }

    /// Sends `count` packets. Throws what it found.
    package func run(_ count: Int) throws -> Report { try serve(count) }

    /// Runs in the same way and checks for descriptor leaks. Use only where nothing else in this
    /// process opens or closes descriptors.
    package func runAlone(_ count: Int) throws -> Report {
        let before = try Self.descriptors()
        let report = try serve(count)
        guard try Limit.waits(until: { try Self.descriptors() == before }) else {
            throw TrialError(
                "Seed \(seed): \(before) descriptors were open before the run, \(try Self.descriptors()) after it.")
        }
        return report
    }

    private static func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    private func serve(_ count: Int) throws -> Report {
        let folder = try TrialFolder()
        let path = folder.path + "/trial.socket"
        let listener = ssocket_listen(path, 128)
        guard listener >= 0 else { throw TrialError("Cannot listen at '\(path)'.") }
        let server = try ArbiterServer(
            listener: listener, settings: try settings(), statePath: folder.path + "/state.json")
        let running = TrialThread { server.run() }
        do {
            let report = try sendMalformed(path, count)
            server.stop()
            _ = try running.wait()
            return report
        } catch {
            server.stop()
            _ = try running.wait()
            throw TrialError("Seed \(seed): \(error)")
        }
    }

    private func settings() throws -> ServiceSettings {
        var settings = ServiceSettings()
        settings.idleExit = 0
        (settings.pingInterval, settings.leaseLimit) = (60, 60)
        settings.limits.messagesPerSecond = 1_000_000_000
        (settings.limits.sessionsPerApp, settings.limits.sessions) = (12, 16)
        settings.arbiter.logCapacity = 512
        if isTrusted {
            settings.trustedPrograms = [try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")]
        }
        return settings
    }

    private func sendMalformed(_ path: String, _ count: Int) throws -> Report {
        var report = Report()
        var random = SeededGenerator(seed: seed)
        let witness = try Witness(path)
        let mutation = Mutation(try MessageCorpus.packets(restoring: MessageCorpus.record))
        var clients = try (0..<Self.clientCount).map { _ in try FuzzClient(path) }
        report.connections = clients.count
        for number in 0..<count {
            let index = random.below(clients.count)
            if clients[index].client.hasEnded || random.oneIn(150) {
                report.cutOff += clients[index].client.hasEnded ? 1 : 0
                report.connections += 1
                clients[index] = try FuzzClient(path, greets: !random.oneIn(4))
            }
            let others = clients.compactMap(\.session) + (isTrusted ? [] : [witness.session])
            let packet = clients[index].address(mutation.packet(&random), others, &random)
            note(UInt64(number), packet)
            try clients[index].send(packet, descriptor: random.oneIn(1_000) ? 0 : -1)
            report.packets += 1
            // The first client reads only rarely.
            for (position, client) in clients.enumerated() where number % (position == 0 ? 5_000 : 16) == 0 {
                report.replies += client.client.drain()
            }
            if number % 16 == 0 { witness.client.drain() }
            if number % Self.round == 0 { try witness.check(number) }
        }
        clients = []
        report.decisions = try witness.conclude(isTrusted: isTrusted)
        return report
    }
}

/// A client that sends malformed packets.
private final class FuzzClient {
    let client: RawClient
    /// The client's own session.
    private(set) var session: SessionID?

    init(_ path: String, greets: Bool = true) throws {
        client = try RawClient(path)
        guard greets else { return }
        try client.hello()
        session = try? client.ask(.register(app: nil)).session
    }

    /// Usually gives the packet the next serial number and an existing session; some packets stay
    /// as they are.
    func address(_ packet: [UInt8], _ others: [SessionID], _ random: inout SeededGenerator) -> [UInt8] {
        guard !random.oneIn(16) else { return packet }
        client.serial += 1
        let target =
            (random.oneIn(4) || session == nil) && !others.isEmpty ? random.pick(others) : session ?? SessionID(0)
        let numbered =
            random.oneIn(10) ? packet : packet.replacingValue(of: Self.serial, with: Array("\(client.serial)".utf8))
        return numbered.replacing(Self.session, with: Array("\"session\":\(target.rawValue)".utf8))
            .replacing(Self.app, with: Array("\"app\":\(getpid())".utf8))
    }

    private static let serial = Array("\"serial\":".utf8)
    private static let session = Array("\"session\":5".utf8)
    private static let app = Array("\"app\":7".utf8)

    func send(_ packet: [UInt8], descriptor: Int32) throws {
        let limit = Limit(seconds: 20)
        while !packet.isEmpty, client.send(packet, descriptor: descriptor) == -Int(EAGAIN) {
            guard limit.wait(for: client.socket, POLLOUT) else {
                throw TrialError("The service does not accept any packets.")
            }
        }
    }
}

/// A well-behaved client that checks that no other client changes what belongs to it.
private final class Witness {
    let client: RawClient
    let session: SessionID
    private let gate: GatePage

    init(_ path: String) throws {
        client = try RawClient(path)
        try client.hello()
        // Raises the session number beyond those that mutated packets are likely to hit: trusted
        // programs may end any session.
        for _ in 0..<120 {
            if let id = try client.ask(.register(app: nil)).session { try client.ask(.unregister(id)) }
        }
        (session, gate) = try client.makeSession(.mixWithOthers)
    }

    /// Sets properties of its own session and checks that the service reports them.
    func check(_ number: Int) throws {
        let rate = number % 2_000 == 0 ? 44_100.0 : 48_000
        let mode: Mode = number % 3_000 == 0 ? .moviePlayback : .default
        try client.ask(.prefer(session, .sampleRate(rate)))
        try client.ask(.configure(session, .category(.playback, mode: mode, options: .mixWithOthers)))
        let (report, history) = try client.reportWithHistory()
        client.messages = []
        guard let mine = report.sessions.first(where: { $0.status.session.id == session })?.status.session else {
            throw TrialError("After \(number) packets the witness's session is gone.")
        }
        guard mine.preferences.sampleRate == rate, mine.configuration.mode == mode, mine.app == AppID(UInt64(getpid()))
        else {
            throw TrialError("After \(number) packets the witness's session has changed: \(mine).")
        }
        if let difference = try report.difference(from: history) {
            throw TrialError("After \(number) packets: \(difference)")
        }
    }

    /// Checks that nothing remains of the other clients once they have gone. Returns the number of
    /// decisions.
    func conclude(isTrusted: Bool) throws -> UInt64 {
        guard try Limit.waits(until: { try client.report().clients.count == 1 }) else {
            throw TrialError("The service still lists clients that have gone.")
        }
        if isTrusted {
            for update in try client.report().sessions where update.status.session.rank > .app {
                try client.ask(.endSystemSession(update.status.session.id, shouldResume: false))
            }
            _ = try client.answer(to: .submit(.setMicrophoneMuted(false)))
        }
        try client.ask(.setApplicationState(AppID(UInt64(getpid())), .foreground))
        try client.ask(.setScreenLocked(false))
        try client.ask(.activate(session))
        let (report, history) = try client.reportWithHistory()
        guard report.sessions.map(\.status.session.id) == [session] else {
            throw TrialError("The service still has sessions of clients that have gone: \(report.sessions).")
        }
        let grant = report.sessions[0].status.resolvedGrant.grant
        guard !grant.isPaused, gate.grant.paused == grant.isPaused, gate.grant.muted == grant.isMuted,
            Double(gate.grant.attenuation) / 256 == grant.attenuation
        else { throw TrialError("The gate carries \(gate.grant), the service reports \(grant).") }
        if let difference = try report.difference(from: history) { throw TrialError(difference) }
        return report.decisions
    }
}

extension [UInt8] {
    private func index(of word: [UInt8]) -> Int? {
        guard count >= word.count else { return nil }
        return (0...(count - word.count)).first {
            self[$0] == word[0] && self[$0..<$0 + word.count].elementsEqual(word)
        }
    }

    /// Returns a copy with the first `old` replaced, unless a digit follows it.
    fileprivate func replacing(_ old: [UInt8], with new: [UInt8]) -> [UInt8] {
        guard let begin = index(of: old) else { return self }
        let end = begin + old.count
        if end < count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self[end]) { return self }
        return Array(self[..<begin]) + new + Array(self[end...])
    }

    /// Returns a copy with the value after `key`, up to the next comma or brace, replaced.
    fileprivate func replacingValue(of key: [UInt8], with new: [UInt8]) -> [UInt8] {
        guard let begin = index(of: key).map({ $0 + key.count }) else { return self }
        let end = self[begin...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") } ?? count
        return Array(self[..<begin]) + new + Array(self[end...])
    }
}
