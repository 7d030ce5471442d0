import PolicyExploration
import TestRandom

/// `policy-explorer [--every N | --only NAME]`: explores every slice of the rules' states. With
/// `--every`, it explores each Nth slice from one that the seed chooses (SEED, or the day), so that
/// N consecutive seeds cover all of them; with `--only`, those whose names contain NAME. It also
/// injects faults, to verify that each invariant detects its own, and prints what it covered and
/// what it did not. Fails if an invariant is violated or an injected fault is not detected.
@main struct PolicyExplorer {
    static func main() async throws {
        var failures: [String] = []
        print("Injected faults")
        for injected in InjectedFault.all {
            let exploration = injected.exploration(of: injected.subject)
            if let finding = exploration.findings.first(where: { $0.invariant == injected.invariant }) {
                print("  detected: \(injected.fault) (\(injected.invariant); \(finding.events.count) events)")
            } else {
                failures.append("not detected: \(injected.fault) (\(injected.invariant))")
            }
        }
        let clock = ContinuousClock()
        let begun = clock.now
        let slices = try chosenSlices(CommandLine.arguments)
        let report = await ExplorationReport.exploring(slices, atOnce: 2)
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

    private static func chosenSlices(_ arguments: [String]) throws -> [Slice] {
        guard arguments.count > 1 else { return Slice.all }
        if arguments.count == 3, arguments[1] == "--only" {
            return Slice.all.filter { $0.name.contains(arguments[2]) }
        }
        guard arguments.count == 3, arguments[1] == "--every", let stride = UInt64(arguments[2]), stride > 0 else {
            throw Failed(failures: ["usage: policy-explorer [--every N | --only NAME]"])
        }
        let slices = Slice.all.enumerated().filter { UInt64($0.offset) % stride == TestSeed.current % stride }
        guard !slices.isEmpty else {
            throw Failed(failures: ["--every \(stride): there are \(Slice.all.count) slices"])
        }
        print("\(slices.count) of \(Slice.all.count) slices; \(TestSeed.text)")
        return slices.map(\.element)
    }
}

struct Failed: Error, CustomStringConvertible {
    var failures: [String]

    var description: String { failures.joined(separator: "\n") }
}
