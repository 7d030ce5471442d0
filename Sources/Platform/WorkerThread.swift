internal import Foundation

/// A thread of the library's own. It takes no signals, and whoever ends it can wait for it.
package final class WorkerThread: Sendable {
    private struct State {
        var thread: pthread_t?
        var isStarted = false
    }
    private let state = Locked(State())
    private let finished = Answer<Void>()

    package init() {}

    /// A thread that nobody waited for ends by itself.
    deinit {
        if let thread = state.withLock({ state in state.thread.take() }) { pthread_detach(thread) }
    }

    /// What the thread runs, held until it has run.
    private final class Work: Sendable {
        let name: String
        let body: @Sendable () -> Void
        let finished: Answer<Void>
        init(name: String, body: @escaping @Sendable () -> Void, finished: Answer<Void>) {
            self.name = name
            self.body = body
            self.finished = finished
        }
    }

    /// Runs `body` on a new thread of that name (at most 15 bytes); once. False when the system has no thread to give.
    package func start(name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            precondition(!state.isStarted, "A worker thread is started once.")
            let work = Unmanaged.passRetained(Work(name: name, body: body, finished: finished))
            var thread = pthread_t()
            let result = pthread_create(&thread, nil, Self.runWork, work.toOpaque())
            guard result == 0 else {
                work.release()
                return false
            }
            state.thread = thread
            state.isStarted = true
            return true
        }
    }

    /// Waits until the thread has ended, at most `seconds`; one that takes longer, or that is the caller, is left to end by itself.
    /// Returns whether it has ended. Idempotent.
    @discardableResult
    package func join(seconds: Double) -> Bool {
        guard let thread = state.withLock({ state in state.thread.take() }) else { return true }
        guard pthread_equal(thread, pthread_self()) == 0, finished.wait(seconds: seconds) != nil else {
            pthread_detach(thread)
            return false
        }
        return pthread_join(thread, nil) == 0
    }

    private static let runWork: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context else { return nil }
        let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        nameThread(work.name)
        work.body()
        work.finished.set(())
        return nil
    }

    /// As debuggers and `top -H` show it. pthread's own call is an extension that does not import.
    private static func nameThread(_ name: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = write(file, name, strlen(name))
        close(file)
    }
}
