/// Why a trial could not go on, or what it found.
package struct TrialError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
