internal import AudioRendering
internal import Dispatch

/// The one thread that makes libjack's control calls, in the order they were asked for. One that never returns costs this
/// thread, and nobody else.
final class ControlThread: Sendable {
    typealias Job = @Sendable () -> Void

    private struct Queue {
        var jobs: [Job] = []
        var isEnding = false
    }
    private let queue = Locked(Queue())
    private let news = DispatchSemaphore(value: 0)
    private let thread = WorkerThread()

    /// Begins. Throws when the system has no thread to give.
    init() throws(DriverError) {
        guard thread.start(name: "audio-control", { [queue, news] in Self.run(queue, news) }) else {
            throw .refused(call: "a thread", reason: "the system has no more threads to give")
        }
    }

    private static func run(_ queue: Locked<Queue>, _ news: DispatchSemaphore) {
        while true {
            news.wait()
            guard let job = queue.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) else { return }
            job()
        }
    }

    /// Has `job` run after those before it. Does nothing once the thread is ending.
    func post(_ job: @escaping Job) {
        let isAccepted = queue.withLock { queue in
            if !queue.isEnding { queue.jobs.append(job) }
            return !queue.isEnding
        }
        if isAccepted { news.signal() }
    }

    /// Ends the thread after `job` and all before it, and waits for that at most `seconds`. Returns whether it has ended; if not,
    /// it ends by itself. Idempotent.
    @discardableResult
    func end(after job: @escaping Job, seconds: Double) -> Bool {
        post(job)
        let isFirst = queue.withLock { queue in
            defer { queue.isEnding = true }
            return !queue.isEnding
        }
        if isFirst { news.signal() }
        return thread.join(seconds: seconds)
    }
}
