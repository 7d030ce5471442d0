/// A log of events with waits on its contents. A condition variable wakes a wait as soon as the log
/// satisfies it; the time limit is far beyond that of a healthy run. No polling.
import Foundation

public final class EventLog<Value>: @unchecked Sendable {
    // Accessed only under the condition's lock.
    private let condition = NSCondition()
    private var values: [Value] = []

    public init() {}

    /// Records a value and wakes the waiting threads.
    public func note(_ value: sending Value) {
        condition.lock()
        values.append(value)
        condition.broadcast()
        condition.unlock()
    }

    /// The values recorded so far.
    public var noted: [Value] {
        condition.lock()
        defer { condition.unlock() }
        return values
    }

    /// Waits until the recorded values satisfy `predicate`. Returns false if `limit` seconds pass
    /// first.
    public func wait(limit: Double = 20, until predicate: ([Value]) -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: limit)
        condition.lock()
        defer { condition.unlock() }
        while !predicate(values) {
            guard condition.wait(until: deadline) else { return predicate(values) }
        }
        return true
    }

    /// The same for a task. It waits on a separate thread, since all tasks share as few threads
    /// as there are cores.
    public func arrives(limit: Double = 20, until predicate: @escaping @Sendable ([Value]) -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: self.wait(limit: limit, until: predicate)) }
        }
    }
}
