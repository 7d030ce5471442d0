internal import SessionArbiter
internal import SessionPolicy

/// A session as the commands show it. The keys are a public interface, as in the `session` event of `player`: add, do not change.
struct SessionView: Encodable, Equatable {
    var id: UInt64
    /// The app's process; nil for a session of the system's own.
    var process: UInt64?
    /// The path of its program.
    var program: String?
    /// "app", "assistant", "alarm", "call".
    var rank: String
    var category: String
    var mode: String
    var options: [String]
    var active: Bool
    /// "running", "interrupted", "inactive".
    var state: String
    /// Whether it says that something plays or records.
    var playing: Bool
    var ducked: Bool
    /// dB by which it is lowered.
    var attenuation: Double
    var muted: Bool
    var ringing: Bool
    var reasons: [ReasonView]
    /// Where its app is in its life; nil for the system's.
    var app: String?
    var outputs: [String]
    var inputs: [String]

    struct ReasonView: Encodable, Equatable {
        /// "interrupted", "ducked", "muted", "inactive", "inputSilenced".
        var kind: String
        var rule: String
        /// The session that causes it; nil for the session itself and for switches.
        var by: UInt64?
        /// Seconds for which it has been so.
        var since: Double
    }

    init(_ status: SessionStatus, in report: ArbiterReport, at now: EventTime) {
        let session = status.session
        let isSystem = session.app == .system
        id = session.id.rawValue
        process = isSystem ? nil : session.app.rawValue
        program = isSystem ? nil : Directory(report).program(of: session.app)
        rank = "\(session.rank)"
        category = session.configuration.category.rawValue
        mode = session.configuration.mode.rawValue
        options = session.configuration.options.names
        active = session.isActive
        state = session.stateName
        playing = session.isRunning || session.isInputRunning
        attenuation = status.standing.verdict.attenuation
        ducked = session.isActive && attenuation > 0
        muted = status.standing.verdict.isMuted
        ringing = session.isRinging
        reasons = status.standing.reasons.map { reason in
            ReasonView(
                kind: reason.kind.rawValue, rule: reason.rule.rawValue, by: reason.by?.rawValue,
                since: reason.since.seconds(until: now).rounded(to: 3))
        }
        app = isSystem ? nil : report.life(of: session.app).rawValue
        outputs = isSystem ? [] : status.route.outputs.map(\.name)
        inputs = isSystem ? [] : status.route.inputs.map(\.name)
    }

    /// "playback, mode default, mixWithOthers: running, ducked by 14 dB (DUCK-1 by session 6)".
    func summary(_ directory: Directory) -> String {
        let configuration = [category] + (mode == "default" ? [] : ["mode " + mode]) + options
        var words = [ringing && active ? "ringing" : state]
        if ducked { words.append("ducked by \(Text.rounded(attenuation, 1)) dB") }
        if muted { words.append("muted") }
        // Of a session that is simply inactive, its rule says nothing that the word does not.
        let telling = reasons.filter { $0.kind != "inactive" || $0.rule != Rule.act1.rawValue }
        let causes = telling.map { reason in
            reason.rule + (reason.by.map { " by " + directory.name(SessionID($0)) } ?? "")
        }
        let life =
            switch app {
            case "background": ", in the background"
            case "suspended": ", suspended"
            default: ""
            }
        return configuration.joined(separator: ", ") + ": " + words.joined(separator: ", ")
            + (causes.isEmpty ? "" : " (\(causes.joined(separator: "; ")))") + life
    }
}

extension Double {
    func rounded(to digits: Int) -> Double {
        var factor = 1.0
        for _ in 0..<digits { factor *= 10 }
        return (self * factor).rounded() / factor
    }
}
