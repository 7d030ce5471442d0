import ArbiterTesting
import Foundation
import SessionArbiter
import SessionPolicy
import Testing

/// The real service, and a well-behaved client that observes the effects of others.
struct ServiceFixture {
    let folder: TrialFolder
    let service: Service
    /// A client that has said hello and has an active session.
    let witness: RawClient
    let session: SessionID
    let gate: GatePage

    /// `trusted`: this program may act for the system. `mixes`: the witness's session mixes with
    /// others.
    init(trusted: Bool = false, mixes: Bool = true, _ configuration: String = "") throws {
        folder = try TrialFolder()
        service = try Service(
            in: folder, configuration: try trusted ? Service.trusting(nil, configuration) : configuration)
        witness = try RawClient(folder.socket)
        try witness.hello()
        (session, gate) = try witness.makeSession(mixes ? .mixWithOthers : [])
        try witness.ask(.activate(session))
    }

    /// Returns another connection that has said hello.
    func connect() throws -> RawClient {
        let client = try RawClient(folder.socket)
        try client.hello()
        return client
    }

    /// Returns what the arbiter knows of a session; nil if it does not know it.
    func state(of session: SessionID) throws -> SessionState? {
        try witness.report().sessions.first { $0.status.session.id == session }?.status.session
    }

    /// Expects that `body` has no effect on others: on what they can query and on what they are
    /// notified of.
    func expectNothingChanges(
        _ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try witness.report().substance
        let (words, notified) = (gate.words, witness.messages.count)
        try body()
        #expect(try witness.report().substance == before, sourceLocation: sourceLocation)
        #expect(gate.words == words, sourceLocation: sourceLocation)
        #expect(witness.messages.count == notified, "the witness received a message", sourceLocation: sourceLocation)
    }

    /// Measures how long `body` takes. This is the only use of the clock that tests report.
    static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let duration = try ContinuousClock().measure(body)
        return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}

extension Result where Success == Reply, Failure == RequestError {
    /// The error code; nil if the request was granted.
    var code: RequestError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }

    var refusal: Refusal.Code? {
        if case .failure(let error) = self { error.refusal?.code } else { nil }
    }
}
