import AudioSessions

/// The status of a session, for the screen, the lines and the events.
struct PlayerSessionStatus: Codable, Equatable {
    /// "music", "prompt".
    var id: String
    var category: String
    var mode: String
    var options: [String]
    var active: Bool
    var state: State
    var ducked: Bool
    var muted: Bool
    var reasons: [Reason]

    enum State: String, Codable {
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

    struct Reason: Codable, Equatable {
        var rule: String
        /// The session that causes the state; nil for the session itself and for switches.
        var by: String?
    }

    /// A summary: "running, ducked (DUCK-1 by prompt)".
    var summary: String {
        // The rule of an inactive session adds nothing to the state.
        guard active || state == .interrupted else { return state.rawValue }
        var words = [state.rawValue]
        if ducked { words.append("ducked") }
        if muted { words.append("muted") }
        let causes = reasons.map { reason in reason.by.map { "\(reason.rule) by \($0)" } ?? reason.rule }
        return words.joined(separator: ", ") + (causes.isEmpty ? "" : " (\(causes.joined(separator: "; ")))")
    }
}
