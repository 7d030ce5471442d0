/// The results of all slices.
package struct ExplorationReport: Sendable {
    package static let stateLimit = 2_000_000

    package var explorations: [Exploration]

    package var states: Int { explorations.reduce(0) { $0 + $1.states } }
    package var transitions: Int { explorations.reduce(0) { $0 + $1.transitions } }
    package var refused: Int { explorations.reduce(0) { $0 + $1.refused } }
    package var replays: Int { explorations.reduce(0) { $0 + $1.replays } }
    package var findings: [Finding] { explorations.flatMap(\.findings) }

    /// Explores slices concurrently. Their counts do not depend on the number of workers.
    package static func exploring(_ slices: [Slice], atOnce workers: Int) async -> ExplorationReport {
        await withTaskGroup(of: (Int, Exploration).self) { group in
            var found = [Exploration?](repeating: nil, count: slices.count)
            var next = 0
            func begin() {
                guard next < slices.count else { return }
                let index = next
                next += 1
                group.addTask {
                    var explorer = Explorer(slices[index])
                    return (index, explorer.run())
                }
            }
            for _ in 0..<workers { begin() }
            while let (index, exploration) = await group.next() {
                found[index] = exploration
                begin()
            }
            return ExplorationReport(explorations: found.compactMap(\.self))
        }
    }

    /// The reasons for failure; empty if the exploration passes.
    package var failures: [String] {
        var failures = findings.map { finding in
            "violated: \(finding.invariant), by\n" + finding.events.map { "    \($0)" }.joined(separator: "\n")
        }
        failures += explorations.filter { !$0.isComplete }.map { "not explored completely: \($0.slice)" }
        if states > Self.stateLimit { failures.append("\(states) states; the limit is \(Self.stateLimit)") }
        failures += Coverage.missingPairs(in: Slice.all).map { "no slice combines \($0) with \($1)" }
        return failures
    }

    /// One line per slice, and the totals.
    package var lines: [String] {
        let rows = explorations.map { e in
            [e.states, e.transitions, e.refused, e.depth].map { column("\($0)") }.joined()
                + column(hundredths(e.seconds)) + "  " + e.slice
        }
        let sum =
            [states, transitions, refused, explorations.map(\.depth).max() ?? 0].map { column("\($0)") }.joined()
            + column(hundredths(explorations.reduce(0) { $0 + $1.seconds })) + "  total"
        let head = ["states", "decided", "refused", "depth", "seconds"].map(column).joined() + "  slice"
        return [head] + rows + [sum]
    }

    private func column(_ text: String) -> String {
        String(repeating: " ", count: max(1, 10 - text.count)) + text
    }

    private func hundredths(_ seconds: Double) -> String {
        let count = Int((seconds * 100).rounded())
        return "\(count / 100)." + (count % 100 < 10 ? "0" : "") + "\(count % 100)"
    }
}
