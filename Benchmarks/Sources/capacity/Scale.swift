import Reporting

/// The cost of a cycle against buses, routes and channels, compared with the additions that every
/// such graph must perform.
struct Scale {
    /// The parameter that grows along a curve, with all others constant.
    enum Axis: String, CaseIterable {
        case buses = "Buses"
        case routes = "Routes"
        case channels = "Channels"

        var each: String { self == .buses ? "bus" : self == .routes ? "route" : "channel" }
    }

    struct Point {
        var topology: Topology
        /// Microseconds per cycle.
        var core: Statistics
        var bound: Statistics
        /// The ratio, pair by pair.
        var ratio: Statistics
    }

    struct Curve {
        var axis: Axis
        var title: String
        var points: [Point] = []

        func count(_ point: Point) -> Double {
            switch axis {
            case .buses: Double(point.topology.buses)
            case .routes: Double(point.topology.routes)
            case .channels: Double(point.topology.channels)
            }
        }
    }

    private(set) var curves: [Curve] = []
    private(set) var tables: [Table] = []
    static let bound = "bare additions of the graph"

    mutating func measure(quick: Bool) throws {
        for (axis, title, topologies) in Self.slices(quick: quick) {
            var curve = Curve(axis: axis, title: title)
            var table = Table(
                "\(axis.rawValue): \(title)",
                note: "Microseconds a cycle of 64 frames; the ratio is the median of the pairs", Self.columns)
            for topology in topologies {
                let point = try Self.measure(topology, seconds: quick ? 0.05 : 0.6)
                curve.points.append(point)
                table.add(Self.row(point))
            }
            curves.append(curve)
            tables.append(table)
        }
    }

    /// The counts to measure, by axis.
    private static func slices(quick: Bool) -> [(Axis, String, [Topology])] {
        func powers(to most: Int) -> [Int] {
            sequence(first: 1) { $0 * (quick ? 4 : 2) }.prefix { $0 <= most }.map { $0 }
        }
        let spreads = [Topology.Spread.together, .inTurn].map { spread in
            (
                Axis.buses,
                "1,024 mono voices, neighbours \(spread == .together ? "in the same bus" : "in other buses")",
                powers(to: 1024).map { Topology(voices: 1024, buses: $0, spread: spread) }
            )
        }
        return spreads + [
            (
                .routes, "16 mono voices in one bus, into each route of 2 channels",
                powers(to: 64).map { Topology(voices: 16, routes: $0) }
            ),
            (
                .channels, "16 voices, bus and route, all of so many",
                powers(to: 64).map { Topology(voices: 16, sourceChannels: $0, channels: $0) }
            ),
            (
                .channels, "16 mono voices, bus and route of so many",
                powers(to: 64).map { Topology(voices: 16, channels: $0) }
            ),
        ]
    }

    /// Measures core and bound alternately, each after a cycle that is not timed.
    private static func measure(_ topology: Topology, seconds: Double) throws -> Point {
        let graph = try Graph(topology)
        var (core, bound): ([Double], [Double]) = ([], [])
        let begun = ContinuousClock.now
        var repetitions = 0
        while repetitions < 40 || (repetitions < 20000 && ContinuousClock.now - begun < .seconds(seconds)) {
            _ = graph.cycle()
            let cycle = graph.cycle() / 1000
            _ = graph.bound()
            let additions = graph.bound() / 1000
            repetitions += 1
            if repetitions <= 10 { continue }
            core.append(cycle)
            bound.append(additions)
        }
        try graph.check()
        return Point(
            topology: topology, core: Statistics(core), bound: Statistics(bound),
            ratio: Statistics(zip(core, bound).map { $0 / $1 }))
    }

    private static let columns: [Table.Column] = [
        "voices", "buses", "routes", "channels", "core", "p99", "bound", "p99", Table.Column("core/bound"),
    ]

    private static func row(_ point: Point) -> [String] {
        let topology = point.topology
        return ["\(topology.voices)", "\(topology.buses)", "\(topology.routes)", "\(topology.channels)"]
            + [point.core.median, point.core.p99, point.bound.median, point.bound.p99, point.ratio.median].map(digits)
    }

    var growths: [Growth] {
        curves.flatMap { curve in
            [(Subject.core.name, \Point.core), (Self.bound, \Point.bound)].compactMap { who, path in
                Growth(
                    "\(curve.axis.rawValue.lowercased()): \(curve.title)", who, unit: "µs", each: curve.axis.each,
                    curve.points.map { (curve.count($0), $0[keyPath: path].median) })
            }
        }
    }

    var measurements: [Measurement] {
        curves.flatMap(\.points).flatMap(Self.measurements)
    }

    static func measurements(_ point: Point) -> [Measurement] {
        let parameters = point.topology.parameters
        return [
            Measurement("cycle.us", Subject.core.name, "µs", point.core, parameters),
            Measurement("cycle.us", Self.bound, "µs", point.bound, parameters),
            Measurement(
                "cycle.cost_ratio", Subject.core.name, "1", point.ratio, parameters.with(["to": .text(Self.bound)])),
        ]
    }
}
