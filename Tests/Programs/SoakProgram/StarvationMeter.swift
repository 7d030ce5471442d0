import Foundation
import Platform
import TestSupport

/// A thread that wants nothing but to run every 50 ms: what it misses, no thread of this process without a deadline has got either.
final class StarvationMeter: Sendable {
    private let thread = WorkerThread()
    private let longest = Locked(0.0)

    init() {
        let never = Signpost<Void>()
        _ = thread.start(name: "soak-meter") { [longest] in
            while true {
                let begin = Date()
                _ = never.wait(limit: 0.05) { !$0.isEmpty }
                let pause = Date().timeIntervalSince(begin)
                longest.withLock { $0 = max($0, pause) }
            }
        }
    }

    /// Its longest pause since the last call, in seconds.
    func take() -> Double {
        longest.withLock { longest in
            defer { longest = 0 }
            return longest
        }
    }
}
