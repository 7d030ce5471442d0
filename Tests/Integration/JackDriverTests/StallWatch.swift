import AudioRendering
import Dispatch
import Platform
import TestSupport

/// Counts how often the cycles of an engine stand still: on a busy machine, more often than the
/// test intends.
final class StallWatch: Sendable {
    /// Shorter than any time that a host counts as a stall, in seconds.
    private static let shortest = 0.4
    private let thread = WorkerThread()
    private let count = Mutex(0)
    private let ending = DispatchSemaphore(value: 0)

    init(_ engine: AudioEngine) throws {
        let isStarted = thread.start(name: "stall-watch") { [count, ending] in
            var (cycle, changed) = (engine.counters.cycles, DispatchTime.now())
            while ending.wait(timeout: .now() + .milliseconds(10)) == .timedOut {
                guard engine.counters.cycles != cycle else { continue }
                let now = DispatchTime.now()
                let seconds = Double(now.uptimeNanoseconds - changed.uptimeNanoseconds) / 1e9
                if seconds >= Self.shortest { count.withLock { $0 += 1 + Int(max(0, seconds - 0.5)) } }
                (cycle, changed) = (engine.counters.cycles, now)
            }
        }
        guard isStarted else { throw TestFailure("No thread can be created.") }
    }

    deinit { ending.signal() }

    /// Ends the watch. Returns the count; a stall counts once more for each further second, after
    /// which a host searches again.
    func end() -> Int {
        ending.signal()
        thread.join(seconds: 10)
        return count.withLock { $0 }
    }
}
