import PolicyExploration

/// `policy-explorer`: explores every slice of the rules' states, plants faults to see each invariant catch its own, and says what was
/// seen and what was not. Fails when an invariant is broken, or a planted fault is not caught.
@main struct PolicyExplorer {
    static func main() async throws {
        var failures: [String] = []
        print("Planted faults")
        for planted in PlantedFault.all {
            let exploration = planted.exploration(of: planted.subject)
            if let finding = exploration.findings.first(where: { $0.invariant == planted.invariant }) {
                print("  caught: \(planted.fault) (\(planted.invariant); \(finding.events.count) events)")
            } else {
                failures.append("not caught: \(planted.fault) (\(planted.invariant))")
            }
        }
        let clock = ContinuousClock()
        let begun = clock.now
        let report = await ExplorationReport.exploring(Slice.all, atOnce: 2)
        print("Slices")
        for line in report.lines { print(line) }
        print(
            """
            \(report.states) states, \(report.transitions) events decided and \(report.refused) refused, \(report.replays) logs \
            replayed, two slices at a time: \((clock.now - begun).components.seconds) s
            Not covered
            """)
        for line in Coverage.notCovered { print("  \(line)") }
        failures += report.failures
        guard failures.isEmpty else { throw Failed(failures: failures) }
    }
}

struct Failed: Error, CustomStringConvertible {
    var failures: [String]

    var description: String { failures.joined(separator: "\n") }
}
