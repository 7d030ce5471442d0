internal import AudioRendering
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// The limits that end a session's activity automatically, and their timers.
struct SessionLimits {
    /// One limit and its timer.
    struct Limit {
        var duration: Duration?
        /// The number of the pending timer; nil when none is pending. Timers with other numbers are
        /// out of date.
        var timer: UInt64?
    }
    var idle = Limit()
    var duck = Limit()
    /// The number of the timer that was started last.
    var lastTimer: UInt64 = 0
}

/// Limits that the app may set; by default they are off. A limit ends the activity as
/// `setActive(false, options: .notifyOthersOnDeactivation)` does, and `DeactivationContext.cause`
/// names it. A timer runs only while a limit is counting down.
extension AudioSession {
    /// How long the session stays active after playback and recording in it have stopped; nil, the
    /// default, means without limit.
    public var idleTimeout: Duration? { limits.withLock { $0.idle.duration } }

    /// How long the session may duck others without a break; nil, the default, means without limit.
    public var duckLimit: Duration? { limits.withLock { $0.duck.duration } }

    /// Sets the idle timeout: the session deactivates itself when `timeout` has passed since its
    /// last player or recorder stopped or paused, or its last voice ended, and no other has
    /// started. Pausing a `Voice` directly does not start the timeout.
    ///
    /// The timeout applies neither to a session in which nothing has played yet nor within
    /// `whileActive`; the end of a scope counts as an end of playback.
    ///
    /// `timeout` must be from 0 to one day; other values throw badParam. Nil turns the timeout off.
    /// The timeout takes effect from the next end of playback. One-shots of a `CommandQueue`
    /// release their voices automatically and are not observed: keep the session active around them
    /// with `whileActive`.
    public func setIdleTimeout(_ timeout: Duration?) throws {
        try check(timeout, "The idle timeout must be 0 or more", isAllowed: { $0 >= .zero && $0 <= Self.longestLimit })
        limits.withLock { $0.idle = .init(duration: timeout) }
    }

    /// Sets the duck limit: the session deactivates itself when it has been active with duckOthers
    /// for `limit` without a break. This prevents a forgotten session from keeping others ducked.
    ///
    /// `limit` must be above 0 and at most one day; other values throw badParam. Nil turns the
    /// limit off. For a session that already ducks others, `limit` counts from now.
    public func setDuckLimit(_ limit: Duration?) throws {
        try check(limit, "The duck limit must be positive", isAllowed: { $0 > .zero && $0 <= Self.longestLimit })
        limits.withLock { $0.duck = .init(duration: limit) }
        updateDuckTimer()
    }

    private static let longestLimit = Duration.seconds(86_400)

    /// Throws badParam for a duration that is not allowed; nil is.
    private func check(_ duration: Duration?, _ requirement: String, isAllowed: (Duration) -> Bool) throws {
        guard let duration, !isAllowed(duration) else { return }
        try request {
            throw AudioSessionError(
                .badParam,
                "\(requirement) and at most 1 day, or nil for none; \(duration) was requested.")
        }
    }

    // MARK: Idle

    /// Starts the idle timer if the session is active and nothing plays or records in it; otherwise
    /// cancels the timer. Call it when playback or recording in the session may have ended.
    func updateIdleTimer() {
        guard idleTimeout != nil else { return }
        if !isActive || !isIdle {
            limits.withLock { $0.idle.timer = nil }
            // The session may have become idle meanwhile, and the line above has then cancelled the
            // timer that another thread started for it.
            guard isActive, isIdle else { return }
        }
        startTimer(\.idle) { session in
            guard session.isActive, session.isIdle, !session.isInScope else { return }
            session.deactivateAutomatically(.idle)
        }
    }

    /// Activates the session for a player or recorder that is about to start. Restarts a running
    /// idle timeout.
    func activateKeepingIdleTimeout() throws {
        guard idleTimeout != nil else { return try setActive(true) }
        try activationQueue.run {
            try setActive(true)
            if limits.withLock({ $0.idle.timer != nil }) { updateIdleTimer() }
        }
    }

    /// Whether no voice plays on the session's buses and no participant runs.
    private var isIdle: Bool {
        guard case .success(let connection) = connection else { return true }
        return !connection.buses.contains(where: \.hasPlayingVoices) && !liveParticipants.contains(where: \.isRunning)
    }

    /// Returns whether a bus of the engine belongs to this session.
    func plays(onBus slot: Int) -> Bool {
        guard case .success(let connection) = connection else { return false }
        return connection.buses.contains { $0.slot == slot }
    }

    // MARK: Duck

    /// Starts or cancels the duck timer. Call it when activity or configuration may have changed,
    /// with `afterEnd` when the activity has ended, even if it has started again meanwhile: the
    /// time then counts from now.
    func updateDuckTimer(afterEnd: Bool = false) {
        guard duckLimit != nil else { return }
        if afterEnd || !isDucking { limits.withLock { $0.duck.timer = nil } }
        guard isDucking, limits.withLock({ $0.duck.timer == nil }) else { return }
        startTimer(\.duck) { session in
            if session.isDucking { session.deactivateAutomatically(.duckLimit) }
        }
    }

    private var isDucking: Bool { isActive && configuration.ducksOthers }

    // MARK: Timers

    /// Starts the timer of a limit, which replaces a pending one. When it expires, calls `body` on
    /// `activationQueue`, unless the timer was replaced or cancelled.
    private func startTimer(
        _ limit: any WritableKeyPath<SessionLimits, SessionLimits.Limit> & Sendable,
        _ body: @escaping @Sendable (AudioSession) -> Void
    ) {
        let (timer, duration) = limits.withLock { limits in
            limits.lastTimer += 1
            limits[keyPath: limit].timer = limits.lastTimer
            return (limits.lastTimer, limits[keyPath: limit].duration)
        }
        guard let duration else { return }
        host.clock.call(after: duration) { [weak self] in
            self?.activationQueue.runLater { [weak self] in
                guard let self else { return }
                let isCurrent = limits.withLock { limits in
                    guard limits[keyPath: limit].timer == timer else { return false }
                    limits[keyPath: limit].timer = nil
                    return true
                }
                if isCurrent { body(self) }
            }
        }
    }

    /// Deactivates the session because of a limit, and notifies others.
    private func deactivateAutomatically(_ cause: DeactivationCause) {
        deliveredActivity.withLock { $0.pendingCause = cause }
        try? setActive(false, options: .notifyOthersOnDeactivation)
    }
}
