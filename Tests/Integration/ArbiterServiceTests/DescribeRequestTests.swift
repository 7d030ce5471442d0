import ArbiterTesting
import Foundation
import SessionArbiter
import SessionPolicy
import Testing

/// What clients say about their sessions.
@Suite("Descriptions of sessions", .serialized)
struct DescribeRequestTests {
    private static let description = SessionDescription(
        name: "mpv", evidence: "role", detail: "Movie", entry: "mpv", controls: ["level"])

    @Test("A description is reported until it is cleared, or its session ends")
    func life() throws {
        let stage = try ServiceFixture()
        let client = try stage.connect()
        let (id, _) = try client.makeSession()
        #expect(try stage.witness.report().descriptions == [])
        try client.ask(.describe(id, Self.description))
        #expect(try stage.witness.report().descriptions == [.init(session: id, description: Self.description)])
        try client.ask(.describe(id, nil))
        #expect(try stage.witness.report().descriptions == [])
        try client.ask(.describe(id, SessionDescription(name: "A")))
        try client.ask(.unregister(id))
        #expect(try stage.witness.report().descriptions == [])
    }

    @Test("It ends with its client")
    func end() throws {
        let stage = try ServiceFixture()
        let client = try stage.connect()
        let (id, _) = try client.makeSession()
        try client.ask(.describe(id, Self.description))
        #expect(try stage.witness.report().descriptions?.count == 1)
        client.shutDown()
        #expect(
            try Limit.waits { try stage.witness.report().descriptions == [] })
    }

    @Test("Only the session's client may describe it, even if another one is trusted")
    func ownership() throws {
        let stage = try ServiceFixture(trusted: true)
        let client = try stage.connect()
        for id in [stage.session, SessionID(99)] {
            #expect(try client.answer(to: .describe(id, Self.description)).code == .notPermitted)
        }
        #expect(try stage.witness.report().descriptions == [])
    }

    @Test("Texts that are too long, and too many controls, are refused")
    func limits() throws {
        let stage = try ServiceFixture()
        let long = String(repeating: "a", count: 257)
        let tooMuch = [
            SessionDescription(name: long), SessionDescription(evidence: long), SessionDescription(detail: long),
            SessionDescription(entry: long), SessionDescription(controls: [long]),
            SessionDescription(controls: Array(repeating: "level", count: 9)),
        ]
        for description in tooMuch {
            #expect(try stage.witness.answer(to: .describe(stage.session, description)).code == .limit)
        }
        try stage.witness.ask(.describe(stage.session, SessionDescription(name: String(long.dropLast()))))
    }
}
