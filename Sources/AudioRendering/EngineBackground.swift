internal import Dispatch
internal import Platform

/// The queue that runs the engine's background work while the engine renders.
///
/// A timer polls for work every 5 ms: the render thread must not wake another thread, because that
/// takes a system call.
final class EngineBackground: Sendable {
    private struct State {
        var timer: (any DispatchSourceTimer)?
        var work: (@Sendable () -> Void)?
    }
    private let queue = DispatchQueue(label: "audio engine background", qos: .userInitiated)
    private let state = Mutex(State())

    func setWork(_ work: @escaping @Sendable () -> Void) { state.withLock { $0.work = work } }

    /// Runs `job` on the queue, whether or not the timer is running.
    func run(_ job: @escaping @Sendable () -> Void) { queue.async(execute: job) }

    /// Returns when all jobs that are on the queue now have run. Must not be called on the queue.
    func drain() { queue.sync {} }

    func start() {
        state.withLock { state in
            guard state.timer == nil, let work = state.work else { return }
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now(), repeating: .milliseconds(5), leeway: .milliseconds(1))
            timer.setEventHandler(handler: work)
            timer.activate()
            state.timer = timer
        }
    }

    func stop() {
        state.withLock { state in
            state.timer?.cancel()
            state.timer = nil
        }
    }
}
