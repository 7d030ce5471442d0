/// What a session is granted: the contents of its gate, a function of the state alone.
public struct Verdict: Hashable, Sendable, Codable {
    /// dB below unity; 0 is bit-exact unity (DUCK-5).
    public var attenuation: Double
    /// Fades to silence, then the sources stand still (INT-8).
    public var isPaused: Bool
    /// Fades to silence, the sources run on.
    public var isMuted: Bool
    /// Live input may be heard.
    public var isInputGranted: Bool

    public init(
        attenuation: Double = 0, isPaused: Bool = false, isMuted: Bool = false, isInputGranted: Bool = false
    ) {
        self.attenuation = attenuation
        self.isPaused = isPaused
        self.isMuted = isMuted
        self.isInputGranted = isInputGranted
    }

    /// Seconds from the verdict before to this one: into and out of silence by the fade, else the duck's ways (DUCK-3).
    public func ramp(from before: Verdict, _ settings: PolicySettings) -> Double {
        if isPaused != before.isPaused || isMuted != before.isMuted { return settings.fade }
        // The level that is reached, or left, says whose way it is.
        let isStrong = max(attenuation, before.attenuation) == settings.strongDuckAttenuation
        if attenuation > before.attenuation { return isStrong ? settings.strongDuckAttack : settings.duckAttack }
        if attenuation < before.attenuation { return isStrong ? settings.strongDuckRelease : settings.duckRelease }
        return settings.fade
    }
}

/// Why a session is not simply running at full level.
public struct Reason: Hashable, Sendable, Codable, CustomStringConvertible {
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case inactive, interrupted, ducked, muted
        /// Its live input is zeros.
        case inputSilenced
    }

    public var kind: Kind
    public var rule: Rule
    /// The session that causes it; nil when the session itself or a switch does.
    public var by: SessionID?
    public var since: EventTime

    public init(_ kind: Kind, _ rule: Rule, by: SessionID? = nil, since: EventTime) {
        self.kind = kind
        self.rule = rule
        self.by = by
        self.since = since
    }

    public var description: String {
        "\(kind.rawValue) by \(rule.rawValue)" + (by.map { " because of \($0)" } ?? "")
    }
}

/// A verdict and why it is so. Without reasons the session runs at unity.
public struct Standing: Hashable, Sendable, Codable {
    public var verdict: Verdict
    public var reasons: [Reason]

    public init(verdict: Verdict, reasons: [Reason]) {
        self.verdict = verdict
        self.reasons = reasons
    }
}
