public import SessionPolicy

/// What an arbiter says of one session: a value of one moment.
public struct SessionStatus: Hashable, Sendable, Codable {
    /// Configuration, activity, wishes.
    public var session: SessionState
    /// The verdict in its gate, and why.
    public var standing: Standing
    /// Keeps HINT-1.
    public var isOtherAudioPlaying: Bool
    /// Keeps HINT-1.
    public var secondaryAudioShouldBeSilenced: Bool
    /// The system volume, 0…1 (VOL-1).
    public var volume: Float
    /// Where its sound goes and comes from (ROUTE-1).
    public var route: Route
    /// What it may choose from (ROUTE-6).
    public var availableInputs: [DevicePort]
    /// Whether any device that its app sees has an input.
    public var isInputAvailable: Bool
    /// Whether an accepted call goes on.
    public var isInCall: Bool
}

/// What a session is told: an effect, and the number of the decision it comes from (ACT-11).
public struct SessionNotice: Hashable, Sendable, Codable {
    public var decision: UInt64
    public var effect: Effect

    public init(decision: UInt64, effect: Effect) {
        self.decision = decision
        self.effect = effect
    }

    private enum Key: CodingKey { case decision }

    /// The effect's own keys, and the decision's number beside them.
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
