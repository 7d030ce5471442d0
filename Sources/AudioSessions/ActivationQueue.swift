internal import AudioRendering
internal import Dispatch

/// Where a session's activations and deactivations wait their turn when they are not made by the caller's own thread: one after the other, in
/// the order in which they were asked for. No thread of Swift's cooperative pool waits here.
final class ActivationQueue: Sendable {
    private let turns = DispatchQueue(label: "audio-session.activation")
    private let answers = DispatchQueue(label: "audio-session.answers")

    /// Runs `body` in turn, on a thread that waits for it. Not from within another turn.
    func run<Value>(_ body: () throws -> Value) rethrows -> Value { try turns.sync(execute: body) }

    /// Runs `body` in turn.
    func later(_ body: @escaping @Sendable () -> Void) { turns.async(execute: body) }

    /// Runs `body` in turn, and tells the outcome on a thread that may wait for further turns.
    func run(
        _ body: @escaping @Sendable () throws -> Void, answer: @escaping @Sendable ((any Error)?) -> Void
    ) {
        turns.async { [answers] in
            let result = Result { try body() }
            answers.async {
                switch result {
                case .success: answer(nil)
                case .failure(let error): answer(error)
                }
            }
        }
    }

    /// Returns when all that waits for its turn now has had it, and the outcomes are told. Not from within a turn.
    func drain() {
        turns.sync {}
        answers.sync {}
    }

    /// Runs `body` in turn, for a task that suspends meanwhile. A task that is cancelled before its turn comes throws `CancellationError`,
    /// and `body` does not run; once it runs, it is carried to its end.
    func perform(_ body: @escaping @Sendable () throws -> Void) async throws {
        let turn = Turn()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard turn.wait(continuation) else { return continuation.resume(throwing: CancellationError()) }
                turns.async {
                    guard let continuation = turn.take() else { return }
                    continuation.resume(with: Result { try body() })
                }
            }
        } onCancel: {
            turn.cancel()?.resume(throwing: CancellationError())
        }
    }

    /// The same for what must happen even in a cancelled task.
    func performUncancelled(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            turns.async { continuation.resume(with: Result { try body() }) }
        }
    }
}

/// One wait for a turn, which either its beginning or a cancellation ends.
private final class Turn: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Void, any Error>?
        var isCancelled = false
    }
    private let state = Locked(State())

    /// False when the task has been cancelled already.
    func wait(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
        state.withLock { state in
            if !state.isCancelled { state.continuation = continuation }
            return !state.isCancelled
        }
    }

    /// Whoever takes it resumes it; nil for whoever comes second.
    func take() -> CheckedContinuation<Void, any Error>? {
        state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
    }

    func cancel() -> CheckedContinuation<Void, any Error>? {
        state.withLock { $0.isCancelled = true }
        return take()
    }
}
