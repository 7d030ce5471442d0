internal import SessionArbiter

extension ConformanceCheck {
    /// A client that connects without a pause does so thousands of times a second.
    private static let connectionsPerSecond = 100
    private static let observedSeconds = 2

    static let connectionChecks: [ConformanceCheck] = [
        ConformanceCheck(
            name: "absence", summary: "pauses between attempts while no arbiter serves, and finds the next one",
            section: "Transport", statement: "Retry the connection for a while."
        ) { trial throws(TrialError) in
            try trial.accept()
            try trial.play()
            try trial.loseArbiter()
            let count = try trial.countConnections(seconds: Double(observedSeconds))
            try limit(count, "while each one is ended at once")
            try trial.accept()
            let first = trial.arbiter.requests.count
            try trial.serve("`hello` to the next arbiter", until: { trial.arbiter.requests.count > first })
        },
        ConformanceCheck(
            name: "version", summary: "sends nothing else when hello fails, and does not insist",
            section: "Versions",
            statement: "If there is no version that both sides support, the reply to `hello` is the error `malformed`."
        ) { trial throws(TrialError) in
            let count = try trial.countRefusedHellos(seconds: Double(observedSeconds))
            try limit(count, "while `hello` fails")
        },
    ]

    private static func limit(_ count: Int, _ condition: String) throws(TrialError) {
        guard count <= connectionsPerSecond * observedSeconds else {
            throw .failed(
                "Expected at most \(connectionsPerSecond) connections a second \(condition); "
                    + "\(count / observedSeconds) came.")
        }
    }
}

extension ClientTrial {
    /// Ends each connection at once. Returns how many came.
    fileprivate func countConnections(seconds: Double) throws(TrialError) -> Int {
        let end = TimeLimit(seconds: seconds)
        var count = 0
        while !end.hasPassed, try waitForConnection(or: [], until: end) {
            if acceptNow() != nil { count += 1 }
        }
        return count
    }

    /// Refuses each `hello`. Returns how many connections or `hello` came in that time, of which
    /// there is one at least.
    fileprivate func countRefusedHellos(seconds: Double) throws(TrialError) -> Int {
        var (hellos, count) = (0, 0)
        var connections: [ClientConnection] = []
        var end = TimeLimit(seconds: limit)
        while !end.hasPassed, try waitForConnection(or: connections, until: end) {
            if let new = acceptNow() {
                connections.append(new)
                count += 1
                guard connections.count <= 100 else {
                    throw .failed("Expected few connections at a time; there are more than 100.")
                }
            }
            let before = hellos
            var remaining: [ClientConnection] = []
            for connection in connections where try refuse(on: connection, &hellos) { remaining.append(connection) }
            connections = remaining
            if before == 0, hellos > 0 { end = TimeLimit(seconds: seconds) }
        }
        guard hellos > 0 else { throw .failed("Expected `hello`; none came\(suffix).") }
        if client.hasEnded { remark("The client ends when no version of the protocol is supported.") }
        return max(count, hellos)
    }

    /// Refuses what has come on the connection. Returns false at its end.
    private func refuse(on connection: ClientConnection, _ hellos: inout Int) throws(TrialError) -> Bool {
        switch try connection.receive() {
        case .end: return false
        case .nothing: return true
        case .message(let message):
            guard case .hello = message.request else {
                throw .failed("Expected nothing but `hello` until it is accepted; this came: \(message.text)")
            }
            hellos += 1
            let text = "This arbiter supports versions 2 to 3 of the protocol."
            try require(isRead: arbiter.refuse(message.serial, .malformed, text, connection))
            return true
        }
    }
}
