internal import AudioRendering
internal import Platform

/// Stores the steps of a tuner and delivers them to its listeners.
final class TuningHistory: Sendable {
    private struct State {
        var trace: [IOBufferTuner.Step] = []
        var listeners: [Int: AsyncStream<IOBufferTuner.Step>.Continuation] = [:]
        var nextID = 0
        var isFinished = false
    }
    private let state = Mutex(State())
    private static let limit = 1_024

    var trace: [IOBufferTuner.Step] { state.withLock { $0.trace } }

    func append(_ steps: [IOBufferTuner.Step]) {
        // Delivered under the lock, so that a new listener receives each step once; yielding calls
        // no handler.
        state.withLock { state in
            state.trace = Array((state.trace + steps).suffix(Self.limit))
            for step in steps { state.listeners.values.forEach { $0.yield(step) } }
        }
    }

    /// Returns a stream of the steps so far, at most 1,024, and of each new one until `finish`.
    func stream() -> AsyncStream<IOBufferTuner.Step> {
        AsyncStream(bufferingPolicy: .bufferingNewest(Self.limit)) { continuation in
            let id: Int? = state.withLock { state in
                for step in state.trace { continuation.yield(step) }
                guard !state.isFinished else { return nil }
                state.nextID += 1
                state.listeners[state.nextID] = continuation
                return state.nextID
            }
            guard let id else { return continuation.finish() }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { $0.listeners[id] = nil }
            }
        }
    }

    func finish() {
        // Outside the lock: finishing a stream calls its termination handler, which takes the lock.
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return state.listeners
        }
        listeners.values.forEach { $0.finish() }
    }
}
