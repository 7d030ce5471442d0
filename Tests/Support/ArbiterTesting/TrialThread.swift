import Dispatch
import Foundation

/// Runs work on a separate thread and holds the result.
///
/// Unchecked `Sendable`: the result is written before the signal and read after it.
package final class TrialThread<Value: Sendable>: @unchecked Sendable {
    private let isDone = DispatchSemaphore(value: 0)
    private var result: Result<Value, any Error>?

    package init(_ body: @escaping @Sendable () throws -> Value) {
        let thread = Thread { [self] in
            result = Result(catching: body)
            isDone.signal()
        }
        thread.stackSize = 1 << 22
        thread.start()
    }

    /// Waits for the result. May be called once.
    @discardableResult
    package func wait() throws -> Value {
        isDone.wait()
        guard let result else { throw TrialError("A thread ended without a result.") }
        return try result.get()
    }
}
