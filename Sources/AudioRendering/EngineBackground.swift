internal import Dispatch

/// The engine's own pace: a queue that runs its background work while it renders.
///
/// The render thread may not wake anyone (that is a system call), so the work is looked for, every 5 ms.
final class EngineBackground: Sendable {
    private struct State {
        var timer: (any DispatchSourceTimer)?
        var work: (@Sendable () -> Void)?
    }
    private let queue = DispatchQueue(label: "audio engine background", qos: .userInitiated)
    private let state = Locked(State())

    func setWork(_ work: @escaping @Sendable () -> Void) { state.withLock { $0.work = work } }

    /// Has `job` run on the queue, whether the work runs or not.
    func tell(_ job: @escaping @Sendable () -> Void) { queue.async(execute: job) }

    /// Returns when what is told now has been told. Not on the queue.
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
