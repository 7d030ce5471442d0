internal import SessionArbiter
internal import SessionPolicy

/// A setting of the file: its section and key, its range, and the value that it sets.
struct Setting: Sendable {
    let section: String
    let key: String
    let kind: Kind

    /// The property that the setting changes, its range and its unit.
    enum Kind: Sendable {
        case real(any WritableKeyPath<ServiceSettings, Double> & Sendable, ClosedRange<Double>, String)
        case level(any WritableKeyPath<ServiceSettings, Float> & Sendable)
        case whole(any WritableKeyPath<ServiceSettings, Int> & Sendable, ClosedRange<Int>, String)
        case flag(any WritableKeyPath<ServiceSettings, Bool> & Sendable)
        case lockReaction(any WritableKeyPath<ServiceSettings, DesktopSettings.LockReaction> & Sendable)
        /// Absolute paths.
        case paths(any WritableKeyPath<ServiceSettings, [String]> & Sendable)
        /// Permissions by absolute path.
        case permissions(any WritableKeyPath<ServiceSettings, [String: RecordPermission]> & Sendable)
    }

    init(_ section: String, _ key: String, _ kind: Kind) {
        self.section = section
        self.key = key
        self.kind = kind
    }

    /// For example "duck.attack".
    var name: String { "\(section).\(key)" }

    private static let decibels = 0.0...120.0
    /// The maximum length of a gate's ramp.
    private static let seconds = 0.0...60.0

    /// All settings. Packaging/audiosession.yaml explains each.
    static let all: [Setting] = [
        Setting("duck", "attenuation", .real(\.arbiter.policy.duckAttenuation, decibels, "dB")),
        Setting("duck", "strong-attenuation", .real(\.arbiter.policy.strongDuckAttenuation, decibels, "dB")),
        Setting("duck", "attack", .real(\.arbiter.policy.duckAttack, seconds, "s")),
        Setting("duck", "release", .real(\.arbiter.policy.duckRelease, seconds, "s")),
        Setting("duck", "strong-attack", .real(\.arbiter.policy.strongDuckAttack, seconds, "s")),
        Setting("duck", "strong-release", .real(\.arbiter.policy.strongDuckRelease, seconds, "s")),
        Setting("duck", "all-outputs", .flag(\.arbiter.policy.ducksAllOutputs)),
        Setting("duck", "audible-threshold", .real(\.arbiter.policy.audibleThreshold, 0...100, "dB")),
        Setting("duck", "audible-hold", .real(\.arbiter.policy.audibleHold, 0...60, "s")),

        Setting("ramps", "fade", .real(\.arbiter.policy.fade, seconds, "s")),
        Setting("ramps", "volume", .real(\.arbiter.policy.volumeRamp, seconds, "s")),

        Setting("rules", "unsuited-mode-is-default", .flag(\.arbiter.policy.treatsUnsuitedModeAsDefault)),
        Setting("rules", "report-busy-on-deactivation", .flag(\.arbiter.policy.reportsBusyOnDeactivation)),
        Setting("rules", "notify-suspension", .flag(\.arbiter.policy.notifiesSuspension)),
        Setting("rules", "muted-microphone-interrupts", .flag(\.arbiter.policy.mutedMicrophoneInterrupts)),
        Setting("rules", "remote-play-grace", .real(\.arbiter.policy.remotePlayGrace, 0...3_600, "s")),

        Setting("rules", "conversations-outrank-apps", .flag(\.arbiter.policy.conversationsOutrankApps)),
        Setting("rules", "idle-release", .real(\.arbiter.policy.idleRelease, 0...86_400, "s")),
        Setting("rules", "idle-duck-release", .real(\.arbiter.policy.idleDuckRelease, 0...86_400, "s")),

        Setting("rules", "record-through-input-change", .flag(\.arbiter.recordsThroughInputChange)),

        Setting("server", "manual-reset", .flag(\.arbiter.resetsSessionsWithServer)),
        Setting("server", "suspend-on-idle", .real(\.arbiter.suspendOnIdle, 0...86_400, "s")),

        Setting("volume", "system", .level(\.volume)),
        Setting("volume", "ringing", .level(\.ringVolume)),

        Setting("programs", "trusted", .paths(\.trustedPrograms)),
        Setting("programs", "record-permissions", .permissions(\.recordPermissions)),

        Setting("desktop", "media-control", .flag(\.servesMediaControl)),
        Setting("desktop", "sleep", .flag(\.desktop.reportsSleep)),
        Setting("desktop", "resume-after-sleep", .flag(\.desktop.resumesAfterSleep)),
        Setting("desktop", "lock", .lockReaction(\.desktop.lock)),
        Setting("desktop", "calls", .flag(\.desktop.reportsCalls)),
        Setting("desktop", "do-not-disturb", .flag(\.desktop.reportsDoNotDisturb)),

        Setting("adoption", "players-interrupt", .flag(\.adoption.playersInterrupt)),
        Setting("adoption", "ducks-only-while-audible", .flag(\.adoption.ducksOnlyWhileAudible)),
        Setting("adoption", "trusted-roles", .paths(\.adoption.trustedRoles)),

        Setting("service", "idle-exit", .real(\.idleExit, 0...86_400, "s")),
        Setting("service", "ping-interval", .real(\.pingInterval, 0.01...60, "s")),
        Setting("service", "lease-limit", .real(\.leaseLimit, 0.02...60, "s")),
        Setting("service", "rebuild-limit", .real(\.rebuildLimit, 0...4, "s")),
        Setting("service", "log-capacity", .whole(\.arbiter.logCapacity, 1...1_000_000, "decisions")),

        Setting("limits", "clients", .whole(\.limits.clients, 1...65_536, "clients")),
        Setting("limits", "clients-per-app", .whole(\.limits.clientsPerApp, 1...65_536, "clients")),
        Setting("limits", "sessions-per-app", .whole(\.limits.sessionsPerApp, 1...65_536, "sessions")),
        Setting("limits", "sessions", .whole(\.limits.sessions, 1...65_536, "sessions")),
        Setting("limits", "messages-per-second", .whole(\.limits.messagesPerSecond, 1...1_000_000, "messages")),
        // At least one packet of the maximum length.
        Setting(
            "limits", "queued-bytes",
            .whole(\.limits.queuedBytes, ArbiterProtocol.packetLimit...67_108_864, "bytes")),
    ]
}
