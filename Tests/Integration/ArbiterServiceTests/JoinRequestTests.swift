import ArbiterTesting
import CSessionGate
import Foundation
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// Clients that restore sessions after the state has been rebuilt: those that return late, and
/// those that join.
@Suite("Late clients", .serialized)
struct JoinRequestTests {
    private let stage: ServiceFixture

    init() throws { stage = try ServiceFixture(mixes: false) }

    /// Two sessions of this process, as an arbiter of its own reports them: the first was
    /// interrupted by the second.
    private func records() throws -> [ClientMessage.Restoration] {
        let arbiter = InProcessArbiter()
        let app = AppID(UInt64(getpid()))
        let sessions = try (0..<2).map { _ in
            let session = try arbiter.register(app: app) { _ in }
            try arbiter.submit(.configure(session.id, .category(.playback)))
            try arbiter.submit(.activate(session.id))
            return session
        }
        let first = SessionID.own(ofProcess: getpid()).lowerBound
        return try sessions.enumerated().map { index, session in
            let status = try #require(arbiter.status(of: session.id))
            var object = try #require(
                try JSONSerialization.jsonObject(with: try JSONEncoder().encode(status.session)) as? [String: Any])
            object["id"] = first + UInt64(index)
            var state = try JSONDecoder().decode(
                SessionState.self, from: try JSONSerialization.data(withJSONObject: object))
            if case .waiting(var wait) = state.activity {
                wait.interrupter = SessionID(first + 1)
                state.activity = .waiting(wait)
            }
            let record = SessionRecord(
                session: state, grantNumber: UInt64(1_000 + index), app: AppState(id: app),
                resolvedGrant: status.resolvedGrant)
            return .init(record: record, gate: GateWords(grant: 0, volume: 0))
        }
    }

    private func join(_ restoring: Int) -> ClientMessage.Request {
        .join(.init(restoring: restoring, application: AppState(id: AppID(UInt64(getpid())))))
    }

    private func effects(_ client: RawClient) -> [Effect.Kind] {
        client.messages.compactMap { if case .notice(let notice) = $0 { notice.effect.kind } else { nil } }
            .filter { $0 != .stateChanged }
    }

    @Test("SRV-3, ACT-2: sessions join in one decision, below all known grants")
    func oneDecision() throws {
        let client = try stage.connect()
        let records = try records()
        try client.ask(join(2))
        let before = try stage.witness.report().sessions.count
        let first = client.say(.restore(records[0]))
        // The first is not decided on before the second has arrived.
        #expect(try stage.witness.report().sessions.count == before)
        let serials = [first, client.say(.restore(records[1]))]
        for (serial, record) in zip(serials, records) {
            #expect(try client.reply(to: serial).get().session == record.record.session.id)
        }
        try client.ask(.synchronise)
        // The podcast, which was active, waits for the witness; the music still waits for it.
        #expect(effects(client) == [.interruptionBegan(.default)])
        let sessions = try stage.witness.report().sessions
        #expect(sessions.first { $0.status.session.id == stage.session }?.status.session.isActive == true)
        #expect(
            sessions.filter { $0.status.session.wait != nil }.map(\.status.session.wait?.interrupter) == [
                records[1].record.session.id, stage.session,
            ])
        #expect(!stage.gate.grant.paused)

        try stage.witness.ask(.deactivate(stage.session, notifyOthers: true))
        try client.awaitNotice(records[1].record.session.id) { $0 == .interruptionEnded(shouldResume: true) }
        #expect(!effects(client).contains(.interruptionEnded(shouldResume: false)))
    }

    @Test("SRV-3, ACT-12: sessions that return late are restored in one decision")
    func late() throws {
        let records = try records()
        let client = try RawClient(stage.folder.socket)
        try client.hello(.init(arbiter: 1, restoring: 2))
        let serials = records.map { client.say(.restore($0)) }
        for serial in serials { #expect(try client.reply(to: serial).code == nil) }
        try client.ask(.synchronise)
        #expect(effects(client) == [], "the music waits for the podcast as before")

        let other = try RawClient(stage.folder.socket)
        try other.hello(.init(arbiter: 1, restoring: 1))
        #expect(try other.answer(to: .restore(records[0])).refusal == .expiredSession)
    }

    @Test("SRV-3: a late client that awaits each reply is answered in time")
    func sequential() throws {
        let records = try records()
        let client = try RawClient(stage.folder.socket)
        try client.hello(.init(arbiter: 1, restoring: 2))
        for record in records.reversed() { #expect(try client.answer(to: .restore(record)).code == nil) }
    }

    @Test("A client joins once, before it has sessions, with sessions of its own app, all of which are accepted")
    func refused() throws {
        let records = try records()
        #expect(try stage.witness.answer(to: join(1)).code == .malformed)
        let client = try stage.connect()
        #expect(try client.answer(to: join(10_000)).code == .limit)
        #expect(try client.answer(to: .join(.init(restoring: 1, application: AppState(id: AppID(1))))).code == .limit)
        try stage.expectNothingChanges {
            try client.ask(join(2))
            #expect(try client.answer(to: join(2)).code == .malformed)
            let first = client.say(.restore(records[0]))
            var foreign = records[1]
            foreign.record.app = AppState(id: AppID(1))
            let second = client.say(.restore(foreign))
            #expect(try client.reply(to: first).code == .malformed)
            #expect(try client.reply(to: second).code == .notPermitted)
        }
        try client.ask(join(2))
        let serials = records.map { client.say(.restore($0)) }
        for serial in serials { #expect(try client.reply(to: serial).code == nil) }
    }
}
