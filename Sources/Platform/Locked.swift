internal import Foundation

/// A value that only one thread at a time may touch.
///
/// Unchecked `Sendable`: the value is reached only under the lock. A pthread lock, which the thread sanitizer understands.
package final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var content: Content

    /// Never of size zero: the thread sanitizer would take the address of an empty value for the object's own.
    private struct Content {
        var value: Value
        let size: UInt8 = 1
    }

    package init(_ value: sending Value) { content = Content(value: value) }

    /// Runs `body` with the value, alone. Keep it short, and call nothing of an app's or a server's within.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&content.value)
    }
}
