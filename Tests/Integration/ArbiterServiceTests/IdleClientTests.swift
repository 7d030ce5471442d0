import ArbiterTesting
import CAudioSession
import Glibc
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// Clients that disturb no other are not woken, and still lose their lease if they hang (ACT-12).
@Suite("Idle clients", .serialized)
struct IdleClientTests {
    /// The lease is longer than a loaded machine stops a test.
    private static let short = "service: {ping-interval: 0.05, lease-limit: 20}"

    private static let shortLease = "service: {ping-interval: 0.05, lease-limit: 3}"

    /// Reads until nothing has arrived for `quiet` seconds; returns the number of pings. Serves the
    /// other client meanwhile.
    private static func pings(_ client: RawClient, quiet: Double, serving other: RawClient? = nil) throws -> Int {
        var (pings, limit, end) = (0, Limit(seconds: quiet), Limit(seconds: 20))
        while !limit.hasPassed {
            try #require(!end.hasPassed, "messages kept arriving: \(pings) pings")
            while let message = try client.receiveNow() {
                if case .ping = message { pings += 1 }
                limit = Limit(seconds: quiet)
            }
            while let other, try other.receiveNow() != nil {}
            _ = Limit(seconds: 0.02).wait(for: client.socket)
        }
        #expect(!client.hasEnded)
        return pings
    }

    @Test("A client is pinged while a session is active, and afterwards only for what it was sent")
    func pings() throws {
        let folder = try TrialFolder()
        let service = try Service(in: folder, configuration: Self.short)
        defer { withExtendedLifetime(service) {} }
        let client = try RawClient(folder.socket)
        try client.hello()
        let session = try client.makeSession(.mixWithOthers).0
        #expect(try Self.pings(client, quiet: 1) <= 5)
        try client.ask(.activate(session))
        var pings = 0
        while pings < 20 { if case .ping = try client.receive() { pings += 1 } }
        try client.ask(.deactivate(session, notifyOthers: true))
        #expect((1...3).contains(try Self.pings(client, quiet: 1)))
    }

    @Test("A client that hangs while it is idle loses its lease at the next message, and not before")
    func hangs() throws {
        let stage = try ServiceFixture(trusted: true, Self.shortLease)
        try stage.witness.ask(.deactivate(stage.session, notifyOthers: true))
        let idle = try stage.connect()
        _ = try idle.makeSession()
        #expect(try Self.pings(idle, quiet: 1, serving: stage.witness) >= 1)
        idle.answersPings = false
        // More than a lease passes.
        #expect(try Self.pings(idle, quiet: 4, serving: stage.witness) == 0)
        try stage.witness.ask(.setVolume(0.5))
        try Self.awaitEnd(of: idle, serving: stage.witness)
        #expect(try stage.witness.report().sessions.map(\.status.session.id) == [stage.session])
    }

    @Test("A report, as of `audiosession doctor`, finds a client that hangs while it is idle")
    func report() throws {
        let stage = try ServiceFixture(trusted: true, Self.shortLease)
        try stage.witness.ask(.deactivate(stage.session, notifyOthers: true))
        let idle = try stage.connect()
        #expect(try Self.pings(idle, quiet: 1, serving: stage.witness) >= 1)
        idle.answersPings = false
        #expect(try stage.witness.report().clients.count == 2)
        try Self.awaitEnd(of: idle, serving: stage.witness)
    }

    /// Waits until the service has disconnected the client.
    private static func awaitEnd(of client: RawClient, serving other: RawClient) throws {
        let limit = Limit(seconds: 20)
        while !client.hasEnded, !limit.hasPassed {
            while try other.receiveNow() != nil {}
            while try client.receiveNow() != nil {}
            _ = Limit(seconds: 0.02).wait(for: client.socket)
        }
        #expect(client.hasEnded)
    }

    /// Why others would notice that a client hangs, although none of its sessions is active.
    enum Effect: CaseIterable { case call, waitsForActivation, devices, isToResume, isInterruptedItself }

    @Test("A client on which others depend is pinged", arguments: Effect.allCases)
    func depends(effect: Effect) throws {
        let stage = try ServiceFixture(trusted: true, mixes: false, Self.short)
        let client = try stage.connect()
        let session = try client.makeSession().0
        switch effect {
        case .call: try client.ask(.beginSystemSession(rank: .call, isRinging: true, isKept: false))
        case .waitsForActivation:
            try client.ask(.configure(session, .category(.ambient)))
            try stage.witness.ask(.beginSystemSession(rank: .call, isRinging: false, isKept: false))
            try client.ask(.requestActivation(session))
        case .devices: try client.ask(.setDevices(AppID(UInt64(getpid())), server: "default", []))
        case .isToResume:
            // It interrupts the witness, is interrupted by a third one, and is to resume when that
            // has ended: the witness waits until it has, or is deactivated (ACT-8).
            try client.ask(.activate(session))
            let third = try stage.connect()
            let other = try third.makeSession().0
            try third.ask(.activate(other))
            try third.ask(.deactivate(other, notifyOthers: true))
            #expect(try stage.state(of: stage.session)?.wait?.interrupter == session)
        case .isInterruptedItself:
            // Its output is disconnected, an interruption without an end (ROUTE-4).
            try client.ask(.plug(.headset("headset")))
            try client.ask(.activate(session))
            try client.ask(.setRunning(session, true))
            try client.ask(.unplug("headset"))
            #expect(try stage.state(of: stage.session)?.wait?.interrupter == session)
        }
        #expect(try stage.state(of: session)?.isActive == false)
        let limit = Limit(seconds: 20)
        var pings = 0
        while pings < 20, !limit.hasPassed {
            if case .ping = try client.receive() { pings += 1 }
            while try stage.witness.receiveNow() != nil {}
        }
        #expect(pings == 20)
    }

    @Test("Neither an idle session in C nor the service is woken")
    func wakeUps() throws {
        let folder = try TrialFolder()
        let service = try Service(in: folder, configuration: Self.short)
        let session = try CSession(folder.socket)
        try session.ask { asession_set_category($0, ASESSION_PLAYBACK, ASESSION_MODE_DEFAULT, 0, $1) }
        try session.ask { asession_activate($0, $1) }
        // While it is active, it is: the test would find wake-ups.
        for _ in 0..<20 { #expect(Self.isWoken(session, within: 5)) }
        try session.ask { asession_deactivate($0, false, $1) }
        let settled = Limit(seconds: 20)
        while Self.isWoken(session, within: 1) { try #require(!settled.hasPassed, "It is woken again and again.") }
        let before = OtherProcess.threads(of: service.process).map(\.waits).reduce(0, +)
        #expect(!Self.isWoken(session, within: 2))
        let after = OtherProcess.threads(of: service.process).map(\.waits).reduce(0, +)
        // A ping each 50 ms would cause 40; the kernel may wait on its own.
        #expect(after - before < 15, "\(after - before) wake-ups of the service in 2 s")
        #expect(session.state.is_connected)
    }

    /// Returns whether the session's descriptor became readable in this time; dispatches it then.
    private static func isWoken(_ session: CSession, within seconds: Double) -> Bool {
        var watched = pollfd(fd: asession_fd(session.session), events: Int16(POLLIN), revents: 0)
        guard poll(&watched, 1, Int32(seconds * 1_000)) > 0 else { return false }
        asession_dispatch(session.session)
        return true
    }
}
