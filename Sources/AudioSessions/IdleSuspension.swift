internal import AudioRendering
internal import Dispatch
internal import Platform
internal import SessionArbiter

/// Suspends the engine when all sessions of its hosts have been inactive for a while (decision 47).
/// The next activation starts it again.
///
/// Hosts that share an engine share this object. Any thread.
final class IdleSuspension: Sendable {
    private struct State {
        var hosts: [WeakHost] = []
        /// The number of the pending timer; nil when none is pending. Timers with other numbers are
        /// out of date.
        var timer: UInt64?
        /// The number of the timer that was started last.
        var lastTimer: UInt64 = 0
    }
    private struct WeakHost { weak var host: AudioSessionHost? }
    private let state = Mutex(State())

    /// Includes the sessions of another host.
    func add(_ host: AudioSessionHost) { state.withLock { $0.hosts.append(WeakHost(host: host)) } }

    /// Starts or cancels the timer. Call it when a session may have become active or inactive.
    func update() {
        guard !isInUse else { return state.withLock { $0.timer = nil } }
        startTimer()
    }

    private var hosts: [AudioSessionHost] { state.withLock { $0.hosts.compactMap(\.host) } }

    private var isInUse: Bool { hosts.contains { $0.registeredSessions.contains(where: \.isActive) } }

    private func startTimer() {
        guard let host = hosts.first, host.settings.suspendOnIdle > 0, case .success(let engine) = host.engine,
            engine.driver.hasClock
        else { return }
        let timer = state.withLock { state in
            state.lastTimer += 1
            state.timer = state.lastTimer
            return state.lastTimer
        }
        host.clock.call(after: .seconds(host.settings.suspendOnIdle)) { [weak self, weak host] in
            // On the queue on which sessions start the engine once they are active: a session that
            // starts it later finds it suspended, and starts it again.
            host?.hardware.async { [weak self, weak host] in
                if let host { self?.finish(timer, host) }
            }
        }
    }

    private func finish(_ timer: UInt64, _ host: AudioSessionHost) {
        let isCurrent = state.withLock { state in
            guard state.timer == timer else { return false }
            state.timer = nil
            return true
        }
        guard isCurrent, !isInUse, case .success(let engine) = host.engine else { return }
        engine.isCapturing ? startTimer() : engine.suspend()
    }
}
