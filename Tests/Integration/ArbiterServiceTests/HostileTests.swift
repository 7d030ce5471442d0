import ArbiterTesting
import Foundation
import SessionArbiter
import SessionPolicy
import Testing

/// What a client may not take, or claim, beyond its share.
@Suite("A client that wants too much", .serialized)
struct HostileTests {
    @Test("Connections of one process have a limit of their own")
    func connections() throws {
        let folder = try TrialFolder()
        let service = try Service(in: folder, configuration: "[limits]\nclients-per-app = 2\n")
        var clients = try (0..<2).map { _ in try RawClient(folder.socket) }
        for client in clients { try client.hello() }
        let third = try RawClient(folder.socket)
        #expect(throws: (any Error).self) { try third.hello() }
        clients.removeLast()
        // As soon as one has been let go there is room for another.
        #expect(Limit.waits { (try? RawClient(folder.socket).hello()) != nil })
        withExtendedLifetime((service, clients)) {}
    }

    @Test("HW-2: the loans of a period and a rate outlive the arbiter, and one that cannot be is refused")
    func loan() throws {
        let folder = try TrialFolder()
        let first = try Service(in: folder)
        var client = try RawClient(folder.socket)
        try client.hello()
        let loan = PeriodLoan(before: 1_024, ours: 240)
        try client.ask(.loan(loan))
        #expect(throws: RequestError.self) { try client.ask(.loan(PeriodLoan(before: -5, ours: 1 << 40))) }
        let rateLoan = RateLoan(before: 48_000, ours: 44_100)
        try client.ask(.rateLoan(rateLoan))
        #expect(throws: RequestError.self) { try client.ask(.rateLoan(RateLoan(before: 0, ours: 44_100))) }
        _ = try first.end(SIGKILL)
        let second = try Service(in: folder)
        client = try RawClient(folder.socket)
        try client.hello()
        let hardware = try client.report().hardware
        #expect(hardware.loan == loan && hardware.rateLoan == rateLoan)
        withExtendedLifetime(second) {}
    }

    @Test("SRV-3: a session that hello did not announce is not restored")
    func unannounced() throws {
        let folder = try TrialFolder()
        let service = try Service(in: folder)
        let client = try RawClient(folder.socket)
        let app = try client.hello(.init(arbiter: 1, restoring: 1)).app
        func restore(_ number: UInt64) throws {
            let record = SessionRecord(
                session: SessionState(id: SessionID(number), app: app), grant: 0, app: AppState(id: app))
            try client.ask(.restore(.init(record: record, gate: GateWords(verdict: 0, volume: 0))))
        }
        try restore(7)
        #expect(throws: RequestError.self) { try restore(8) }
        #expect(try client.report().sessions.map(\.status.session.id) == [SessionID(7)])
        withExtendedLifetime(service) {}
    }
}
