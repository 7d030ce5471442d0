internal import Foundation

/// What the system would not do: a clause without a full stop, for the sentence of whoever asked.
package struct SystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }

    package var description: String { reason }
}

/// What the system calls an error.
package func systemErrorText(_ code: Int32) -> String { String(cString: strerror(code)) }
