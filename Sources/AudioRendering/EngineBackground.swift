internal import CRenderCore
internal import Dispatch
internal import Platform

/// The queue that runs the engine's background work, and the thread that waits until the render
/// core has some (`rcore_wait`).
///
/// The thread runs from the engine's start until the engine is closed or released. It does not
/// poll: while nothing happens, it sleeps. Work that is made while there is no thread waits for the
/// next start.
final class EngineBackground: Sendable {
    private struct State {
        /// The number of the thread that waits for the core; nil if there is none.
        var current: Int?
        var threadCount = 0
        var work: (@Sendable () -> Void)?
        /// The earliest time for which a run is scheduled.
        var scheduled: DispatchTime?
    }
    private let core: RenderCore
    private let queue = DispatchQueue(label: "audio-engine.background", qos: .userInitiated)
    private let state = Mutex(State())

    init(core: RenderCore) { self.core = core }

    func setWork(_ work: @escaping @Sendable () -> Void) { state.withLock { $0.work = work } }

    /// Runs `job` on the queue, whether or not there is a thread.
    func run(_ job: @escaping @Sendable () -> Void) { queue.async(execute: job) }

    /// Runs the work on the queue in `seconds`, unless a run is already scheduled before then.
    func runWork(after seconds: Double) {
        let time = DispatchTime.now() + seconds
        let isFirst = state.withLock { state in
            guard state.scheduled.map({ time < $0 }) ?? true else { return false }
            state.scheduled = time
            return true
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: time) { [weak self] in
            let work = self?.state.withLock { state in
                if state.scheduled == time { state.scheduled = nil }
                return state.work
            }
            work?()
        }
    }

    /// Returns when all jobs that are on the queue now have run. Must not be called on the queue.
    func drain() { queue.sync {} }

    /// Starts the thread, if it is not running. Returns false if the system cannot create a thread.
    func start() -> Bool {
        state.withLock { state in
            guard state.current == nil else { return true }
            let number = state.threadCount
            // Weak: the thread must not keep the engine's parts alive.
            let isStarted = WorkerThread().start(name: "audio-engine") { [core, queue, weak self] in
                Self.runWhenWoken(core, queue) {
                    self?.state.withLock { $0.current == number ? $0.work : nil }
                }
            }
            guard isStarted else { return false }
            state.current = number
            state.threadCount += 1
            return true
        }
    }

    /// Runs the work whenever the core has some, until `nextWork` returns nil.
    private static func runWhenWoken(
        _ core: RenderCore, _ queue: DispatchQueue, nextWork: () -> (@Sendable () -> Void)?
    ) {
        while nextWork() != nil {
            rcore_wait(core.handle)
            // Runs on this thread, but not at the same time as other jobs of the queue.
            if let work = nextWork() { queue.sync(execute: work) }
        }
        // The last wake-up may have been meant for the thread that a new start has created.
        rcore_wake(core.handle)
    }

    /// Ends the thread, which may still be running its last work on return: it can be the caller.
    func end() {
        state.withLock { $0.current = nil }
        rcore_wake(core.handle)
    }
}
