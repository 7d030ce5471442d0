internal import AudioRendering
internal import Platform
internal import SessionPolicy

/// The limits that end a session's activity automatically, and their timers. A timer runs only
/// while a limit is counting down. Any thread.
final class SessionLimits: Sendable {
    /// One limit and its timer.
    struct Limit {
        var duration: Duration?
        /// The number of the pending timer; nil when none is pending. Timers with other numbers are
        /// out of date.
        var timer: UInt64?
    }
    struct State {
        var idle = Limit()
        var duck = Limit()
        /// The number of the timer that was started last.
        var lastTimer: UInt64 = 0
    }
    private let state = Mutex(State())
    private let session: RegisteredSession
    private let participants: SessionParticipants
    private let activation: ActivationController
    private let events: SessionEvents
    private let clock: any SessionClock

    /// The longest limit that can be set.
    static let longest = Duration.seconds(86_400)

    init(
        of session: RegisteredSession, _ participants: SessionParticipants, _ activation: ActivationController,
        _ events: SessionEvents, clock: any SessionClock
    ) {
        self.session = session
        self.participants = participants
        self.activation = activation
        self.events = events
        self.clock = clock
        participants.whenRunningChanges { [weak self] in self?.updateIdleTimer() }
    }

    // MARK: Idle

    var idleTimeout: Duration? {
        get { state.withLock { $0.idle.duration } }
        set { state.withLock { $0.idle = Limit(duration: newValue) } }
    }

    /// Starts the idle timer if the session is active and nothing plays or records in it; otherwise
    /// cancels the timer. Call it when playback or recording in the session may have ended.
    func updateIdleTimer() {
        guard idleTimeout != nil else { return }
        if !session.isActive || !isIdle {
            state.withLock { $0.idle.timer = nil }
            // The session may have become idle meanwhile, and the line above has then cancelled the
            // timer that another thread started for it.
            guard session.isActive, isIdle else { return }
        }
        startTimer(\.idle) { limits in
            guard limits.session.isActive, limits.isIdle, !limits.activation.isInScope else { return }
            limits.deactivate(.idle)
        }
    }

    /// Activates the session for a player or recorder that is about to start, by `request` as
    /// `ActivationController.activate` does. Restarts a running idle timeout.
    func activateToStart(by request: (() throws -> Void)? = nil) throws {
        guard idleTimeout != nil else { return try activation.activate(by: request) }
        try activation.queue.run {
            try activation.activate(by: request)
            if state.withLock({ $0.idle.timer != nil }) { updateIdleTimer() }
        }
    }

    /// Whether no voice plays on the session's buses, no participant runs, and the session does not
    /// play in any other way.
    private var isIdle: Bool {
        !session.buses.contains(where: \.hasPlayingVoices) && !participants.isRunning && !participants.isPlaying
    }

    // MARK: Duck

    var duckLimit: Duration? {
        get { state.withLock { $0.duck.duration } }
        set {
            state.withLock { $0.duck = Limit(duration: newValue) }
            updateDuckTimer()
        }
    }

    /// Starts or cancels the duck timer. Call it when activity or configuration may have changed,
    /// with `afterEnd` when the activity has ended, even if it has started again meanwhile: the
    /// time then counts from now.
    func updateDuckTimer(afterEnd: Bool = false) {
        guard duckLimit != nil else { return }
        if afterEnd || !isDucking { state.withLock { $0.duck.timer = nil } }
        guard isDucking, state.withLock({ $0.duck.timer == nil }) else { return }
        startTimer(\.duck) { limits in if limits.isDucking { limits.deactivate(.duckLimit) } }
    }

    private var isDucking: Bool { session.isActive && session.configuration.ducksOthers }

    // MARK: Timers

    /// Starts the timer of a limit, which replaces a pending one. When it expires, calls `body` on
    /// the activation queue, unless the timer was replaced or cancelled.
    private func startTimer(
        _ limit: any WritableKeyPath<State, Limit> & Sendable, _ body: @escaping @Sendable (SessionLimits) -> Void
    ) {
        let (timer, duration) = state.withLock { state in
            state.lastTimer += 1
            state[keyPath: limit].timer = state.lastTimer
            return (state.lastTimer, state[keyPath: limit].duration)
        }
        guard let duration else { return }
        clock.call(after: duration) { [weak self] in
            self?.activation.queue.runLater { [weak self] in
                guard let self else { return }
                let isCurrent = state.withLock { state in
                    guard state[keyPath: limit].timer == timer else { return false }
                    state[keyPath: limit].timer = nil
                    return true
                }
                if isCurrent { body(self) }
            }
        }
    }

    /// Deactivates the session because of a limit, and notifies others.
    private func deactivate(_ cause: AudioSessionDeactivationCause) {
        events.setPendingCause(cause)
        try? activation.deactivate(notifyOthers: true)
    }
}
