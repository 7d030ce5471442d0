internal import SessionArbiter
internal import SessionPolicy

extension ConformanceCheck {
    static let sessionChecks: [ConformanceCheck] = [
        ConformanceCheck(
            name: "hello", summary: "begins with hello, and sends valid packets with rising serials",
            section: "Order of messages",
            statement: "The first request is `hello`. Each request has a serial greater than all previous ones."
        ) { trial throws(TrialError) in
            let connection = try trial.accept()
            var hello: ClientMessage.Hello?
            try trial.serve("`hello`", until: { connection.requestCount > 0 }) { message, _ in
                if case .hello(let first) = message.request { hello = first }
                return false
            }
            guard let hello, ArbiterProtocol.version(for: hello) == 1 else {
                throw .failed("Expected a `hello` that supports version 1; it supports \(versions(of: hello)).")
            }
            guard hello.restoring == 0 else {
                throw .failed("Expected no sessions to be restored at first; it announces \(hello.restoring).")
            }
            try trial.play()
        },
        ConformanceCheck(
            name: "session", summary: "registers a session, and plays in it with category playback",
            section: "Requests to the policy",
            statement: "Send `setRunning` when the session begins and ceases to play."
        ) { trial throws(TrialError) in
            try trial.accept()
            try trial.play()
        },
        ConformanceCheck(
            name: "end", summary: "ends its connection and its process at SIGTERM",
            section: "Test a client",
            statement: "The client goes on until SIGTERM, and ends within 5 s."
        ) { trial throws(TrialError) in
            try trial.accept()
            try trial.play()
            guard try trial.terminate(seconds: 5) else {
                throw .failed("Expected the end of the process within 5 s of SIGTERM; it still runs.")
            }
        },
    ]

    private static func versions(of hello: ClientMessage.Hello?) -> String {
        guard let hello else { return "none" }
        return "\(hello.oldestVersion ?? hello.version) to \(hello.version)"
    }
}

extension ClientTrial {
    /// Serves the client until its session plays: registered, configured, active, running.
    func play(
        answer: (ClientMessage, ClientConnection) throws(TrialError) -> Bool = { _, _ throws(TrialError) in false }
    ) throws(TrialError) {
        do throws(TrialError) {
            try serve("a session that plays", until: { arbiter.state?.plays == true }) {
                message, connection throws(TrialError) in
                try checkSession(message)
                return try answer(message, connection)
            }
        } catch {
            guard case .failed(let text) = error, arbiter.state?.plays != true else { throw error }
            throw .failed(text + " " + missing)
        }
    }

    /// Fails if a request names a session that is not the client's.
    private func checkSession(_ message: ClientMessage) throws(TrialError) {
        guard case .submit(let action) = message.request, case .session(let id) = action.subject,
            id != arbiter.session
        else { return }
        let known = arbiter.session.map { "session \($0.rawValue)" } ?? "none, because it has registered none"
        throw .failed("Expected requests for the client's own session, \(known); this came: \(message.text)")
    }

    /// What a session needs to play.
    private var missing: String {
        guard let state = arbiter.state else { return "No session is registered." }
        var parts: [String] = []
        if state.configuration.category != .playback { parts.append("its category is not playback") }
        if !state.isActive { parts.append("it is not active") }
        if !state.isRunning { parts.append("`setRunning` has not been sent") }
        return "Of its session: " + parts.joined(separator: ", ") + "."
    }
}

extension SessionState {
    fileprivate var plays: Bool { isRunning && isActive && configuration.category == .playback }
}
