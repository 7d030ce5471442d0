import Foundation
import Platform
import TestSupport

/// The numbered events of a run, in order. Each event also shows the watchdog that the soak makes
/// progress.
final class RunLog: Sendable {
    let steps = EventLog<Void>()
    private let lines = Mutex<[String]>([])
    private let begin = Date()

    /// Records an event and returns its number.
    @discardableResult
    func note(_ text: String) -> Int {
        let time = Date().timeIntervalSince(begin)
        let number = lines.withLock { lines in
            lines.append(String(format: "%9.3f s  ", time) + "#\(lines.count) " + text)
            return lines.count - 1
        }
        steps.note(())
        return number
    }

    /// Returns the last `count` events, up to the one with the given number.
    func last(_ count: Int = 20, until number: Int = .max) -> [String] {
        lines.withLock { lines in Array(lines.prefix(number == .max ? lines.count : number + 1).suffix(count)) }
    }

    var count: Int { lines.withLock { $0.count } }

    var all: [String] { lines.withLock { $0 } }
}

/// Ends the process if no event was recorded for `seconds`: no step of a soak may hang.
final class Watchdog: Sendable {
    private let thread = WorkerThread()

    init(_ journal: RunLog, seconds: Double) {
        _ = thread.start(name: "soak-watchdog") {
            while true {
                let seen = journal.steps.noted.count
                guard !journal.steps.wait(limit: seconds, until: { $0.count > seen }) else { continue }
                print("FAULT: no progress for \(seconds) s: a call hangs. The last events:")
                journal.last().forEach { print("  " + $0) }
                fflush(nil)
                _exit(3)
            }
        }
    }
}
