import CCapacity
import Processes
import Reporting

/// The cost of idle objects: voices, buses, routes, queues.
struct Idle {
    struct Finding {
        var what: String
        var voices = 0
        var idle: Topology.Idle
        /// Per cent of the cycle of 256 voices without them.
        var percent: Statistics
        /// Nanoseconds per cycle.
        var nanoseconds: Statistics
    }

    private(set) var findings: [Finding] = []
    private(set) var tables: [Table] = []
    static let voices = 16384
    /// More than any app has. By default an engine has room for 63 in addition to the one in use.
    static let buses = 31
    static let routes = 7
    private static let conditions = MixConditions(gain: .flat)

    mutating func measure(quick: Bool, coldBytes: Int) throws {
        var table = Table(
            "Idle: what it costs beside 256 voices that play, 64 frames, hot, mono, flat",
            note: "Differences of pairs of cycles, who comes first changing from pair to pair",
            [.text("what", 40), "% of cycle", "low", "high", "ns", Table.Column("pairs")])
        let repetitions = quick ? 1000 : 10000
        for finding in try [idleVoices(repetitions, coldBytes)]
            + Self.kinds(quick: quick).map({
                try Self.measure($0.what, $0.idle, repetitions)
            })
        {
            findings.append(finding)
            table.add(
                [finding.what]
                    + [
                        finding.percent.median, finding.percent.interval.lowerBound,
                        finding.percent.interval.upperBound,
                    ]
                    .map(digits) + [digits(finding.nanoseconds.median), "\(finding.percent.count)"])
        }
        tables = [table]
    }

    private static func kinds(quick: Bool) -> [(what: String, idle: Topology.Idle)] {
        typealias Idle = Topology.Idle
        let rooms = [
            ("room for 1,023 more buses", Idle(buses: 1023)), ("room for 63 more routes", Idle(routes: 63)),
            ("63 queues that nobody posts through", Idle(queues: 63)),
        ]
        let buses = (quick ? [1, buses, 1023] : [1, 3, 7, 15, buses, 63, 127, 255, 511, 1023]).map {
            ("session buses that nothing plays in: \($0)", Idle(buses: $0, isPlanned: true))
        }
        let routes = (quick ? [1, routes, 63] : [1, 3, routes, 15, 31, 63]).map {
            ("routes without a connected bus: \($0)", Idle(routes: $0, isPlanned: true, hasOutputs: true))
        }
        return rooms + buses + routes
    }

    private func idleVoices(_ repetitions: Int, _ coldBytes: Int) throws -> Finding {
        let scene = Self.conditions.scene(coldBytes: coldBytes)
        let samples = try Samples(scene, for: Self.conditions)
        var crowded = scene
        crowded.idle_voices = UInt32(Self.voices)
        let without = try CorePlayer(scene, samples, for: Self.conditions)
        let with = try CorePlayer(crowded, samples, for: Self.conditions)
        let more = Difference(with.cycle, without.cycle, repetitions: repetitions)
        for channel in UInt32(0)..<2 {
            let outputs = [with, without].map { player in
                Array(
                    UnsafeBufferPointer(
                        start: capacity_core_output(player.handle, channel), count: Self.conditions.frames))
            }
            guard outputs[0] == outputs[1], outputs[0].contains(where: { $0 != 0 }) else {
                throw BenchmarkError.noScene(Self.conditions, "idle voices change the output")
            }
        }
        return Finding(
            what: "\(Self.voices) voices that were not started", voices: Self.voices, idle: Topology.Idle(),
            percent: more.percent, nanoseconds: more.nanoseconds)
    }

    /// Both graphs have the same outputs. If the plan contains the idle objects, both have room for
    /// them.
    private static func measure(_ what: String, _ idle: Topology.Idle, _ repetitions: Int) throws -> Finding {
        let with = try Graph(Topology(idle: idle))
        let without = try Graph(Topology(idle: idle.isPlanned ? idle.unplanned : Topology.Idle()))
        let more = Difference(with.cycle, without.cycle, repetitions: repetitions)
        try with.check()
        try without.check()
        return Finding(what: what, idle: idle, percent: more.percent, nanoseconds: more.nanoseconds)
    }

    func percent(_ idle: Topology.Idle) -> Statistics? { findings.first { $0.voices == 0 && $0.idle == idle }?.percent }
    var voicesPercent: Statistics? { findings.first { $0.voices > 0 }?.percent }

    var measurements: [Measurement] {
        findings.flatMap { finding in
            let parameters = Self.conditions.parameters.with([
                "idle": .whole(finding.voices), "idleBuses": .whole(finding.idle.buses),
                "idleRoutes": .whole(finding.idle.routes), "idleQueues": .whole(finding.idle.queues),
                "planned": .flag(finding.idle.isPlanned),
            ])
            return [
                Measurement("idle.percent_of_cycle", Subject.core.name, "%", finding.percent, parameters),
                Measurement("idle.ns", Subject.core.name, "ns", finding.nanoseconds, parameters),
            ]
        }
    }
}
