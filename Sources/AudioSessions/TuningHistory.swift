internal import AudioRendering
internal import Platform

/// Stores the steps of a tuner and delivers them to its listeners.
final class TuningHistory: Sendable {
    private let past = Mutex<[IOBufferTuningStep]>([])
    private let steps = Broadcaster<IOBufferTuningStep>()
    private static let limit = 1_024

    var trace: [IOBufferTuningStep] { past.withLock { $0 } }

    func append(_ new: [IOBufferTuningStep]) {
        // Delivered under the lock, so that a new listener receives each step once; yielding calls
        // no handler.
        past.withLock { past in
            past = Array((past + new).suffix(Self.limit))
            new.forEach(steps.send)
        }
    }

    /// Returns a stream of the steps so far, at most 1,024, and of each new one until `finish`.
    func stream() -> AsyncStream<IOBufferTuningStep> {
        AsyncStream(bufferingPolicy: .bufferingNewest(Self.limit)) { continuation in
            let end = past.withLock { past in
                for step in past { continuation.yield(step) }
                return steps.add({ continuation.yield($0) }, finish: { continuation.finish() })
            }
            continuation.onTermination = { _ in end() }
        }
    }

    func finish() { steps.finish() }
}
