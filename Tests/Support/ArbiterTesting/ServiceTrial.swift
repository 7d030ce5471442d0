import CSessionSocket
import Foundation
import SessionArbiter
import SessionPolicy
import TestRandom

/// A whole service in this process: clients that come and go send it spoiled packets, and one that behaves sees that it is left alone.
package struct ServiceTrial: Sendable {
    package let seed: UInt64
    /// The spoilers may speak for the system.
    package let isTrusted: Bool
    private let note: @Sendable (_ number: UInt64, _ packet: [UInt8]) -> Void

    /// Messages from one look at the one that behaves to the next.
    private static let round = 1_000
    private static let spoilers = 6

    package init(
        seed: UInt64, isTrusted: Bool = false, note: @escaping @Sendable (UInt64, [UInt8]) -> Void = { _, _ in }
    ) {
        self.seed = seed
        self.isTrusted = isTrusted
        self.note = note
    }

    /// What happened.
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

    /// Sends so many packets. Throws what it found.
    package func run(_ count: Int) throws -> Report { try serve(count) }

    /// The same, where nothing else in this process opens and closes descriptors: none is left open.
    package func runAlone(_ count: Int) throws -> Report {
        let before = try Self.descriptors()
        let report = try serve(count)
        guard try Limit.waits(until: { try Self.descriptors() == before }) else {
            throw TrialError(
                "Seed \(seed): \(before) descriptors were open before, and \(try Self.descriptors()) are after.")
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
        guard listener >= 0 else { throw TrialError("'\(path)' cannot be listened at.") }
        let server = try ArbiterServer(
            listener: listener, settings: try settings(), statePath: folder.path + "/state.json")
        let running = TrialThread { server.run() }
        do {
            let report = try spoil(path, count)
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

    private func spoil(_ path: String, _ count: Int) throws -> Report {
        var report = Report()
        var random = SeededGenerator(seed: seed)
        let witness = try Witness(path)
        let mutation = Mutation(try MessageCorpus.packets(restoring: MessageCorpus.record))
        var spoilers = try (0..<Self.spoilers).map { _ in try Spoiler(path) }
        report.connections = spoilers.count
        for number in 0..<count {
            let one = random.below(spoilers.count)
            if spoilers[one].client.hasEnded || random.oneIn(150) {
                report.cutOff += spoilers[one].client.hasEnded ? 1 : 0
                report.connections += 1
                spoilers[one] = try Spoiler(path, greets: !random.oneIn(4))
            }
            let others = spoilers.compactMap(\.session) + (isTrusted ? [] : [witness.session])
            let packet = spoilers[one].address(mutation.packet(&random), others, &random)
            note(UInt64(number), packet)
            try spoilers[one].send(packet, descriptor: random.oneIn(1_000) ? 0 : -1)
            report.packets += 1
            // The first reads but seldom.
            for (place, spoiler) in spoilers.enumerated() where number % (place == 0 ? 5_000 : 16) == 0 {
                report.replies += spoiler.client.drain()
            }
            if number % 16 == 0 { witness.client.drain() }
            if number % Self.round == 0 { try witness.look(number) }
        }
        spoilers = []
        report.decisions = try witness.conclude(isTrusted: isTrusted)
        return report
    }
}

/// A client that sends what is spoiled.
private final class Spoiler {
    let client: RawClient
    /// Of its own.
    private(set) var session: SessionID?

    init(_ path: String, greets: Bool = true) throws {
        client = try RawClient(path)
        guard greets else { return }
        try client.hello()
        session = try? client.ask(.register(app: nil)).session
    }

    /// With a serial that is its turn, and sessions that there are, but for some.
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
                throw TrialError("The service takes no more packets.")
            }
        }
    }
}

/// A client that behaves, and looks whether others reach into what is its own.
private final class Witness {
    let client: RawClient
    let session: SessionID
    private let gate: GatePage

    init(_ path: String) throws {
        client = try RawClient(path)
        try client.hello()
        // A number that chance does not hit: trusted programs may end anybody's session.
        for _ in 0..<120 {
            if let id = try client.ask(.register(app: nil)).session { try client.ask(.unregister(id)) }
        }
        (session, gate) = try client.makeSession(.mixWithOthers)
    }

    /// Sets what only it may set, and finds it so.
    func look(_ number: Int) throws {
        let rate = number % 2_000 == 0 ? 44_100.0 : 48_000
        let mode: Mode = number % 3_000 == 0 ? .moviePlayback : .default
        try client.ask(.prefer(session, .sampleRate(rate)))
        try client.ask(.configure(session, .category(.playback, mode: mode, options: .mixWithOthers)))
        let (report, history) = try client.reportWithHistory()
        client.news = []
        guard let mine = report.sessions.first(where: { $0.status.session.id == session })?.status.session else {
            throw TrialError("After \(number) packets the witness's session is gone.")
        }
        guard mine.preferences.sampleRate == rate, mine.configuration.mode == mode, mine.app == AppID(UInt64(getpid()))
        else {
            throw TrialError("After \(number) packets the witness's session is another: \(mine).")
        }
        if let difference = try report.difference(from: history) {
            throw TrialError("After \(number) packets: \(difference)")
        }
    }

    /// When the others have gone, nothing of theirs is left. Returns how many decisions there were.
    func conclude(isTrusted: Bool) throws -> UInt64 {
        guard try Limit.waits(until: { try client.report().clients.count == 1 }) else {
            throw TrialError("Clients that have gone are listed still.")
        }
        if isTrusted {
            for one in try client.report().sessions where one.status.session.rank > .app {
                try client.ask(.endSystemSession(one.status.session.id, shouldResume: false))
            }
            _ = try client.answer(to: .submit(.setMicrophoneMuted(false)))
        }
        try client.ask(.setApplicationState(AppID(UInt64(getpid())), .foreground))
        try client.ask(.setScreenLocked(false))
        try client.ask(.activate(session))
        let (report, history) = try client.reportWithHistory()
        guard report.sessions.map(\.status.session.id) == [session] else {
            throw TrialError("Sessions of clients that have gone are there still: \(report.sessions).")
        }
        let verdict = report.sessions[0].status.standing.verdict
        guard !verdict.isPaused, gate.verdict.paused == verdict.isPaused, gate.verdict.muted == verdict.isMuted,
            Double(gate.verdict.attenuation) / 256 == verdict.attenuation
        else { throw TrialError("The gate says \(gate.verdict), and the service \(verdict).") }
        if let difference = try report.difference(from: history) { throw TrialError(difference) }
        return report.decisions
    }
}

extension [UInt8] {
    private func place(of word: [UInt8]) -> Int? {
        guard count >= word.count else { return nil }
        return (0...(count - word.count)).first {
            self[$0] == word[0] && self[$0..<$0 + word.count].elementsEqual(word)
        }
    }

    /// The first of `old` replaced, where no digit follows.
    fileprivate func replacing(_ old: [UInt8], with new: [UInt8]) -> [UInt8] {
        guard let begin = place(of: old) else { return self }
        let end = begin + old.count
        if end < count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self[end]) { return self }
        return Array(self[..<begin]) + new + Array(self[end...])
    }

    /// What stands behind `key`, up to the next comma or brace, replaced.
    fileprivate func replacingValue(of key: [UInt8], with new: [UInt8]) -> [UInt8] {
        guard let begin = place(of: key).map({ $0 + key.count }) else { return self }
        let end = self[begin...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") } ?? count
        return Array(self[..<begin]) + new + Array(self[end...])
    }
}
