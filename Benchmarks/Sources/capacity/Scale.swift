import Reporting

/// The cost of a cycle against buses, routes and channels, compared with the additions that every
/// such graph must perform.
struct Scale: Part {
    /// The parameter that grows along a curve, with all others constant.
    enum Axis: String, CaseIterable {
        case buses = "Buses"
        case routes = "Routes"
        case channels = "Channels"

        var each: String { self == .buses ? "bus" : self == .routes ? "route" : "channel" }
        var condition: String { rawValue.lowercased() }
    }

    /// Results of which one condition grows.
    struct Sweep {
        var axis: Axis
        var title: String
        var topologies: [Topology]
        var results: [Measurement] = []
    }

    private var sweeps: [Sweep] = []

    mutating func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        sweeps = Self.sweeps(quick: run.quick)
        for index in sweeps.indices {
            let (axis, title) = (sweeps[index].axis, sweeps[index].title)
            var table = Table(
                "\(axis.rawValue): \(title)",
                note: "Microseconds a cycle of 64 frames; the ratio is the median of the pairs", Self.columns)
            for topology in sweeps[index].topologies {
                let results = try Self.measure(topology, seconds: run.quick ? 0.05 : 0.6)
                sweeps[index].results += results
                table.add(
                    [topology.voices, topology.buses, topology.routes, topology.channels].map(String.init)
                        + results.of("cycle.us").flatMap(\.statistics.cells) + [results.median("cycle.cost_ratio")])
            }
            findings.results += sweeps[index].results
            findings.tables.append(table)
            findings.growths += [Subject.core.name, Topology.bound].compactMap { who in
                Growth(
                    "\(axis.condition): \(title)", who, unit: "µs", each: axis.each,
                    sweeps[index].results.of("cycle.us", who).points(against: axis.condition))
            }
        }
        return findings
    }

    private static func sweeps(quick: Bool) -> [Sweep] {
        func powers(to most: Int) -> [Int] {
            sequence(first: 1) { $0 * (quick ? 4 : 2) }.prefix { $0 <= most }.map { $0 }
        }
        let spreads = [Topology.Spread.together, .inTurn].map { spread in
            Sweep(
                axis: .buses,
                title: "1,024 mono voices, neighbours \(spread == .together ? "in the same bus" : "in other buses")",
                topologies: powers(to: 1024).map { Topology(voices: 1024, buses: $0, spread: spread) })
        }
        return spreads + [
            Sweep(
                axis: .routes, title: "16 mono voices in one bus, into each route of 2 channels",
                topologies: powers(to: 64).map { Topology(voices: 16, routes: $0) }),
            Sweep(
                axis: .channels, title: "16 voices, bus and route, all of so many",
                topologies: powers(to: 64).map { Topology(voices: 16, sourceChannels: $0, channels: $0) }),
            Sweep(
                axis: .channels, title: "16 mono voices, bus and route of so many",
                topologies: powers(to: 64).map { Topology(voices: 16, channels: $0) }),
        ]
    }

    /// Measures core and bound alternately, each after a cycle that is not timed.
    private static func measure(_ topology: Topology, seconds: Double) throws -> [Measurement] {
        let mix = try topology.mix()
        let players: [any Player] = [try topology.corePlayer(mix), topology.boundPlayer(mix)]
        return try Repetition(seconds: seconds).measure(
            players, "cycle.us", "µs", per: 1000, ratio: "cycle.cost_ratio", topology.parameters)
    }

    private static let columns: [Table.Column] = [
        "voices", "buses", "routes", "channels", "core", "p99", "bound", "p99", Table.Column("core/bound"),
    ]

    func figures(_ results: [Measurement]) -> [Figure] {
        Axis.allCases.map { axis in .scale(axis.condition, sweeps.filter { $0.axis == axis }, idle: results) }
    }
}
