internal import SessionArbiter
internal import SessionPolicy

/// Why the session is as it is (ACT-13).
extension AudioSession {
    /// What the arbiter grants the session at one moment, and by which rules.
    public struct State: Hashable, Sendable {
        public enum Activity: String, Hashable, Sendable {
            case running, interrupted, inactive
        }

        /// One rule that keeps the session from running at full level.
        public struct Reason: Hashable, Sendable {
            /// The rule's id, such as "DUCK-1".
            public var rule: String
            /// The session that causes it; nil when this session itself or a switch of the device does.
            public var by: UInt64?
            /// What it does: "inactive", "interrupted", "ducked", "muted" or "inputSilenced".
            public var effect: String
            /// Since when, in seconds of the system's steady clock (`DispatchTime.uptimeNanoseconds`).
            public var since: Double
        }

        public var activity: Activity
        /// Lowered because of another session; by how much, in dB, is `attenuation`.
        public var isDucked: Bool { attenuation > 0 && activity == .running }
        /// dB below full level, 0 or more.
        public var attenuation: Double
        public var isMuted: Bool
        /// Empty when the session runs at full level.
        public var reasons: [Reason]
    }

    /// What the arbiter grants this session now.
    public var state: State { State(status?.session, status?.standing) }

    /// Whether the session is active: sounds as far as its state says.
    public var isActive: Bool { status?.session.isActive ?? false }

    /// Why it is as it is, a sentence a reason, and then what was refused last (`lastRefusal`); empty when it runs at full level and nothing was
    /// refused (keeps ACT-13).
    public func explain() -> [String] {
        guard case .success(let connection) = connection else { return ["The session could not be made."] }
        return host.arbiter.explain(connection.id) + [lastRefusal?.sentence(of: id)].compactMap(\.self)
    }
}

extension AudioSession.State {
    init(_ session: SessionState?, _ standing: Standing?) {
        activity =
            switch session?.activity {
            case .active: .running
            case .waiting: .interrupted
            case .inactive, nil: .inactive
            }
        attenuation = standing?.verdict.attenuation ?? 0
        isMuted = standing?.verdict.isMuted ?? false
        reasons = (standing?.reasons ?? []).map {
            Reason(
                rule: $0.rule.rawValue, by: $0.by?.rawValue, effect: $0.kind.rawValue,
                since: Double($0.since.nanoseconds) / 1e9)
        }
    }
}
