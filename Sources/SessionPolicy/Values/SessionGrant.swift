/// What the arbiter grants a session: the content of its gate, a function of the state alone.
public struct SessionGrant: Hashable, Sendable, Codable {
    /// Attenuation in dB below unity; 0 is bit-exact unity (DUCK-5).
    public var attenuation: Double
    /// Whether the session fades to silence and its sources are then suspended (INT-8).
    public var isPaused: Bool
    /// Whether the session fades to silence while its sources continue to run.
    public var isMuted: Bool
    /// Whether the session receives live input; otherwise zeros.
    public var isInputGranted: Bool
    /// The sessions that lower this one only while they are audible (DUCK-2), the newest first, at
    /// most `maximumKeys`. The render core lowers the session by the ducked level as soon as one of
    /// them is audible; the arbiter's next grant then confirms it by `attenuation`.
    public var keys: [SessionID] {
        get { keyedBy ?? [] }
        set { keyedBy = newValue.isEmpty ? nil : newValue }
    }
    /// Optional, because older versions neither send nor store it.
    private var keyedBy: [SessionID]?

    /// The length of `keys`. Sessions beyond it lower this one by the arbiter's grant only.
    public static let maximumKeys = 16

    private enum CodingKeys: String, CodingKey {
        case attenuation, isPaused, isMuted, isInputGranted
        case keyedBy = "keys"
    }

    public init(
        attenuation: Double = 0, isPaused: Bool = false, isMuted: Bool = false, isInputGranted: Bool = false,
        keys: [SessionID] = []
    ) {
        self.attenuation = attenuation
        self.isPaused = isPaused
        self.isMuted = isMuted
        self.isInputGranted = isInputGranted
        keyedBy = keys.isEmpty ? nil : keys
    }

    /// Returns the length in seconds of the ramp from the previous grant to this one. If the
    /// attenuation differs and the session becomes neither silent nor audible, it is the duck's
    /// attack or release (DUCK-3); otherwise it is the length of the fade.
    public func ramp(from before: SessionGrant, _ settings: PolicySettings) -> Double {
        if isPaused != before.isPaused || isMuted != before.isMuted { return settings.fade }
        // The deeper of the two levels selects the normal or the strong ramp.
        let isStrong = max(attenuation, before.attenuation) == settings.strongDuckAttenuation
        if attenuation > before.attenuation { return isStrong ? settings.strongDuckAttack : settings.duckAttack }
        if attenuation < before.attenuation { return isStrong ? settings.strongDuckRelease : settings.duckRelease }
        return settings.fade
    }
}

/// A reason why a session does not run at full level with all its input.
public struct Reason: Hashable, Sendable, Codable, CustomStringConvertible {
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case inactive, interrupted, ducked, muted
        /// The session's outputs have not yet returned with their server (SRV-2).
        case suspended
        /// The session's live input delivers zeros.
        case inputSilenced
    }

    public var kind: Kind
    public var rule: Rule
    /// The session that causes this; nil if no other session does, but the session itself, its app,
    /// a switch or the route.
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

/// A grant and its reasons. A session without reasons runs at unity.
public struct ResolvedGrant: Hashable, Sendable, Codable {
    public var grant: SessionGrant
    public var reasons: [Reason]

    private enum CodingKeys: String, CodingKey {
        case grant = "verdict"
        case reasons
    }

    public init(grant: SessionGrant, reasons: [Reason]) {
        self.grant = grant
        self.reasons = reasons
    }
}
