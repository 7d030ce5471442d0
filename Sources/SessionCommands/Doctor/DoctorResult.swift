/// `audiosession doctor`: the findings of all checks, with a fix for each problem. The exit status
/// is 69 if there is an error, so that scripts can test for it.
public struct DoctorResult: CommandResult, Equatable {
    public private(set) var findings: [Finding]
    private var healthy: Bool

    private enum CodingKeys: String, CodingKey { case findings, healthy }

    private static let checks: [any DoctorCheck] = [
        RealtimePriority(), MemoryLock(), Governor(), Kernel(), SoundCard(), JackServer(), JackLibrary(),
        JackMemory(), RuntimeFolderCheck(), ArbiterCheck(), MediaControlCheck(), AdoptionCheck(), DeviceTypes(),
        ConfigurationCheck(),
    ]

    public init(_ machine: Machine) {
        // Several checks need these. A server or an arbiter that hangs is waited for once.
        let (server, arbiter) = (machine.server(), machine.arbiter())
        var machine = machine
        machine.server = { server }
        machine.arbiter = { arbiter }
        let examined = machine
        findings = Self.checks.flatMap { $0.examine(examined) }
        healthy = !findings.contains { $0.state == .error }
    }

    public var exitStatus: Int32 { healthy ? 0 : CommandError.Status.unavailable.rawValue }

    public var text: String {
        let errors = findings.filter { $0.state == .error }.count
        let lines = findings.flatMap { finding in
            let mark =
                switch finding.state {
                case .ok: "ok     "
                case .warning: "warning"
                case .error: "ERROR  "
                }
            return ["\(mark)  \(finding.check): \(finding.finding)"]
                + (finding.fix.map { ["         fix: \($0)"] } ?? [])
        }
        let summary = errors == 0 ? "No problems found." : Text.count(errors, "error") + "."
        return Text.lines(lines + [summary])
    }
}
