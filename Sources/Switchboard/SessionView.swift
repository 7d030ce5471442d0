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

    init(_ news: SessionNews, in report: ArbiterReport, at now: EventTime) {
        let status = news.status
        let directory = Directory(report)
        self.init(status.session, status.standing, directory, at: now)
        playing = status.session.isRunning || status.session.isInputRunning
        app = report.life(of: status.session.app).rawValue
        outputs = status.route.outputs.map(\.name)
        inputs = status.route.inputs.map(\.name)
    }

    /// A session of the system's own, whose standing is all in its activity.
    init(system session: SessionState, _ standing: Standing?, _ directory: Directory, at now: EventTime) {
        self.init(session, standing, directory, at: now)
    }

    private init(_ session: SessionState, _ standing: Standing?, _ directory: Directory, at now: EventTime) {
        id = session.id.rawValue
        let isSystem = session.app == .system
        process = isSystem ? nil : session.app.rawValue
        program = isSystem ? nil : directory.program(of: session.app)
        rank = "\(session.rank)"
        category = session.configuration.category.rawValue
        mode = session.configuration.mode.rawValue
        options = session.configuration.options.names
        active = session.isActive
        state = session.stateName
        playing = session.isActive && isSystem
        attenuation = standing?.verdict.attenuation ?? 0
        ducked = session.isActive && attenuation > 0
        muted = standing?.verdict.isMuted ?? false
        ringing = session.isRinging
        reasons = (standing?.reasons ?? []).map { reason in
            ReasonView(
                kind: reason.kind.rawValue, rule: reason.rule.rawValue, by: reason.by?.rawValue,
                since: reason.since.seconds(until: now).rounded(to: 3))
        }
        app = nil
        outputs = []
        inputs = []
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
        let life = app.map { $0 == "foreground" ? "" : ", in the background".replacing(life: $0) } ?? ""
        return configuration.joined(separator: ", ") + ": " + words.joined(separator: ", ")
            + (causes.isEmpty ? "" : " (\(causes.joined(separator: "; ")))") + life
    }
}

extension String {
    fileprivate func replacing(life: String) -> String { life == "suspended" ? ", suspended" : self }
}

extension Double {
    func rounded(to digits: Int) -> Double {
        var factor = 1.0
        for _ in 0..<digits { factor *= 10 }
        return (self * factor).rounded() / factor
    }
}
