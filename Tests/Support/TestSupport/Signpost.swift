/// Waits that end with what they wait for: a condition other threads fulfil, checked under a lock, with a limit far beyond
/// anything healthy. No sleeping and looking again.
import Foundation

public final class Signpost<Value>: @unchecked Sendable {
    // Reached only under the condition's lock.
    private let condition = NSCondition()
    private var values: [Value] = []

    public init() {}

    /// Notes a value and wakes who waits.
    public func note(_ value: sending Value) {
        condition.lock()
        values.append(value)
        condition.broadcast()
        condition.unlock()
    }

    /// What was noted so far.
    public var noted: [Value] {
        condition.lock()
        defer { condition.unlock() }
        return values
    }

    /// Waits until what was noted satisfies `predicate`; false when `limit` seconds pass first.
    public func wait(limit: Double = 20, until predicate: ([Value]) -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: limit)
        condition.lock()
        defer { condition.unlock() }
        while !predicate(values) {
            guard condition.wait(until: deadline) else { return predicate(values) }
        }
        return true
    }

    /// The same for a task: it waits on a thread of its own, since all tasks share as few as there are cores.
    public func arrives(limit: Double = 20, until predicate: @escaping @Sendable ([Value]) -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: self.wait(limit: limit, until: predicate)) }
        }
    }
}
