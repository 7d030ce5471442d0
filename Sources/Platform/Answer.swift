internal import Dispatch

/// What another thread will say: set once, awaited by one.
package final class Answer<Value: Sendable>: Sendable {
    private let value = Locked<Value?>(nil)
    private let isSet = DispatchSemaphore(value: 0)

    package init() {}

    /// Says it. Later calls change nothing.
    package func set(_ newValue: Value) {
        let isFirst = value.withLock { value in
            guard value == nil else { return false }
            value = newValue
            return true
        }
        if isFirst { isSet.signal() }
    }

    /// Waits at most `seconds`; nil when nothing was said by then.
    package func wait(seconds: Double) -> Value? {
        guard isSet.wait(timeout: .now() + seconds) == .success else { return nil }
        return value.withLock { $0 }
    }
}
