/// The result of a check.
public struct Finding: Encodable, Equatable, Sendable {
    public enum State: String, Encodable, Sendable {
        case ok
        /// It works, but could be improved.
        case warning
        /// It impairs or prevents sound.
        case error
    }

    /// The subject of the check: "memory lock".
    public var check: String
    public var state: State
    /// What the check found.
    public var finding: String
    /// A command or an instruction that solves the problem; nil if there is none to solve.
    public var fix: String?

    static func ok(_ check: String, _ finding: String) -> Finding {
        Finding(check: check, state: .ok, finding: finding, fix: nil)
    }

    static func warning(_ check: String, _ finding: String, fix: String? = nil) -> Finding {
        Finding(check: check, state: .warning, finding: finding, fix: fix)
    }

    static func error(_ check: String, _ finding: String, fix: String) -> Finding {
        Finding(check: check, state: .error, finding: finding, fix: fix)
    }
}

/// Checks one condition that sound depends on.
protocol DoctorCheck: Sendable {
    func examine(_ machine: Machine) -> [Finding]
}
