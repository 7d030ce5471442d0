internal import AudioRendering

/// The steps of a tuner, kept and told.
final class TuningDiary: Sendable {
    private struct State {
        var trace: [IOBufferTuner.Step] = []
        var listeners: [Int: AsyncStream<IOBufferTuner.Step>.Continuation] = [:]
        var nextID = 0
        var isFinished = false
    }
    private let state = Locked(State())
    private static let limit = 1_024

    var trace: [IOBufferTuner.Step] { state.withLock { $0.trace } }

    func note(_ steps: [IOBufferTuner.Step]) {
        // Told under the lock, so that a new listener hears each once; yielding calls nobody back.
        state.withLock { state in
            state.trace = Array((state.trace + steps).suffix(Self.limit))
            for step in steps { state.listeners.values.forEach { $0.yield(step) } }
        }
    }

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
        // Outside the lock: what ends a stream takes it.
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return state.listeners
        }
        listeners.values.forEach { $0.finish() }
    }
}
