internal import Foundation

/// A thread of the library. It blocks all signals except those of its own faults, and its owner can
/// wait for its end.
package final class WorkerThread: Sendable {
    private struct State {
        var thread: pthread_t?
        var isStarted = false
    }
    private let state = Mutex(State())
    private let finished = Promise<Void>()

    package init() {}

    /// Detaches a thread that was not joined, so that it ends on its own.
    deinit {
        if let thread = state.withLock({ state in state.thread.take() }) { pthread_detach(thread) }
    }

    /// The closure of the thread, retained until it has returned.
    private final class Work: Sendable {
        let name: String
        let body: @Sendable () -> Void
        let finished: Promise<Void>
        init(name: String, body: @escaping @Sendable () -> Void, finished: Promise<Void>) {
            self.name = name
            self.body = body
            self.finished = finished
        }
    }

    /// Runs `body` on a new thread of that name (at most 15 bytes). Must not be called again once
    /// it has returned true. Returns false if the system cannot create a thread.
    package func start(name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            precondition(!state.isStarted, "A worker thread can be started only once.")
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

    /// Waits until the thread has ended, for at most `seconds`, and returns whether it has. A
    /// thread that takes longer, or that is the caller, is detached and ends on its own. Without a
    /// thread to wait for, before `start` and in later calls, returns true at once.
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
        blockSignals()
        nameThread(work.name)
        work.body()
        work.finished.set(())
        return nil
    }

    /// Leaves signals to the app's threads, except those by which a thread reports its own fault:
    /// while these are blocked, the process ends without calling the app's crash handler. Threads
    /// that libjack creates inherit the mask.
    private static func blockSignals() {
        var signals = sigset_t()
        sigfillset(&signals)
        for fault in [SIGBUS, SIGSEGV, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT] { sigdelset(&signals, fault) }
        pthread_sigmask(SIG_SETMASK, &signals, nil)
    }

    /// Sets the name that debuggers and `top -H` show. pthread's own function is an extension that
    /// is not imported.
    private static func nameThread(_ name: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = write(file, name, strlen(name))
        close(file)
    }
}
