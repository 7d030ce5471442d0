internal import AudioSessions

/// The status of a session, for the screen, the lines and the events.
package struct SessionStatus: Codable, Equatable {
    /// The name that the program gives the session: "music", "prompt".
    package var id: String
    package var category: String
    package var mode: String
    package var options: [String]
    package var active: Bool
    package var state: State
    package var ducked: Bool
    package var muted: Bool
    package var reasons: [Reason]

    package enum State: String, Codable {
        case running, interrupted, inactive

        init(_ activity: AudioSession.State.Activity) {
            self =
                switch activity {
                case .running: .running
                case .interrupted: .interrupted
                case .inactive: .inactive
                }
        }
    }

    package struct Reason: Codable, Equatable {
        package var rule: String
        /// The session that causes the state; nil for the session itself and for switches.
        package var by: String?
    }

    /// A summary: "running, ducked (DUCK-1 by prompt)".
    package var summary: String {
        // The rule of an inactive session adds nothing to the state.
        guard active || state == .interrupted else { return state.rawValue }
        var words = [state.rawValue]
        if ducked { words.append("ducked") }
        if muted { words.append("muted") }
        let causes = reasons.map { reason in reason.by.map { "\(reason.rule) by \($0)" } ?? reason.rule }
        return words.joined(separator: ", ") + (causes.isEmpty ? "" : " (\(causes.joined(separator: "; ")))")
    }
}
