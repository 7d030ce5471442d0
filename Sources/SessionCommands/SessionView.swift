internal import SessionArbiter
internal import SessionPolicy

/// A session as the commands show it. The keys are a public interface, as in the `session` event of
/// `player`: keys may be added, but not changed.
struct SessionView: Encodable, Equatable {
    var id: UInt64
    /// The process id of the app; nil for a system session.
    var process: UInt64?
    /// The path of the app's program.
    var program: String?
    /// Whether the program does not use this library, and `audiosession-adopt` acts for it; nil
    /// otherwise.
    var adopted: Bool?
    /// What the app says about the session; nil if it says nothing.
    var description: DescriptionView?
    /// What `audiosession` holds the session for: "run: espeak", "duck", "pause"; nil for other
    /// programs.
    var command: String?
    /// "app", "assistant", "alarm", "call", "sleep".
    var rank: String
    var category: String
    var mode: String
    var options: [String]
    var active: Bool
    /// "running", "interrupted", "inactive"; "ready" for system sounds, which need no activation
    /// (PLAY-4).
    var state: String
    /// Whether the app's system sounds play in this session; nil otherwise.
    var systemSounds: Bool?
    /// Whether the session reports that it plays or records.
    var playing: Bool
    /// "ducking", "all": what its silence has released other sessions from (ACT-17); nil otherwise.
    var released: String?
    /// Whether the session, which lowers others only while it is audible, is audible; nil for other
    /// sessions (DUCK-2).
    var audible: Bool?
    var ducked: Bool
    /// The attenuation in dB.
    var attenuation: Double
    var muted: Bool
    var ringing: Bool
    var reasons: [ReasonView]
    /// The state of the app; nil for a system session.
    var app: String?
    var outputs: [String]
    var inputs: [String]

    /// The keys of `SessionDescription`.
    struct DescriptionView: Encodable, Equatable {
        var name: String?
        var evidence: String?
        var detail: String?
        var entry: String?
        var controls: [String]?
        /// Whether `audiosession-adopt` says this, and not the app about itself.
        var isByAdopter = false

        private enum CodingKeys: String, CodingKey { case name, evidence, detail, entry, controls }
    }

    struct ReasonView: Encodable, Equatable {
        /// "interrupted", "ducked", "muted", "suspended", "inactive", "inputSilenced".
        var kind: String
        var rule: String
        /// The session that causes the state; nil for the session itself and for switches.
        var by: UInt64?
        /// Seconds for which the reason has applied.
        var since: Double
    }

    init(_ status: SessionStatus, in report: ArbiterReport, at now: EventTime) {
        let session = status.session
        let isSystem = session.app == .system
        id = session.id.rawValue
        process = isSystem ? nil : session.app.rawValue
        let names = SessionNames(report)
        program = isSystem ? nil : names.program(of: session.app)
        command = isSystem ? nil : names.command(of: session.app)
        adopted = report.adopted?.contains { $0.app == session.app } == true ? true : nil
        description = names.description(of: session.id).map {
            DescriptionView(
                name: $0.name, evidence: $0.evidence, detail: $0.detail, entry: $0.entry, controls: $0.controls,
                isByAdopter: names.isAdopted(session.id))
        }
        rank = "\(session.rank)"
        category = session.configuration.category.rawValue
        mode = session.configuration.mode.rawValue
        options = session.configuration.options.names
        active = session.isActive
        state = session.stateName
        systemSounds = session.playsSystemSounds ? true : nil
        playing = session.isRunning || session.isInputRunning
        released = session.idleRelease == .none ? nil : session.idleRelease.rawValue
        audible = session.ducksOnlyWhileAudible ? session.isAudible : nil
        attenuation = status.resolvedGrant.grant.attenuation
        ducked = (session.isActive || session.playsSystemSounds) && attenuation > 0
        muted = status.resolvedGrant.grant.isMuted
        ringing = session.isRinging
        reasons = status.resolvedGrant.reasons.map { reason in
            ReasonView(
                kind: reason.kind.rawValue, rule: reason.rule.rawValue, by: reason.by?.rawValue,
                since: reason.since.seconds(until: now).rounded(to: 3))
        }
        app = isSystem ? nil : report.state(of: session.app).rawValue
        outputs = isSystem ? [] : status.route.outputs.map(\.name)
        inputs = isSystem ? [] : status.route.inputs.map(\.name)
    }

    /// Returns a summary: "playback, mixWithOthers: running, ducked by 14 dB (DUCK-1 by session 6
    /// (player, pid 4711)), app in the background". The outer parentheses list the reasons, also
    /// those that no state shows: a duck that applies once the session is active (DUCK-7), and a
    /// silenced input. Leaves out the default mode, the app's state if it is in the foreground, and
    /// ACT-1, which `inactive` already says.
    func summary(_ names: SessionNames) -> String {
        let configuration =
            systemSounds == true
            ? ["system sounds"]
            : [category] + (mode == "default" ? [] : ["mode " + mode]) + options
                + (audible == nil ? [] : ["ducks only while audible"])
        var states = [ringing && active ? "ringing" : state]
        if let released {
            states.append(released == "all" ? "silent, nobody waits for it" : "silent, nobody is ducked by it")
        }
        if audible == true { states.append("audible") }
        if ducked { states.append("ducked by \(Text.rounded(attenuation, 1)) dB") }
        if muted { states.append("muted") }
        // ACT-1 only says that the session is not activated, as its state already does.
        let notable = reasons.filter { $0.kind != "inactive" || $0.rule != Rule.act1.rawValue }
        let causes =
            (released == nil ? [] : [Rule.act17.rawValue])
            + notable.map { reason in
                reason.rule + (reason.by.map { " by " + names.name(SessionID($0)) } ?? "")
            }
        let appSuffix =
            switch app {
            case "background": ", app in the background"
            case "suspended": ", app suspended"
            default: ""
            }
        let details = (adopted == true ? ["adopted"] : []) + configuration
        return details.joined(separator: ", ") + ": " + states.joined(separator: ", ")
            + (causes.isEmpty ? "" : " (\(causes.joined(separator: "; ")))") + appSuffix
    }
}

extension Double {
    func rounded(to digits: Int) -> Double {
        var factor = 1.0
        for _ in 0..<digits { factor *= 10 }
        return (self * factor).rounded() / factor
    }
}
