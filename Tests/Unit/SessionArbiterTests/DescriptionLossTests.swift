import FakeArbiter
import Foundation
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// Descriptions of sessions at an arbiter of an earlier version.
@Suite struct DescriptionLossTests {
    private let fakes = FakeArbiters()

    @Test("An arbiter that does not know descriptions refuses them, and everything else works")
    func olderArbiter() throws {
        let gate = try FakeGate()
        let described = EventLog<SessionID>()
        let fake = try fakes.start { peer in
            peer.welcome(as: 1)
            while let message = peer.receive() {
                var reply = Reply()
                switch message.request {
                case .describe(let id, _):
                    described.note(id)
                    peer.send(.failure(message.serial, RequestError(.malformed, "Unknown.")))
                case .register:
                    reply.session = SessionID(1)
                    peer.send(.reply(message.serial, reply), descriptor: gate.descriptor)
                default: peer.send(.reply(message.serial, reply))
                }
            }
        }
        let arbiter = try RemoteArbiter(at: fake.address)
        let session = try arbiter.register(app: arbiter.app) { _ in }.id
        arbiter.describe(session, as: SessionDescription(name: "A"))
        #expect(described.noted == [session])
        try arbiter.submit(.activate(session))
        arbiter.describe(SessionID(99), as: SessionDescription(name: "A"))
        #expect(described.noted == [session], "A session of another client is not described.")
    }

    @Test("Descriptions are shortened, and repeated to the next arbiter (SRV-3)")
    func nextArbiter() throws {
        let folder = try ServiceFolder()
        let address = try ArbiterAddress(path: folder.socket)
        let arbiter = try RemoteArbiter(at: address)
        let session = try arbiter.register(app: arbiter.app) { _ in }.id
        let long = String(repeating: "é", count: 200)
        arbiter.describe(session, as: SessionDescription(name: "A", detail: long, controls: ["level"]))
        let shortened = SessionDescription(name: "A", detail: String(long.prefix(128)), controls: ["level"])
        let expected = [ArbiterReport.Description(session: session, description: shortened)]
        #expect(try ArbiterConnection(address).request(.report).report?.descriptions == expected)
        folder.send(SIGKILL)
        // This waits until the next arbiter has the session.
        try arbiter.submit(.activate(session))
        #expect(try ArbiterConnection(address).request(.report).report?.descriptions == expected)
    }
}
