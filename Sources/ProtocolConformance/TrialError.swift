/// Why a trial ended before its check had passed.
package enum TrialError: Error, Hashable, Sendable {
    /// The client did not do what the check expects. The text states what was expected and what
    /// came.
    case failed(String)
    /// The user has ended the program.
    case interrupted
    /// The trial itself could not be made, for want of memory or descriptors for example.
    case unavailable(String)
}
