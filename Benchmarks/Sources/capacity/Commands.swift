import CCapacity
import Processes
import Reporting

/// The cost of a command to the cycle that takes it, for different numbers of commands, compared
/// with a bare ring.
struct Commands {
    /// How the commands are posted.
    enum Kind: String, CaseIterable {
        /// Posted by the rendering thread, due at once.
        case sameThread = "from the same thread"
        /// Posted by a thread on another core, due at once: the data must move between cores.
        case otherCore = "from another core"
        /// Posted with a time: they wait in a heap for a cycle, then take effect.
        case timed = "with a time"
    }

    struct Point {
        var kind: Kind
        /// The number of commands per cycle.
        var count: Int
        /// Nanoseconds per command, for the core and for the bare ring (which has no times); and
        /// microseconds of the cycle that takes them.
        var each: Statistics
        var bare: Statistics?
        var cycle: Statistics

        /// The commands per second, with cycles of 64 frames.
        var perSecond: Double { Double(count * MixConditions.sampleRate) / Double(Commands.topology.frames) }
    }

    private(set) var points: [Point] = []
    private(set) var tables: [Table] = []
    /// Why there are no results from another core.
    private(set) var reason: String?
    static let bound = "bare ring of 48-byte items"
    private static let topology = Topology()

    mutating func measure(quick: Bool, pair: Pair?) throws {
        var table = Table(
            "Commands: gains for 256 voices, 64 frames, hot, mono, flat",
            note: "Nanoseconds for each, beyond a cycle without; bare: each item of a ring read and its value stored",
            [
                .text("posted", 22), "a cycle", "a second", "each", "p99", "bare", "p99",
                Table.Column("cycle µs", width: 9),
            ])
        let counts = quick ? [1, 16, 256, 1024, 4096] : [1, 4, 16, 64, 256, 1024, 4096, 16384]
        for kind in Kind.allCases where kind != .otherCore || pair != nil {
            for count in counts {
                let point = try Self.measure(kind, count, pair: pair, seconds: quick ? 0.05 : 0.6)
                points.append(point)
                table.add(
                    [
                        kind.rawValue, "\(count)", digits(point.perSecond), digits(point.each.median),
                        digits(point.each.p99),
                    ]
                        + [point.bare.map { digits($0.median) } ?? "", point.bare.map { digits($0.p99) } ?? ""]
                        + [digits(point.cycle.median)])
            }
        }
        tables = [table]
        if pair == nil { say("from another core: not available, this process may not use two cores") }
    }

    func points(_ kind: Kind) -> [Point] { points.filter { $0.kind == kind } }

    /// Measures a cycle without and one with commands, each after a cycle that is not timed; then
    /// as many items through a bare ring.
    private static func measure(_ kind: Kind, _ count: Int, pair: Pair?, seconds: Double) throws -> Point {
        var topology = topology
        topology.commands = count
        let graph = try Graph(topology)
        let items = UInt32(count)
        var (each, bare, cycles): ([Double], [Double], [Double]) = ([], [], [])
        let begun = ContinuousClock.now
        var repetitions = 0
        while repetitions < 40 || (repetitions < 20000 && ContinuousClock.now - begun < .seconds(seconds)) {
            _ = graph.cycle()
            let without = graph.cycle()
            let (with, more) = try take(items, kind, graph, pair, without)
            // Subtracts the time to read the clock, which the difference of two cycles subtracts as
            // well.
            let none = pair.map { Double(capacity_pair_drain($0.handle, 0, false)) }
            let drained =
                kind == .timed ? nil : pair.map { Double(capacity_pair_drain($0.handle, items, kind == .otherCore)) }
            repetitions += 1
            if repetitions <= 10 { continue }
            guard drained != 0 else { throw BenchmarkError.lost("items of a bare ring") }
            each.append(more / Double(count))
            cycles.append(with / 1000)
            if let drained, let none { bare.append((drained - none) / Double(count)) }
        }
        try graph.check()
        return Point(
            kind: kind, count: count, each: Statistics(each), bare: bare.isEmpty ? nil : Statistics(bare),
            cycle: Statistics(cycles))
    }

    /// Returns the nanoseconds of the cycle that takes the commands, and the part of them that the
    /// commands cost.
    private static func take(
        _ count: UInt32, _ kind: Kind, _ graph: Graph, _ pair: Pair?, _ without: Double
    ) throws -> (cycle: Double, more: Double) {
        let full = BenchmarkError.noGraph(graph.topology, "no room for \(count) commands")
        switch kind {
        case .sameThread:
            guard capacity_graph_command(graph.handle, count, false) else { throw full }
            let cycle = graph.cycle()
            return (cycle, cycle - without)
        case .otherCore:
            let cycle = pair.map { Double(capacity_pair_cycle($0.handle, graph.handle, count)) } ?? 0
            guard cycle > 0 else { throw full }
            return (cycle, cycle - without)
        case .timed:
            // Two cycles: one stores the commands, one applies them.
            guard capacity_graph_command(graph.handle, count, true) else { throw full }
            let keeping = graph.cycle()
            let applying = graph.cycle()
            return (max(keeping, applying), keeping + applying - 2 * without)
        }
    }

    /// The highest cost among the counts that a queue has room for by default.
    func worst(_ kind: Kind) -> Statistics? {
        points(kind).filter { (64...1024).contains($0.count) }.map(\.each).max { $0.median < $1.median }
    }

    var growths: [Growth] {
        Kind.allCases.compactMap { kind in
            Growth(
                "commands \(kind.rawValue)", Subject.core.name, unit: "µs", each: "command",
                points(kind).map { (Double($0.count), $0.cycle.median) })
        }
    }

    var measurements: [Measurement] {
        points.flatMap { point in
            let parameters = Self.topology.parameters.with([
                "commands": .whole(point.count), "posted": .text(point.kind.rawValue),
            ])
            let bare = point.bare.map { Measurement("ring.ns_per_command", Self.bound, "ns", $0, parameters) }
            return [
                Measurement("ring.ns_per_command", Subject.core.name, "ns", point.each, parameters),
                Measurement("cycle.us", Subject.core.name, "µs", point.cycle, parameters),
            ] + (bare.map { [$0] } ?? [])
        }
    }
}
