/// All that the policy knows of one session.
public struct SessionState: Hashable, Sendable, Codable {
    public let id: SessionID
    public let app: AppID
    public let rank: Rank
    public var configuration = Configuration()
    public var activity: Activity
    /// The category that the route last followed; another one posts a route change (CAT-3).
    public var routedCategory = Category.soloAmbient
    public var preferences = Preferences()
    /// A call that is not accepted yet (INT-6).
    public var isRinging = false
    /// Of the system, and begun while it must not disturb: inactive until that is over, or until the call is accepted (GUIDE-9).
    public var isHeldBack = false
    public var prefersNoInterruptionsFromSystemAlerts = false
    public var isOutputMuted = false
    /// The input it chose, by uid (ROUTE-6).
    public var preferredInput: String?
    /// Sound goes to the speaker whatever is connected (ROUTE-5).
    public var isOverriddenToSpeaker = false
    /// Whether it is interrupted when its output is pulled out while it plays (ROUTE-4).
    public var prefersInterruptionOnRouteDisconnect = true
    /// Whether a player, recorder or callback runs; told by the app's side.
    public var isRunning = false
    /// Whether it takes live input; told by the app's side, and taken back by whatever stops input for good (INT-10).
    public var isInputRunning = false
    /// Until when it counts as in the foreground because of a remote play command (ACT-16).
    public var foregroundLentUntil: EventTime?
    /// Was active when its app was suspended, which it has not been told (BG-3).
    public var wasSuspended = false

    public init(id: SessionID, app: AppID, rank: Rank = .app, at time: EventTime = .zero) {
        self.id = id
        self.app = app
        self.rank = rank
        activity = .inactive(since: time)
    }

    public enum Activity: Hashable, Sendable, Codable {
        case inactive(since: EventTime)
        case active(since: EventTime)
        /// Interrupted, no end told yet, not activated since.
        case waiting(Wait)
    }

    /// Why and for whom a session waits.
    public struct Wait: Hashable, Sendable, Codable {
        /// Who must leave, a session that exists; nil when none does: the microphone is muted (INT-10), or
        /// the output was pulled out, which has no end (ROUTE-4).
        public var rival: SessionID?
        /// The rule by which that one stands in the way.
        public var rule: Rule
        public var reason: InterruptionReason
        public var since: EventTime
        /// Whether all that stood in the way so far left with notice and nobody said pause (INT-3, INT-7).
        public var mayResume: Bool

        public init(
            rival: SessionID?, rule: Rule, reason: InterruptionReason, since: EventTime, mayResume: Bool = true
        ) {
            self.rival = rival
            self.rule = rule
            self.reason = reason
            self.since = since
            self.mayResume = mayResume
        }
    }

    public var isActive: Bool {
        if case .active = activity { true } else { false }
    }

    public var wait: Wait? {
        if case .waiting(let wait) = activity { wait } else { nil }
    }

    public var isMixable: Bool { configuration.isMixable(outputMuted: isOutputMuted) }
    public var isPrimary: Bool { !isMixable }
}

/// Why an interruption began. Raw values are AVAudioSession's.
public enum InterruptionReason: UInt, Hashable, Sendable, Codable, CaseIterable {
    case `default` = 0
    case appWasSuspended = 1
    case builtInMicMuted = 2
    case routeDisconnected = 4
}

/// Why a route changed. Raw values are AVAudioSession's.
public enum RouteChangeReason: UInt, Hashable, Sendable, Codable, CaseIterable {
    case unknown = 0
    case newDeviceAvailable = 1
    case oldDeviceUnavailable = 2
    case categoryChange = 3
    case override = 4
    case wakeFromSleep = 6
    case noSuitableRouteForCategory = 7
    case routeConfigurationChange = 8
}
