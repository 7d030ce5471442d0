internal import AudioRendering
internal import SessionArbiter
internal import SessionPolicy

/// What ends a session's activity by itself, and what runs towards it.
struct SessionLimits {
    /// One limit and its alarm.
    struct Limit {
        var duration: Duration?
        /// The number of the alarm that counts; nil when none runs. Others that still ring are out of date.
        var alarm: UInt64?
    }
    var idle = Limit()
    var duck = Limit()
    var alarms: UInt64 = 0
}

/// Limits that the app may set: off unless it does. What they end, they end as `setActive(false, options: .notifyOthersOnDeactivation)`, and
/// `DeactivationContext.cause` says so. No timer runs but towards a limit.
extension AudioSession {
    /// How long the session stays active once nothing plays or records in it any longer; nil, the default, is for ever.
    public var idleTimeout: Duration? { limits.withLock { $0.idle.duration } }

    /// How long the session may lower others without a break; nil, the default, is for ever.
    public var duckLimit: Duration? { limits.withLock { $0.duck.duration } }

    /// Has the session deactivate itself when, for `timeout` since its last player, recorder or voice ended or paused, none has started. A
    /// session in which nothing has played yet is left alone, and so is one within `whileActive`; the end of a scope counts as an end.
    ///
    /// From 0 to a day, else it throws badParam; nil turns it off. The time counts from the next end. One-shots of a `CommandPort` give
    /// their voice back by themselves and are not seen: keep the session active around them with `whileActive`.
    public func setIdleTimeout(_ timeout: Duration?) throws {
        try check(timeout, "An idle timeout", isAllowed: { $0 >= .zero && $0 <= Self.longestLimit })
        limits.withLock { $0.idle = .init(duration: timeout) }
    }

    /// Has the session deactivate itself when it has been active with duckOthers for `limit` without a break: others are not to stay lowered
    /// because a session was forgotten.
    ///
    /// More than 0 and at most a day, else it throws badParam; nil turns it off. A session that ducks already has `limit` from now on.
    public func setDuckLimit(_ limit: Duration?) throws {
        try check(limit, "A limit for ducking", isAllowed: { $0 > .zero && $0 <= Self.longestLimit })
        limits.withLock { $0.duck = .init(duration: limit) }
        followDuck()
    }

    private static let longestLimit = Duration.seconds(86_400)

    private func check(_ duration: Duration?, _ what: String, isAllowed: (Duration) -> Bool) throws {
        guard let duration, !isAllowed(duration) else { return }
        try request {
            throw AudioSessionError(
                .badParam,
                "\(what) of \(duration) was asked for; it must be positive and at most a day, or nil for none.")
        }
    }

    // MARK: Idle

    /// To be called when what plays in the session may have ended.
    func followIdleness() {
        guard idleTimeout != nil else { return }
        if !isActive || !isIdle {
            limits.withLock { $0.idle.alarm = nil }
            // It may have become so meanwhile, and the alarm that another thread set for that is gone with this.
            guard isActive, isIdle else { return }
        }
        arm(\.idle) { session in
            guard session.isActive, session.isIdle, !session.isInScope else { return }
            session.leave(.idle)
        }
    }

    /// Activates for what is about to start; a timeout that is running out begins anew.
    func activateKeepingIdleTimeout() throws {
        guard idleTimeout != nil else { return try setActive(true) }
        try turns.run {
            try setActive(true)
            if limits.withLock({ $0.idle.alarm != nil }) { followIdleness() }
        }
    }

    private var isIdle: Bool {
        guard case .success(let connection) = connection else { return true }
        return !connection.buses.contains(where: \.hasPlayingVoices) && !liveParticipants.contains(where: \.isRunning)
    }

    /// Whether a bus of the engine is one of this session's.
    func plays(onBus slot: Int) -> Bool {
        guard case .success(let connection) = connection else { return false }
        return connection.buses.contains { $0.slot == slot }
    }

    // MARK: Duck

    /// To be called when activity or configuration may have changed; `afterEnd` when the activity has had an end, even if it goes on by now.
    func followDuck(afterEnd: Bool = false) {
        guard duckLimit != nil else { return }
        if afterEnd || !isDucking { limits.withLock { $0.duck.alarm = nil } }
        guard isDucking, limits.withLock({ $0.duck.alarm == nil }) else { return }
        arm(\.duck) { session in
            if session.isDucking { session.leave(.duckLimit) }
        }
    }

    private var isDucking: Bool { isActive && configuration.ducksOthers }

    // MARK: Both

    /// Has `body` called in the session's turn when the limit is reached, unless the alarm is taken back before.
    private func arm(
        _ limit: any WritableKeyPath<SessionLimits, SessionLimits.Limit> & Sendable,
        _ body: @escaping @Sendable (AudioSession) -> Void
    ) {
        let (alarm, duration) = limits.withLock { limits in
            limits.alarms += 1
            limits[keyPath: limit].alarm = limits.alarms
            return (limits.alarms, limits[keyPath: limit].duration)
        }
        guard let duration else { return }
        host.clock.call(after: duration) { [weak self] in
            self?.turns.later { [weak self] in
                guard let self else { return }
                let counts = limits.withLock { limits in
                    guard limits[keyPath: limit].alarm == alarm else { return false }
                    limits[keyPath: limit].alarm = nil
                    return true
                }
                if counts { body(self) }
            }
        }
    }

    private func leave(_ cause: DeactivationCause) {
        told.withLock { $0.leaving = cause }
        try? setActive(false, options: .notifyOthersOnDeactivation)
    }
}
