internal import AudioRendering
internal import Dispatch
internal import Platform

/// Suspends the engine when all sessions that use it have been inactive for a while (decision 47).
/// The next activation starts it again.
///
/// Hosts that share an engine share this object. Any thread.
final class IdleSuspension: Sendable {
    private struct State {
        /// Each returns whether a session of one host is active.
        var users: [@Sendable () -> Bool] = []
        /// The number of the pending timer; nil when none is pending. Timers with other numbers are
        /// out of date.
        var timer: UInt64?
        /// The number of the timer that was started last.
        var lastTimer: UInt64 = 0
    }
    private let state = Mutex(State())
    private let engine: AudioEngine
    private let clock: any SessionClock
    private let queue: DispatchQueue
    private let seconds: @Sendable () -> Double

    /// `queue` is the one on which sessions start the engine once they are active; `seconds`
    /// returns the current setting, 0: never.
    init(
        of engine: AudioEngine, clock: any SessionClock, startedOn queue: DispatchQueue,
        after seconds: @escaping @Sendable () -> Double
    ) {
        self.engine = engine
        self.clock = clock
        self.queue = queue
        self.seconds = seconds
    }

    /// Includes other sessions: `isInUse` returns whether one of them is active.
    func add(_ isInUse: @escaping @Sendable () -> Bool) { state.withLock { $0.users.append(isInUse) } }

    /// Starts or cancels the timer. Call it when a session may have become active or inactive.
    func update() {
        if isInUse {
            state.withLock { $0.timer = nil }
            // The last session may have become inactive meanwhile, and the line above has then
            // cancelled the timer that another thread started.
            guard !isInUse else { return }
        }
        startTimer()
    }

    private var isInUse: Bool { state.withLock { $0.users }.contains { $0() } }

    private func startTimer() {
        let seconds = seconds()
        guard seconds > 0, engine.driver.hasClock else { return state.withLock { $0.timer = nil } }
        let timer = state.withLock { state in
            state.lastTimer += 1
            state.timer = state.lastTimer
            return state.lastTimer
        }
        clock.call(after: .seconds(seconds)) { [weak self, queue] in
            queue.async { [weak self] in self?.finish(timer) }
        }
    }

    /// Suspends the engine, unless it is in use. A session that becomes active meanwhile starts the
    /// engine later on this queue, and finds it suspended.
    private func finish(_ timer: UInt64) {
        let isCurrent = state.withLock { state in
            guard state.timer == timer else { return false }
            state.timer = nil
            return true
        }
        guard isCurrent, !isInUse else { return }
        engine.isCapturing ? startTimer() : engine.suspend()
    }
}
