internal import SessionArbiter
internal import SessionPolicy

extension ConformanceCheck {
    /// A client that repeats a request at every opportunity sends thousands a second.
    private static let requestsPerSecond = 50

    static let policyChecks: [ConformanceCheck] = [
        ConformanceCheck(
            name: "refusal", summary: "stays connected when its activation is refused, and does not insist",
            section: "Errors", statement: "A request that fails has changed nothing."
        ) { trial throws(TrialError) in
            try trial.accept()
            var refusals = 0
            let refuse: (ClientMessage, ClientConnection) throws(TrialError) -> Bool = {
                message, connection throws(TrialError) in
                guard message.isActivation else { return false }
                refusals += 1
                try trial.require(isRead: connection.send(.failure(message.serial, RequestError(refusal(of: trial)))))
                return true
            }
            try trial.serve("a request to activate the session", until: { refusals > 0 }, answer: refuse)
            let count = try trial.observe(seconds: 1, answer: refuse)
            guard count < requestsPerSecond else {
                throw .failed(
                    "Expected fewer than \(requestsPerSecond) requests in the second after a refusal; \(count) came.")
            }
            try trial.ping([20])
        },
        ConformanceCheck(
            name: "error", summary: "goes on after an error with an unknown code or rule",
            section: "Errors",
            statement: "A later arbiter may send other codes and rules: such an error is an error with a message."
        ) { trial throws(TrialError) in
            try trial.accept()
            var count = 0
            let fail: (ClientMessage, ClientConnection) throws(TrialError) -> Bool = {
                message, connection throws(TrialError) in
                guard message.isActivation else { return false }
                count += 1
                try trial.require(isRead: connection.send(text: futureError(count, message.serial)))
                return true
            }
            try trial.serve("a request to activate the session", until: { count > 0 }, answer: fail)
            _ = try trial.observe(seconds: 0.5, answer: fail)
            try trial.ping([21])
        },
        ConformanceCheck(
            name: "interruption", summary: "survives an interruption, and resumes when it may",
            section: "Pushed messages",
            statement: "`notice` reports what happened to a session: `interruptionEnded` with `shouldResume`."
        ) { trial throws(TrialError) in
            let connection = try trial.accept()
            try trial.play()
            try trial.require(isRead: trial.arbiter.beginInterruption(connection))
            try trial.ping([30])
            let before = trial.arbiter.requests.count
            try trial.require(isRead: trial.arbiter.endInterruption(connection))
            try trial.ping([31])
            let isActive = { trial.arbiter.state?.isActive == true }
            let end = TimeLimit(seconds: 2)
            while !isActive(), !end.hasPassed { _ = try trial.observe(seconds: 0.05) }
            let count = trial.arbiter.requests.count - before
            guard count < requestsPerSecond * 2 else {
                throw .failed("Expected a few requests after the interruption; \(count) came.")
            }
            if !isActive() { trial.remark("The client does not activate its session again after the interruption.") }
        },
    ]

    /// An error as a later arbiter may send it.
    private static func futureError(_ number: Int, _ serial: UInt64) -> String {
        let refusal = #"{"code": "futureCode", "rule": "FUTURE-1", "message": "A later rule refuses."}"#
        return number % 2 == 1
            ? #"{"reply": \#(serial), "error": {"code": "futureCode", "message": "A later arbiter refuses."}}"#
            : #"{"reply": \#(serial), "error": {"code": "refused", "message": "So it does.", "refusal": \#(refusal)}}"#
    }

    private static func refusal(of trial: ClientTrial) -> Refusal {
        let id = trial.arbiter.session?.rawValue ?? 0
        return Refusal(
            .insufficientPriority, .act5, by: SessionID(id + 1),
            "session \(id) cannot activate while session \(id + 1) (rank call) is active. Try again when it has ended.")
    }
}

extension ClientMessage {
    /// Whether this requests that a session becomes active.
    var isActivation: Bool {
        switch request {
        case .submit(.activate), .submit(.requestActivation): true
        default: false
        }
    }
}
