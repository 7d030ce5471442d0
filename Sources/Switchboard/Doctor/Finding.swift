/// What a check found.
public struct Finding: Encodable, Equatable, Sendable {
    public enum State: String, Encodable, Sendable {
        case fine
        /// Works, and could be better.
        case note
        /// Sound will suffer from it, or not come at all.
        case hazard
    }

    /// What was looked at: "memory lock".
    public var check: String
    public var state: State
    /// What is so.
    public var finding: String
    /// The command that cures it; nil where nothing is to be cured.
    public var cure: String?

    static func fine(_ check: String, _ finding: String) -> Finding {
        Finding(check: check, state: .fine, finding: finding, cure: nil)
    }

    static func note(_ check: String, _ finding: String, cure: String? = nil) -> Finding {
        Finding(check: check, state: .note, finding: finding, cure: cure)
    }

    static func hazard(_ check: String, _ finding: String, cure: String) -> Finding {
        Finding(check: check, state: .hazard, finding: finding, cure: cure)
    }
}

/// Looks at one thing that sound depends on.
protocol HazardCheck: Sendable {
    func examine(_ machine: Machine) -> [Finding]
}

/// `audiosession doctor`: each hazard with its cure. The status is 69 when there is one, so that scripts notice.
public struct DoctorOutcome: Outcome, Equatable {
    public private(set) var findings: [Finding]
    private var healthy: Bool

    private enum CodingKeys: String, CodingKey { case findings, healthy }

    private static let checks: [any HazardCheck] = [
        RealtimePriority(), MemoryLock(), Governor(), Kernel(), SoundCard(), JackServer(), JackLibrary(),
        JackMemory(), RuntimeFolderCheck(), ArbiterCheck(), DeviceKinds(), ConfigurationCheck(),
    ]

    public init(_ machine: Machine) {
        findings = Self.checks.flatMap { $0.examine(machine) }
        healthy = !findings.contains { $0.state == .hazard }
    }

    public var exitStatus: Int32 { healthy ? 0 : SwitchboardError.Status.unavailable.rawValue }

    public var words: String {
        let hazards = findings.filter { $0.state == .hazard }.count
        let lines = findings.map { finding in
            let mark =
                switch finding.state {
                case .fine: "fine  "
                case .note: "note  "
                case .hazard: "HAZARD"
                }
            return "\(mark)  \(finding.check): \(finding.finding)"
                + (finding.cure.map { "\n        cure: \($0)" } ?? "")
        }
        let sum = hazards == 0 ? "Nothing is wrong." : Text.count(hazards, "hazard") + "."
        return (lines + [sum]).joined(separator: "\n")
    }
}
