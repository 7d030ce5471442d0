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

/// `audiosession doctor`: the findings of all checks, with a fix for each problem. The exit status
/// is 69 if there is an error, so that scripts can test for it.
public struct DoctorResult: CommandResult, Equatable {
    public private(set) var findings: [Finding]
    private var healthy: Bool

    private enum CodingKeys: String, CodingKey { case findings, healthy }

    private static let checks: [any DoctorCheck] = [
        RealtimePriority(), MemoryLock(), Governor(), Kernel(), SoundCard(), JackServer(), JackLibrary(),
        JackMemory(), RuntimeFolderCheck(), ArbiterCheck(), DeviceTypes(), ConfigurationCheck(),
    ]

    public init(_ machine: Machine) {
        findings = Self.checks.flatMap { $0.examine(machine) }
        healthy = !findings.contains { $0.state == .error }
    }

    public var exitStatus: Int32 { healthy ? 0 : CommandError.Status.unavailable.rawValue }

    public var text: String {
        let errors = findings.filter { $0.state == .error }.count
        let lines = findings.map { finding in
            let mark =
                switch finding.state {
                case .ok: "ok     "
                case .warning: "warning"
                case .error: "ERROR  "
                }
            return "\(mark)  \(finding.check): \(finding.finding)"
                + (finding.fix.map { "\n         fix: \($0)" } ?? "")
        }
        let summary = errors == 0 ? "No problems found." : Text.count(errors, "error") + "."
        return (lines + [summary]).joined(separator: "\n")
    }
}
