import Reporting

/// The findings of one run.
struct Findings {
    var costs = Costs()
    var halfPeriod = HalfPeriod()
    var cycles = CycleTimes()
    var scale = Scale()
    var commands = Commands()
    var roundTrips = RoundTrips()
    var idle = Idle()
    var mixer = Mixer()
    var memory = Memory()
    var resampling = Resampling()

    var measurements: [Measurement] {
        costs.measurements + halfPeriod.measurements + cycles.measurements + scale.measurements + commands.measurements
            + roundTrips.measurements + idle.measurements + mixer.measurements + memory.measurements
            + resampling.measurements
    }
    var tables: [Table] {
        costs.tables + halfPeriod.tables + cycles.tables + scale.tables + commands.tables + roundTrips.tables
            + idle.tables + mixer.tables + memory.tables + resampling.tables
    }
}

/// All targets of the measurements that were made.
struct Targets {
    var findings: Findings
    var noise: Noise

    var all: [Target] {
        DataKind.allCases.flatMap(mixing) + DataKind.allCases.map(halfPeriod) + idle + mixer + commands
            + DataKind.allCases.flatMap(cycles) + memory + resampling
    }

    private func ratio(
        _ what: String, _ wanted: Double, aim: Double? = nil, _ ratio: Statistics?, headline: String? = nil
    ) -> [Target] {
        guard let ratio else { return [] }
        return [
            Target(
                what: what, unit: "1", wanted: wanted, aim: aim, reached: ratio.median, range: noise.range(of: ratio),
                headline: headline)
        ]
    }

    private func mixing(_ data: DataKind) -> [Target] {
        let comparison = findings.costs[MixConditions(data: data)]
        let pitched = findings.costs[MixConditions(data: data, pitched: true)]
        return ratio(
            "256 ramping voices, 64 frames, \(data): cost over OpenAL's", 0.25, comparison?.ratio(to: .openal),
            headline: "mixing a voice, \(data): cost over \(Subject.openal.name)'s")
            + ratio(
                "256 ramping voices, 64 frames, \(data): cost over the bare loop's", data == .hot ? 3 : 2,
                aim: data == .hot ? 1.5 : 1.25, comparison?.ratio(to: .bound))
            + ratio(
                "256 pitched voices, 64 frames, \(data): cost over OpenAL's cubic", 0.5, aim: 0.25,
                pitched?.ratio(to: .openal))
    }

    private func halfPeriod(_ data: DataKind) -> Target {
        let (core, bound) = (findings.halfPeriod.count(.core, data), findings.halfPeriod.count(.bound, data))
        // The aim cannot exceed the core's own limit.
        let aim = min(0.8 * Double(bound), Double(HalfPeriod.most(.core)))
        let reached = Double(core)
        // A machine that stops a busy thread leaves room for fewer voices.
        let slowed = (1 + noise.ratio) / (1 - min(0.9, noise.stoppedPercent / 100))
        return Target(
            what: "voices in half a 64-frame period, \(data); aim: 80 % of the bare loop's, or all that a core has",
            unit: "voices",
            wanted: 4096, atLeast: true, aim: aim, reached: reached,
            range: reached / (1 + noise.ratio)...reached * slowed,
            headline: "voices in half a period of 64 frames, \(data)")
    }

    /// Idle objects must not cost measurably: at most two per cent.
    private var idle: [Target] {
        let planned: [(String, Topology.Idle)] = [
            ("\(Idle.buses) idle buses", Topology.Idle(buses: Idle.buses, isPlanned: true)),
            ("\(Idle.routes) idle routes", Topology.Idle(routes: Idle.routes, isPlanned: true, hasOutputs: true)),
        ]
        let found =
            [("16,384 idle voices", findings.idle.voicesPercent)]
            + planned.map { ($0.0, findings.idle.percent($0.1)) }
        return found.compactMap { what, percent in
            percent.map {
                Target(
                    what: "\(what) beside 256 voices: % of the cycle", unit: "%", wanted: 2, reached: $0.median,
                    range: min($0.interval.lowerBound, $0.median)...max($0.interval.upperBound, $0.median))
            }
        }
    }

    private var mixer: [Target] {
        let room = findings.mixer.finding(MixerLayout(feature: .room)).map { $0.difference.percent }
        let buses = findings.mixer.findings.filter { $0.layout.feature == .nested }.flatMap { finding in
            let channels = finding.layout.channels
            return ratio(
                "one more bus of \(channels) \(channels == 1 ? "channel" : "channels"), beside \(finding.layout.buses): over clearing and adding",
                1.5, finding.difference.ratio)
        }
        return buses
            + (room.map {
                [
                    Target(
                        what: "room for 1,024 sends and 4,096 curves that are not used: % of the cycle", unit: "%",
                        wanted: 2, reached: $0.median,
                        range: min(
                            0, $0.interval.lowerBound)...max(
                                $0.interval.upperBound, $0.median + noise.ratio * 100))
                ]
            } ?? [])
    }

    private var commands: [Target] {
        let drained = Commands.Kind.allCases.filter { $0 != .timed }.compactMap { kind in
            findings.commands.worst(kind).map {
                Target(
                    what: "a drained command, posted \(kind.rawValue), 64 … 1,024 a cycle", unit: "ns", wanted: 20,
                    reached: $0.median,
                    range: min(
                        $0.interval.lowerBound, $0.median / (1 + noise.ratio))...max(
                            $0.interval.upperBound, $0.median * (1 + noise.ratio)))
            }
        }
        return ratio(
            "two command rings there and back between cores: over the bare cache lines'", 1.25,
            findings.roundTrips.ratios[.lines]) + drained
    }

    private func cycles(_ data: DataKind) -> [Target] {
        guard let cycle = findings.cycles.statistics(.core, MixConditions(data: data)) else { return [] }
        // A thread that the machine stops is late, however little work it has.
        let least = min(cycle.median, cycle.p999)
        return [
            Target(
                what: "cycle of 256 voices, 64 frames, p99.9, % of the period, \(data)", unit: "%", wanted: 25, aim: 10,
                reached: cycle.p999, range: (noise.stoppedPercent > 0.1 ? least : cycle.p999)...cycle.p999,
                headline: "cycle of 256 voices at 64 frames, \(data) (p99.9 of the period)")
        ]
    }

    private var memory: [Target] {
        Memory.Subject.allCases.flatMap { subject -> [Target] in
            guard let finding = findings.memory.findings[subject] else { return [] }
            return [
                Target(
                    what: "memory of the \(subject) for 256 voices, without sample data", unit: "MiB", wanted: 16,
                    reached: finding.mebibytes),
                Target(
                    what: "memory of the \(subject) that came in \(finding.cycles) cycles", unit: "bytes", wanted: 0,
                    reached: Double(finding.growth)),
            ]
        }
    }

    private var resampling: [Target] {
        guard let worst = findings.resampling.worstSignalToNoise, let flatness = findings.resampling.flatness else {
            return []
        }
        let rates = Resampling.wanted.text
        return [
            Target(
                what: "\(rates), streamed: signal to noise of a sine, the worst up to 20 kHz", unit: "dB", wanted: 110,
                atLeast: true, reached: worst),
            Target(
                what: "\(rates), streamed: off unity gain up to 20 kHz, at most", unit: "dB", wanted: 0.1,
                reached: flatness),
        ]
    }
}
