internal import SessionArbiter
internal import SessionPolicy

extension ConformanceCheck {
    static let messageChecks: [ConformanceCheck] = [
        ConformanceCheck(
            name: "ping", summary: "answers each ping, also before a reply",
            section: "Order of messages", statement: "`ping` may come at any time, also before a reply."
        ) { trial throws(TrialError) in
            try trial.accept()
            var isPinged = false
            try trial.play { message, connection throws(TrialError) in
                guard !isPinged, message.isActivation else { return false }
                isPinged = true
                try trial.ping([12], beforeReplyTo: message)
                return true
            }
            try trial.ping([13, 9_007_199_254_740_993])
        },
        ConformanceCheck(
            name: "unknown", summary: "goes on after unknown messages and keys, and reads all forms of JSON",
            section: "Transport",
            statement: """
                Keys may be in any order. Both sides ignore unknown keys, and clients ignore pushed messages that they \
                do not know. Integers range up to 2^64 - 1.
                """
        ) { trial throws(TrialError) in
            let connection = try trial.accept()
            connection.isDisguised = true
            try trial.play { message, connection throws(TrialError) in
                try trial.sendUnknown(connection)
                return false
            }
            try trial.sendUnknown(connection)
            try trial.ping([18_446_744_073_709_551_615, 18_446_744_073_709_551_613])
        },
    ]
}

extension ClientTrial {
    /// Sends pings, and serves the client until it has answered them.
    func ping(_ numbers: [UInt64]) throws(TrialError) {
        guard let connection else { return }
        for number in numbers { try require(isRead: connection.send(.ping(number))) }
        let list = numbers.map(String.init).joined(separator: ", ")
        try serve("an answer to each of the pings \(list)", until: { connection.pings.isEmpty })
    }

    /// Sends pings, and waits for the answers. Only then, this request and others that have come in
    /// the meantime are answered.
    fileprivate func ping(_ numbers: [UInt64], beforeReplyTo request: ClientMessage) throws(TrialError) {
        guard let connection else { return }
        var waiting = [request]
        for number in numbers { try require(isRead: connection.send(.ping(number))) }
        try serve(
            "an answer to a ping that precedes the reply to `activate`", until: { connection.pings.isEmpty }
        ) { message, _ throws(TrialError) in
            if case .pong = message.request { return false }
            waiting.append(message)
            return true
        }
        for message in waiting { try require(isRead: arbiter.answer(message, on: connection)) }
    }

    /// Sends messages of a later version of the protocol.
    fileprivate func sendUnknown(_ connection: ClientConnection) throws(TrialError) {
        let session = arbiter.session?.rawValue ?? 1
        let texts = [
            #"{"futureMessage": {"version": 2, "list": [1, null, "x", {"a": [[]]}], "number": 18446744073709551615}}"#,
            "\n {\t\"futureNumber\" :\r\n 3 } ",
            #"{"notice": {"decision": 3, "session": \#(session), "effect": "futureEffect", "rule": "FUTURE-1"}}"#,
        ]
        for text in texts { try require(isRead: connection.send(text: text)) }
    }
}
