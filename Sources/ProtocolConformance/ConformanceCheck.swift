/// A check of one property of a client.
package struct ConformanceCheck: Sendable {
    /// For the command line.
    package let name: String
    /// One line for people.
    package let summary: String
    /// The section of Documentation/Protocol.md that states the property.
    package let section: String
    /// What that section says.
    package let statement: String
    let body: @Sendable (ClientTrial) throws(TrialError) -> Void

    /// All checks, in the order in which they run.
    package static let all: [ConformanceCheck] =
        sessionChecks + messageChecks + policyChecks + lossChecks + connectionChecks

    /// How a check has ended.
    package struct Outcome: Sendable {
        package let check: ConformanceCheck
        /// What was expected and what came; nil if the check has passed.
        package let failure: String?
        /// What the client does that is no fault, but worth knowing.
        package let remarks: [String]
        /// The last lines of the client's output, if the check has failed.
        package let output: [String]
    }

    /// Runs the check on the client that the command starts. Throws if the trial could not be made,
    /// or the user has ended it.
    package func run(
        _ command: [String], seconds: Double, _ interruption: Interruption
    ) throws(TrialError) -> Outcome {
        let trial = try ClientTrial(command, seconds: seconds, interruption)
        defer { trial.finish() }
        do throws(TrialError) {
            try body(trial)
            return Outcome(check: self, failure: nil, remarks: trial.remarks, output: [])
        } catch {
            guard case .failed(let text) = error else { throw error }
            trial.finish()
            return Outcome(check: self, failure: text, remarks: trial.remarks, output: trial.output)
        }
    }
}
