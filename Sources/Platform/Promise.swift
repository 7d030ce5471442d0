internal import Dispatch

/// A value that another thread provides: it is set once, and one thread waits for it.
package final class Promise<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let isSet = DispatchSemaphore(value: 0)

    package init() {}

    /// Sets the value. Later calls have no effect.
    package func set(_ newValue: Value) {
        let isFirst = value.withLock { value in
            guard value == nil else { return false }
            value = newValue
            return true
        }
        if isFirst { isSet.signal() }
    }

    /// Waits for the value for at most `seconds`; returns nil on a timeout. Returns the value only
    /// once.
    package func wait(seconds: Double) -> Value? {
        guard isSet.wait(timeout: .now() + seconds) == .success else { return nil }
        return value.withLock { $0 }
    }
}
