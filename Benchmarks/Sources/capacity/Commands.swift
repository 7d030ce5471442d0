import CCapacity
import Processes
import Reporting

/// The cost of a command to the cycle that takes it, for different numbers of commands, compared
/// with a bare ring.
struct Commands: Part {
    /// How the commands are posted.
    enum Kind: String, CaseIterable {
        /// Posted by the rendering thread, due at once.
        case sameThread = "from the same thread"
        /// Posted by a thread on another core, due at once: the data must move between cores.
        case otherCore = "from another core"
        /// Posted with a time: they wait in a heap for a cycle, then take effect.
        case timed = "with a time"
    }

    static let bound = "bare ring of 32-byte items"

    mutating func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "Commands: gains for 256 voices, 64 frames, hot, mono, flat",
            note: "Nanoseconds for each, beyond a cycle without; bare: each item of a ring read and its value stored",
            [
                .text("posted", 22), "a cycle", "a second", "each", "p99", "bare", "p99",
                Table.Column("cycle µs", width: 9),
            ])
        let pair = Pair()
        let counts = run.quick ? [1, 16, 256, 1024, 4096] : [1, 4, 16, 64, 256, 1024, 4096, 16384]
        for kind in Kind.allCases where kind != .otherCore || pair != nil {
            for count in counts {
                let results = try Self.measure(kind, count, pair, seconds: run.quick ? 0.05 : 0.6)
                findings.results += results
                let each = results.of("ring.ns_per_command").flatMap(\.statistics.cells)
                let perSecond = Double(count * MixConditions.sampleRate) / Double(Topology().frames)
                table.add(
                    [kind.rawValue, "\(count)", digits(perSecond)] + each
                        + Array(repeating: "", count: 4 - each.count) + [results.median("cycle.us")])
            }
            let points = findings.results.of("cycle.us", nil, ["posted": .text(kind.rawValue)])
            findings.growths += [
                Growth(
                    "commands \(kind.rawValue)", Subject.core.name, unit: "µs", each: "command",
                    points.points(against: "commands"))
            ].compactMap { $0 }
        }
        findings.tables = [table]
        findings.targets = Self.targets(findings.results, run.noise)
        if pair == nil { say("from another core: not available, this process may not use two cores") }
        return findings
    }

    /// Measures a cycle without and one with commands, each after a cycle that is not timed; then
    /// as many items through a bare ring, which has no times.
    private static func measure(_ kind: Kind, _ count: Int, _ pair: Pair?, seconds: Double) throws -> [Measurement] {
        let topology = Topology(commands: count)
        let core = try topology.corePlayer(topology.mix())
        let ring = kind == .timed ? nil : pair
        let values = try Repetition(seconds: seconds).values { _ in
            let (cycle, more) = try take(count, kind, core, pair, without: core.settledCycle())
            // Subtracts the time to read the clock, which the difference of two cycles subtracts as
            // well.
            let bare = try ring.map { try $0.drain(count, apart: kind == .otherCore) - $0.drain(0, apart: false) }
            return [more / Double(count), cycle / 1000] + (bare.map { [$0 / Double(count)] } ?? [])
        }
        try core.check()
        let parameters = topology.parameters.with(["commands": .whole(count), "posted": .text(kind.rawValue)])
        return [Measurement].compared(
            "ring.ns_per_command", "ns", [(core.name, values[0]), (bound, values.count > 2 ? values[2] : [])],
            parameters) + [Measurement("cycle.us", core.name, "µs", Statistics(values[1]), parameters)]
    }

    /// Returns the nanoseconds of the cycle that takes the commands, and the part of them that the
    /// commands cost.
    private static func take(
        _ count: Int, _ kind: Kind, _ core: CorePlayer, _ pair: Pair?, without: Double
    ) throws -> (cycle: Double, more: Double) {
        var gains = core.gains(count, timed: kind == .timed)
        let isPosted =
            if kind == .otherCore, let pair { capacity_pair_post(pair.handle, &gains) } else { capacity_post(&gains) }
        guard isPosted else { throw BenchmarkError("The queue has no room for \(count) commands.") }
        let cycle = core.cycle()
        guard kind == .timed else { return (cycle, cycle - without) }
        // Two cycles: one stores the commands, one applies them.
        let applying = core.cycle()
        return (max(cycle, applying), cycle + applying - 2 * without)
    }

    /// The highest cost among the counts that a queue has room for by default.
    private static func targets(_ results: [Measurement], _ noise: Noise) -> [Target] {
        [Kind.sameThread, .otherCore].compactMap { kind in
            let drained = results.of("ring.ns_per_command", Subject.core.name, ["posted": .text(kind.rawValue)])
                .filter { (64...1024).contains($0.conditions.values["commands"]?.number ?? 0) }
            return drained.map(\.statistics).max { $0.median < $1.median }.map {
                Target(
                    what: "a drained command, posted \(kind.rawValue), 64 … 1,024 a cycle", unit: "ns", wanted: 20,
                    reached: $0.median,
                    range: min(
                        $0.interval.lowerBound, $0.median / (1 + noise.ratio))...max(
                            $0.interval.upperBound, $0.median * (1 + noise.ratio)))
            }
        }
    }

    func figures(_ results: [Measurement]) -> [Figure] { [.commands(results)] }
}
