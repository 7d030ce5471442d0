import ArbiterTesting
import Foundation
import SessionArbiter
import SessionPolicy
import Testing

/// The real service, and a client that sees what others do to it.
struct ServiceFixture {
    let folder: TrialFolder
    let service: Service
    /// It has said hello, and has an active session.
    let witness: RawClient
    let session: SessionID
    let gate: GatePage

    /// `trusted`: this program may speak for the system. `mixes`: the witness lets others sound beside it.
    init(trusted: Bool = false, mixes: Bool = true, _ configuration: String = "") throws {
        folder = try TrialFolder()
        service = try Service(
            in: folder, configuration: try trusted ? Service.trusting(nil, configuration) : configuration)
        witness = try RawClient(folder.socket)
        try witness.hello()
        (session, gate) = try witness.makeSession(mixes ? .mixWithOthers : [])
        try witness.ask(.activate(session))
    }

    /// Another connection that has said hello.
    func connect() throws -> RawClient {
        let client = try RawClient(folder.socket)
        try client.hello()
        return client
    }

    /// Whatever `body` does, the others notice nothing: neither what they ask nor what is told them is another.
    func expectNothingChanges(
        _ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try witness.report().substance
        let (words, told) = (gate.words, witness.news.count)
        try body()
        #expect(try witness.report().substance == before, sourceLocation: sourceLocation)
        #expect(gate.words == words, sourceLocation: sourceLocation)
        #expect(witness.news.count == told, "the witness was told something", sourceLocation: sourceLocation)
    }

    /// The one reading of the clock that tests tell: how long it took.
    static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let duration = try ContinuousClock().measure(body)
        return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}

extension Result where Success == Reply, Failure == RequestError {
    /// Nil: it was granted.
    var code: RequestError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }

    var refusal: Refusal.Code? {
        if case .failure(let error) = self { error.refusal?.code } else { nil }
    }
}
