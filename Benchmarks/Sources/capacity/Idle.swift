import Processes
import Reporting

/// The cost of idle objects: voices, buses, routes, queues. The figures of `Scale` show it.
struct Idle: Part {
    /// More than any app has. By default an engine has room for 63 in addition to the one in use.
    private static let buses = 31
    private static let routes = 7
    private static let voices = 16384
    private static let conditions = MixConditions(gain: .flat)

    mutating func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "Idle: what it costs beside 256 voices that play, 64 frames, hot, mono, flat",
            note: "Differences of pairs of cycles, who comes first changing from pair to pair",
            [.text("what", 40), "% of cycle", "low", "high", "ns", Table.Column("pairs")])
        for (what, idle, target) in Self.kinds(quick: run.quick) {
            let more = try Self.measure(idle, repetitions: run.quick ? 1000 : 10000)
            let (percent, nanoseconds) = (more.percent, Statistics(more.nanoseconds))
            let parameters = Self.conditions.parameters.with([
                "idle": .whole(idle.voices), "idleBuses": .whole(idle.buses), "idleRoutes": .whole(idle.routes),
                "idleQueues": .whole(idle.queues), "planned": .flag(idle.isPlanned),
            ])
            findings.results += [
                Measurement("idle.percent_of_cycle", Subject.core.name, "%", percent, parameters),
                Measurement("idle.ns", Subject.core.name, "ns", nanoseconds, parameters),
            ]
            table.add(
                [what]
                    + [percent.median, percent.interval.lowerBound, percent.interval.upperBound, nanoseconds.median]
                    .map(digits) + ["\(percent.count)"])
            if let target { findings.targets.append(Self.target(target, percent)) }
        }
        findings.tables = [table]
        return findings
    }

    /// The idle objects, and their names in the targets of those that have one.
    private static func kinds(quick: Bool) -> [(what: String, idle: Topology.Idle, target: String?)] {
        typealias Idle = Topology.Idle
        let rooms: [(String, Idle, String?)] = [
            ("\(voices) voices that were not started", Idle(voices: voices), "16,384 idle voices"),
            ("room for 1,023 more buses", Idle(buses: 1023), nil),
            ("room for 63 more routes", Idle(routes: 63), nil),
            ("63 queues that nobody posts through", Idle(queues: 63), nil),
        ]
        let buses = (quick ? [1, buses, 1023] : [1, 3, 7, 15, buses, 63, 127, 255, 511, 1023]).map {
            (
                "session buses that nothing plays in: \($0)", Idle(buses: $0, isPlanned: true),
                $0 == Self.buses ? "\($0) idle buses" : nil
            )
        }
        let routes = (quick ? [1, routes, 63] : [1, 3, routes, 15, 31, 63]).map {
            (
                "routes without a connected bus: \($0)", Idle(routes: $0, isPlanned: true, hasOutputs: true),
                $0 == Self.routes ? "\($0) idle routes" : nil
            )
        }
        return rooms + buses + routes
    }

    private static func measure(_ idle: Topology.Idle, repetitions: Int) throws -> Difference {
        let (with, without) = try players(idle)
        let more = Difference(repetitions: repetitions) { _ in (with, without, nil) }
        try with.check()
        try without.check()
        for output in 0..<with.outputs.count where !with.outputs[output].elementsEqual(without.outputs[output]) {
            throw BenchmarkError("With \(with.mix.text), idle objects (\(idle)) change the output.")
        }
        return more
    }

    /// Both players have the same outputs. If the plan contains the idle objects, both have room
    /// for them.
    private static func players(_ idle: Topology.Idle) throws -> (with: CorePlayer, without: CorePlayer) {
        if idle.voices > 0 {
            let mix = try conditions.mix(coldBytes: 0)
            return (try conditions.corePlayer(mix, idleVoices: idle.voices), try conditions.corePlayer(mix))
        }
        var unplanned = idle
        unplanned.isPlanned = false
        let topologies = [Topology(idle: idle), Topology(idle: idle.isPlanned ? unplanned : Topology.Idle())]
        let players = try topologies.map { try $0.corePlayer($0.mix()) }
        return (players[0], players[1])
    }

    /// Idle objects must not cost measurably: at most two per cent.
    private static func target(_ what: String, _ percent: Statistics) -> Target {
        Target(
            what: "\(what) beside 256 voices: % of the cycle", unit: "%", wanted: 2, reached: percent.median,
            range: min(percent.interval.lowerBound, percent.median)...max(percent.interval.upperBound, percent.median))
    }
}
