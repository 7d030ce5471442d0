internal import AudioRendering
internal import Dispatch
internal import Platform

/// The one thread that makes libjack's control calls, in the order in which they were posted. A
/// call that never returns blocks this thread only.
final class ControlThread: Sendable {
    typealias Job = @Sendable () -> Void

    private struct Queue {
        var jobs: [Job] = []
        var isEnding = false
    }
    private let queue = Mutex(Queue())
    private let wake = DispatchSemaphore(value: 0)
    private let thread = WorkerThread()

    /// Starts the thread. Throws `cannotCreateThread` if the system refuses.
    init() throws(DriverError) {
        guard thread.start(name: "audio-control", { [queue, wake] in Self.run(queue, wake) }) else {
            throw .cannotCreateThread
        }
    }

    private static func run(_ queue: Mutex<Queue>, _ wake: DispatchSemaphore) {
        while true {
            wake.wait()
            guard let job = queue.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) else { return }
            job()
        }
    }

    /// Enqueues `job` after the jobs that were posted before. Does nothing once the thread is
    /// ending.
    func post(_ job: @escaping Job) {
        let isAccepted = queue.withLock { queue in
            if !queue.isEnding { queue.jobs.append(job) }
            return !queue.isEnding
        }
        if isAccepted { wake.signal() }
    }

    /// Ends the thread after `job` and all jobs before it, and waits at most `seconds` for that.
    /// Returns whether the thread has ended; if it has not, it ends on its own later. Idempotent.
    @discardableResult
    func end(after job: @escaping Job, seconds: Double) -> Bool {
        post(job)
        let isFirst = queue.withLock { queue in
            defer { queue.isEnding = true }
            return !queue.isEnding
        }
        if isFirst { wake.signal() }
        return thread.join(seconds: seconds)
    }
}
