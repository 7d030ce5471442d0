internal import SessionArbiter
internal import SessionPolicy

/// The arbiter's grant to the session at one moment, and the rules behind it; `AudioSession.State`
/// is an alias.
public struct AudioSessionState: Hashable, Sendable {
    public enum Activity: String, Hashable, Sendable {
        /// The session is active, whether or not anything plays in it.
        case running
        /// The session was interrupted, and the interruption has not ended.
        case interrupted
        case inactive
    }

    /// A rule that keeps the session from running at full level.
    public struct Reason: Hashable, Sendable {
        /// The rule's id, such as "DUCK-1".
        public var rule: String
        /// The session that causes the effect; nil when the cause is this session itself or a
        /// switch of the device.
        public var by: UInt64?
        /// The effect: "inactive", "interrupted", "ducked", "muted", "suspended" or
        /// "inputSilenced".
        public var effect: String
        /// When the effect began, in seconds of the system's monotonic clock
        /// (`DispatchTime.uptimeNanoseconds` divided by 10⁹).
        public var since: Double
    }

    public var activity: Activity
    /// Whether another session ducks this one; `attenuation` is the amount in dB.
    public var isDucked: Bool { attenuation > 0 && activity == .running }
    /// The attenuation below full level in dB, 0 or more.
    public var attenuation: Double
    public var isMuted: Bool
    /// Empty when the session runs at full level.
    public var reasons: [Reason]
}

extension AudioSessionState {
    init(_ session: SessionState?, _ resolvedGrant: ResolvedGrant?) {
        activity =
            switch session?.activity {
            case .active: .running
            case .waiting: .interrupted
            case .inactive, nil: .inactive
            }
        attenuation = resolvedGrant?.grant.attenuation ?? 0
        isMuted = resolvedGrant?.grant.isMuted ?? false
        reasons = (resolvedGrant?.reasons ?? []).map {
            Reason(
                rule: $0.rule.rawValue, by: $0.by?.rawValue, effect: $0.kind.rawValue,
                since: Double($0.since.nanoseconds) / 1e9)
        }
    }
}
