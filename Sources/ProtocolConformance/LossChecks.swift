internal import Foundation
internal import SessionArbiter
internal import SessionPolicy

extension ConformanceCheck {
    static let lossChecks: [ConformanceCheck] = [
        ConformanceCheck(
            name: "loss", summary: "finds the next arbiter, and restores its session there, twice",
            section: "When the arbiter dies",
            statement: """
                Send `hello` with the `arbiter` of the one that died and the number of sessions that follow. The record \
                consists of `session`, `standing`, `grant` and `pending` of the last `status`; the gate consists of both \
                words of its page. Each reply carries a new page: read it from then on.
                """
        ) { trial throws(TrialError) in
            try trial.accept()
            try trial.play()
            // The second time, the words are those of the page that came with the first restore.
            for serial in [0xFE_DCBA, 0xFD_0001] as [UInt64] {
                trial.arbiter.fillGate(serial: serial)
                try trial.ping([serial])
                let expected = Restored(trial.arbiter)
                try trial.loseArbiter()
                try trial.accept()
                try trial.expectRestoration(expected)
                try trial.ping([serial + 1])
            }
        },
        ConformanceCheck(
            name: "forgotten", summary: "creates a new session if the next arbiter does not know the old one",
            section: "When the arbiter dies",
            statement: """
                An error means that the session no longer exists: create a new one, and treat its page as paused until \
                then.
                """
        ) { trial throws(TrialError) in
            try trial.accept()
            try trial.play()
            try trial.loseArbiter(forgets: true)
            try trial.accept()
            try trial.expectNewSession()
        },
    ]
}

/// What a client must send to restore its session.
private struct Restored {
    let arbiter: UInt64
    let update: SessionUpdate?
    let application: AppState?
    let gate: GateWords?

    init(_ arbiter: ScriptedArbiter) {
        self.arbiter = arbiter.number
        update = arbiter.session.flatMap { arbiter.updates[$0] }
        (application, gate) = (arbiter.application, arbiter.gateWords)
    }

    func check(_ hello: ClientMessage.Hello) throws(TrialError) {
        guard hello.arbiter == arbiter else {
            let got = hello.arbiter.map(String.init) ?? "none"
            throw .failed("Expected `arbiter` \(arbiter) in `hello`, that of the one that died; \(got) came.")
        }
        guard hello.restoring == 1 else {
            throw .failed("Expected `restoring` 1 in `hello`; \(hello.restoring) came.")
        }
    }

    func check(_ restoration: ClientMessage.Restoration) throws(TrialError) {
        guard let update else { return }
        let record = restoration.record
        try compare("session", of: update.status.session, record.session)
        try compare("standing", of: update.status.resolvedGrant, record.resolvedGrant)
        try compare("grant", of: update.grantNumber, record.grantNumber)
        try compare("pending", of: update.pending, record.pending)
        try compare("app", of: application, record.app)
        try compare("gate", of: gate, restoration.gate)
    }

    private func compare<Value: Equatable & Encodable>(
        _ key: String, of expected: Value?, _ got: Value?
    ) throws(TrialError) {
        guard expected != got else { return }
        throw .failed("Expected `\(key)` in `restore` as it was last: \(json(expected)); \(json(got)) came.")
    }

    private func json<Value: Encodable>(_ value: Value) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: (try? encoder.encode(value)) ?? Data(), as: UTF8.self)
    }
}

extension ClientTrial {
    /// Serves a client that has connected again until its session is restored.
    fileprivate func expectRestoration(_ expected: Restored) throws(TrialError) {
        var isRestored = false
        try serve("`restore` of the session", until: { isRestored }) { message, connection throws(TrialError) in
            switch message.request {
            case .hello(let hello): try expected.check(hello)
            case .restore(let restoration):
                try expected.check(restoration)
                isRestored = true
            case .register: throw .failed("Expected `restore` of the session; it registered another one.")
            default: break
            }
            return false
        }
    }

    /// Serves a client whose session is forgotten until it has another one, or ends. It sends
    /// `restore` once at most.
    fileprivate func expectNewSession() throws(TrialError) {
        var restorations = 0
        let count: (ClientMessage, ClientConnection) throws(TrialError) -> Bool = { message, _ throws(TrialError) in
            guard case .restore = message.request else { return false }
            restorations += 1
            guard restorations == 1 else { throw .failed("Expected one `restore`; it came again after an error.") }
            return false
        }
        do throws(TrialError) {
            try serve("a new session after `restore` failed", until: { arbiter.session != nil }, answer: count)
            _ = try observe(seconds: 0.5, answer: count)
        } catch {
            guard client.hasEnded, restorations == 1, client.exit?.contains("signal") != true else { throw error }
            return remark("The client ends when its session is lost.")
        }
        guard arbiter.state?.isActive == true else {
            return remark("The client does not activate its new session.")
        }
    }
}
