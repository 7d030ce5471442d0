public import SessionPolicy

/// The status of one session at one moment, as an arbiter reports it.
public struct SessionStatus: Hashable, Sendable, Codable {
    /// Configuration, activity and preferred values.
    public var session: SessionState
    /// The grant in the session's gate, and its reasons.
    public var resolvedGrant: ResolvedGrant
    /// Whether another session plays (keeps HINT-1).
    public var isOtherAudioPlaying: Bool
    /// Whether another primary session plays, so that secondary audio should be silenced
    /// (keeps HINT-1).
    public var secondaryAudioShouldBeSilenced: Bool
    /// The system volume, 0…1 (VOL-1); for a ringing call the ring volume (VOL-2).
    public var volume: Float
    /// The ports through which the session plays and records, or would if it were active (ROUTE-1).
    public var route: Route
    /// The inputs that the session may choose from (ROUTE-6).
    public var availableInputs: [DevicePort]
    /// Whether any device that its app sees has an input.
    public var isInputAvailable: Bool
    /// Whether an accepted call is active.
    public var isInCall: Bool

    private enum CodingKeys: String, CodingKey {
        case session, isOtherAudioPlaying, secondaryAudioShouldBeSilenced, volume, route, availableInputs
        case isInputAvailable, isInCall
        case resolvedGrant = "standing"
    }
}

/// A notification for a session: an effect, and the number of the decision that caused it (ACT-11).
public struct SessionNotice: Hashable, Sendable, Codable {
    public var decision: UInt64
    public var effect: Effect

    public init(decision: UInt64, effect: Effect) {
        self.decision = decision
        self.effect = effect
    }

    private enum Key: CodingKey { case decision }

    /// The effect's keys are at the same level as `decision`.
    public init(from decoder: any Decoder) throws {
        decision = try decoder.container(keyedBy: Key.self).decode(UInt64.self, forKey: .decision)
        effect = try Effect(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(decision, forKey: .decision)
        try effect.encode(to: encoder)
    }
}
