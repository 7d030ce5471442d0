/// The reason why a trial could not continue, or the problem that it found.
package struct TrialError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
