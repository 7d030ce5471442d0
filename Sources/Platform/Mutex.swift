internal import Foundation

/// Protects a value so that only one thread at a time can access it.
///
/// Unchecked `Sendable`: the value is accessed only while the lock is held. The lock is a pthread
/// lock, which the thread sanitizer understands.
package final class Mutex<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var content: Content

    /// The value, in a type whose size is never zero: otherwise the thread sanitizer would take the
    /// address of an empty value for that of the object.
    private struct Content {
        var value: Value
        let size: UInt8 = 1
    }

    package init(_ value: sending Value) { content = Content(value: value) }

    /// Runs `body` with exclusive access to the value. `body` must be short and must not call code
    /// of an app or a server.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&content.value)
    }
}
