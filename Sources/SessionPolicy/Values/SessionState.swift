/// Everything that the policy knows about one session.
public struct SessionState: Hashable, Sendable, Codable {
    public let id: SessionID
    public let app: AppID
    public let rank: Rank
    public var configuration = Configuration()
    public var activity: Activity
    /// The category that the last reported route belongs to. A route change is reported when an
    /// active session has another one (CAT-3).
    public var routedCategory = Category.soloAmbient
    public var preferences = Preferences()
    /// Whether the session is a call that has not been accepted yet (INT-6).
    public var isRinging = false
    /// Whether this is a call that began to ring while do-not-disturb was on. It stays inactive
    /// until do-not-disturb is turned off or the call is accepted (GUIDE-9).
    public var isDeferred = false
    public var prefersNoInterruptionsFromSystemAlerts = false
    public var isOutputMuted = false
    /// The uid of the input that the session prefers (ROUTE-6).
    public var preferredInput: String?
    /// Whether the output is overridden to the speaker, whatever is connected (ROUTE-5).
    public var isOverriddenToSpeaker = false
    /// Whether the session is interrupted when its output is disconnected during playback
    /// (ROUTE-4).
    public var prefersInterruptionOnRouteDisconnect = true
    /// Whether the session plays: a player runs, or its bus has signal (HINT-3); reported by the
    /// app's process. A recorder does not count.
    public var isRunning = false
    /// Whether the session takes live input; reported by the app's process, and reset by everything
    /// that stops input permanently (INT-10).
    public var isInputRunning = false
    /// Whether a player of the session is paused part-way, reported by the app's process: the
    /// session is in use, and only stops lowering others (ACT-17).
    public var isPaused: Bool {
        get { paused ?? false }
        set { paused = newValue ? true : nil }
    }
    /// Optional, because older versions neither send nor store it.
    private var paused: Bool?
    /// Whether the session lowers others only while it is audible, instead of as long as it is
    /// active (DUCK-2).
    public var ducksOnlyWhileAudible: Bool {
        get { keyed ?? false }
        set { keyed = newValue ? true : nil }
    }
    /// Optional, because older versions neither send nor store it.
    private var keyed: Bool?
    /// Whether a session that lowers others only while it is audible is so; reported by the app's
    /// process.
    public var isAudible: Bool {
        get { audible ?? false }
        set { audible = newValue ? true : nil }
    }
    private var audible: Bool?
    /// The session's silence; nil if it plays or records, or is not active (ACT-17).
    public var silence: Silence?
    /// Until when the session counts as in the foreground because of a remote play command
    /// (ACT-16).
    public var temporaryForegroundUntil: EventTime?
    /// The remote commands that the session's app handles (REMOTE-1).
    public var remoteCommands: Set<RemoteCommand.Kind> {
        get { Set(registeredCommands ?? []) }
        set { registeredCommands = newValue.isEmpty ? nil : RemoteCommand.Kind.allCases.filter(newValue.contains) }
    }
    /// In the order of the cases. Optional, because older versions neither send nor store it.
    private var registeredCommands: [RemoteCommand.Kind]?
    /// What the session plays, as its app states it (REMOTE-3).
    public var nowPlaying: NowPlayingRecord?
    /// When the session last started to play without mixing with others; nil if it never did
    /// (REMOTE-2).
    public var lastPlayed: EventTime?
    /// Whether the app's system sounds play in this session, which is never active (PLAY-4).
    public var playsSystemSounds: Bool {
        get { systemSounds ?? false }
        set { systemSounds = newValue ? true : nil }
    }
    /// Optional, because older versions neither send nor store it.
    private var systemSounds: Bool?
    /// Whether the session was active when its app was suspended, and has not been notified of that
    /// (BG-3).
    public var wasSuspended = false

    private enum CodingKeys: String, CodingKey {
        case id, app, rank, configuration, activity, routedCategory, preferences, isRinging
        case isDeferred = "isHeldBack"
        case prefersNoInterruptionsFromSystemAlerts, isOutputMuted, preferredInput, isOverriddenToSpeaker
        case prefersInterruptionOnRouteDisconnect, isRunning, isInputRunning
        case temporaryForegroundUntil = "foregroundLentUntil"
        case wasSuspended
        case paused = "isPaused"
        case keyed = "ducksOnlyWhileAudible"
        case audible = "isAudible"
        case silence, nowPlaying, lastPlayed
        case systemSounds = "playsSystemSounds"
        case registeredCommands = "remoteCommands"
    }

    public init(id: SessionID, app: AppID, rank: Rank = .app, at time: EventTime = .zero) {
        self.id = id
        self.app = app
        self.rank = rank
        activity = .inactive(since: time)
    }

    public enum Activity: Hashable, Sendable, Codable {
        case inactive(since: EventTime)
        /// `since`: the last activation, or the last change of the configuration while active,
        /// which counts as one (CAT-3).
        case active(since: EventTime)
        /// Interrupted: the end of the interruption has not been reported, and the session has not
        /// been activated since.
        case waiting(Wait)
    }

    /// Why a session waits, and for which other session.
    public struct Wait: Hashable, Sendable, Codable {
        /// The existing session that must deactivate first; nil if there is none, because the
        /// microphone is muted (INT-10) or the output was disconnected, which has no end (ROUTE-4).
        public var interrupter: SessionID?
        /// The rule by which the interrupter takes precedence.
        public var rule: Rule
        public var reason: InterruptionReason
        public var since: EventTime
        /// Whether the end of the interruption may recommend resuming: all interrupters so far
        /// notified others when they deactivated, the user has not paused the app, and the muted
        /// microphone is not the cause (INT-3, INT-7, INT-10).
        public var mayResume: Bool

        private enum CodingKeys: String, CodingKey {
            case interrupter = "rival"
            case rule, reason, since, mayResume
        }

        public init(
            interrupter: SessionID?, rule: Rule, reason: InterruptionReason, since: EventTime, mayResume: Bool = true
        ) {
            self.interrupter = interrupter
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

    /// What the session's silence has released other sessions from (ACT-17).
    public var idleRelease: IdleRelease { silence?.release ?? .none }

    public var isMixable: Bool { configuration.isMixable(outputMuted: isOutputMuted) }
    public var isPrimary: Bool { !isMixable }
}
