import Foundation
import Platform
import TestSupport

/// A thread that runs every 50 ms and does nothing else. When it misses time, no other thread
/// without a deadline has run either.
final class StarvationMeter: Sendable {
    private let thread = WorkerThread()
    private let longest = Mutex(0.0)

    init() {
        let never = EventLog<Void>()
        _ = thread.start(name: "soak-meter") { [longest] in
            while true {
                let begin = Date()
                _ = never.wait(limit: 0.05) { !$0.isEmpty }
                let pause = Date().timeIntervalSince(begin)
                longest.withLock { $0 = max($0, pause) }
            }
        }
    }

    /// Returns the thread's longest pause since the last call, in seconds.
    func take() -> Double {
        longest.withLock { longest in
            defer { longest = 0 }
            return longest
        }
    }
}
