internal import AudioRendering
internal import Dispatch
internal import Platform

/// Runs a session's queued activations and deactivations one after the other, in the order in which
/// they were requested. Calls of `setActive` on the caller's own thread bypass the queue. The
/// asynchronous methods block no thread of Swift's cooperative pool.
final class ActivationQueue: Sendable {
    private let queue = DispatchQueue(label: "audio-session.activation")
    private let results = DispatchQueue(label: "audio-session.answers")

    /// Runs `body` after the operations queued before it, and blocks the calling thread until it
    /// has returned. Do not call from within an operation of the queue.
    func run<Value>(_ body: () throws -> Value) rethrows -> Value { try queue.sync(execute: body) }

    /// Enqueues `body` and returns immediately.
    func runLater(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Enqueues `body` and returns immediately. When `body` has run, calls `completion` with its
    /// error, or nil, on another queue, so that `completion` may wait for further operations of
    /// this one.
    func run(
        _ body: @escaping @Sendable () throws -> Void, completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        queue.async { [results] in
            let result = Result { try body() }
            results.async {
                switch result {
                case .success: completion(nil)
                case .failure(let error): completion(error)
                }
            }
        }
    }

    /// Returns when every operation queued so far has run and its result has been delivered. Do not
    /// call from within an operation of the queue or a completion.
    func drain() {
        queue.sync {}
        results.sync {}
    }

    /// Enqueues `body` and suspends the calling task until it has run; throws what `body` throws.
    ///
    /// If the task is cancelled before `body` has started, `body` does not run and the call throws
    /// `CancellationError`. Once started, `body` runs to completion.
    func perform(_ body: @escaping @Sendable () throws -> Void) async throws {
        let pending = PendingOperation()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard pending.wait(continuation) else { return continuation.resume(throwing: CancellationError()) }
                queue.async {
                    guard let continuation = pending.take() else { return }
                    continuation.resume(with: Result { try body() })
                }
            }
        } onCancel: {
            pending.cancel()?.resume(throwing: CancellationError())
        }
    }

    /// Enqueues `body` as `perform` does, but runs it even if the task is cancelled.
    func performUncancelled(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}

/// One task that waits for its operation. Either the start of the operation or a cancellation ends
/// the wait.
private final class PendingOperation: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Void, any Error>?
        var isCancelled = false
    }
    private let state = Mutex(State())

    /// Stores the continuation; returns false if the task has already been cancelled.
    func wait(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
        state.withLock { state in
            if !state.isCancelled { state.continuation = continuation }
            return !state.isCancelled
        }
    }

    /// Removes and returns the continuation, which the caller must resume; returns nil if it has
    /// already been removed.
    func take() -> CheckedContinuation<Void, any Error>? {
        state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
    }

    /// Marks the wait as cancelled, then removes and returns the continuation as `take` does.
    func cancel() -> CheckedContinuation<Void, any Error>? {
        state.withLock { $0.isCancelled = true }
        return take()
    }
}
