internal import Foundation

/// A failure of a system call: a clause without a full stop, for use in the caller's message.
package struct SystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }

    package var description: String { reason }
}

/// Returns the system's description of an error.
package func systemErrorText(_ code: Int32) -> String { String(cString: strerror(code)) }
