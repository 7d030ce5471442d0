internal import CRenderCore
internal import Dispatch
internal import Platform

/// The queue that runs the engine's background work, and the thread that waits until the render
/// core has some (`rcore_wait`).
///
/// The thread ends when the engine does. It does not poll: while nothing happens, it sleeps.
final class EngineBackground: Sendable {
    private struct State {
        var thread: WorkerThread?
        var work: (@Sendable () -> Void)?
        var isEnding = false
        /// The earliest time for which a run is scheduled.
        var scheduled: DispatchTime?
    }
    private let core: RenderCore
    private let queue = DispatchQueue(label: "audio engine background", qos: .userInitiated)
    private let state = Mutex(State())

    init(core: RenderCore) { self.core = core }

    func setWork(_ work: @escaping @Sendable () -> Void) { state.withLock { $0.work = work } }

    /// Runs `job` on the queue, whether or not the thread waits.
    func run(_ job: @escaping @Sendable () -> Void) { queue.async(execute: job) }

    /// Runs the work on the queue after that time, unless it is already scheduled for an earlier
    /// one.
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

    /// Starts the thread. Idempotent. Returns false if the system cannot create a thread.
    func start() -> Bool {
        state.withLock { state in
            guard state.thread == nil else { return true }
            let thread = WorkerThread()
            // Does not retain this object: the thread must not keep the engine's parts alive.
            guard thread.start(name: "audio-engine", { [core, queue, weak self] in
                Self.serve(core, queue) { self?.state.withLock { $0.isEnding ? nil : $0.work } }
            }) else { return false }
            state.thread = thread
            return true
        }
    }

    /// Runs the work on the queue whenever the core has some, until `work` returns nil.
    private static func serve(_ core: RenderCore, _ queue: DispatchQueue, work: () -> (@Sendable () -> Void)?) {
        while true {
            rcore_wait(core.handle)
            guard let work = work() else { return }
            queue.sync(execute: work)
        }
    }

    /// Ends the thread; it may still be running its last work on return. The engine calls this when
    /// it is released, which can happen on the thread itself.
    func end() {
        state.withLock { $0.isEnding = true }
        rcore_wake(core.handle)
    }
}
