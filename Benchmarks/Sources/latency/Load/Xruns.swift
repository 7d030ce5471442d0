import CProbe
import Foundation
import Processes
import Reporting
import Servers

/// Whether an app's playback makes a server late: xruns and late cycles, compared with those of a
/// client that does nothing, alternately and together.
enum Xruns {
    /// A load: 256 voices all the time, or alternately few and many.
    private struct Load {
        var name: String
        var kind: ServerKind
        var low: Int
        var high: Int
        var rounds: Int
        var seconds: Double

        var voices: String { low == high ? "\(high)" : "\(low) ↔ \(high)" }
    }

    private static func loads(_ run: Run) -> [Load] {
        let steady = run.servers.map { kind in
            let isMain = kind == run.strictest
            let seconds = run.quick ? 1.0 : isMain ? 2 : 1.5
            return Load(
                name: "steady", kind: kind, low: 256, high: 256,
                rounds: isMain ? max(2, Int(Double(run.xrunSeconds) / seconds)) : run.quick ? 1 : 4, seconds: seconds)
        }
        let jumps = [(26, 256, run.quick ? 1 : 3), (100, 1_024, run.quick ? 0 : 2)].map { low, high, rounds in
            Load(
                name: "jump", kind: run.strictest, low: low, high: high, rounds: rounds, seconds: run.quick ? 2.5 : 4)
        }
        return steady + jumps.filter { $0.rounds > 0 }
    }

    private static let period = 128

    static func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "Xruns, and late cycles, of an app that plays, beside a client that does nothing; \(period) frames",
            note: """
                by turns: of each one's slots, alone on the server; beyond: ours minus the control's over all slots, and its interval; together: cycles \
                that only ours, only the control, and both ended a period too late, of those that both had
                """,
            [
                .text("load", 7), .text("voices", 10), .text("server", 10), "seconds", "cycles", "xruns", "control",
                "beyond", .text("interval", 11), "late", "control", "beyond", .text("interval", 11), "ours only",
                "control", "both", "of",
            ])
        var (memory, panels) = (Memory(), [Figure.Panel]())
        for load in loads(run) {
            let context = try ServerContext(load.kind, service: run.service.socket)
            let stage = try LoadStage(try Server(load.kind, period: period, in: context), in: context)
            try stage.checkDetectors()
            var slots: [LoadSlot] = []
            for round in 0..<load.rounds {
                // The order rotates with each round.
                let kinds: [LoadSlot.Kind] = load.high > 256 ? [.ours, .control] : LoadSlot.Kind.allCases
                for turn in kinds.indices {
                    slots.append(try slot(kinds[(turn + round) % kinds.count], load, stage, &memory))
                }
            }
            report(load, slots, stage.server, &findings, &table)
            panels.append(panel(load, slots))
        }
        var memoryTable = Memory.table
        memory.report("voices that come and go", ["period": .whole(period)], &findings, &memoryTable)
        findings.tables = [table, memoryTable]
        findings.figures = [figure(panels)]
        return findings
    }

    private static func slot(
        _ kind: LoadSlot.Kind, _ load: Load, _ stage: LoadStage, _ memory: inout Memory
    ) throws -> LoadSlot {
        guard load.low != load.high else {
            return try stage.slot(kind, seconds: load.seconds, voices: load.high, most: load.high)
        }
        memory.beginSegment()
        return try stage.slot(kind, seconds: load.seconds, voices: load.low, most: load.high) { app in
            let begun = now()
            for jump in 1...max(1, Int(load.seconds / 2)) {
                // Each load lasts two seconds; there is one second before the first jump and after
                // the last.
                let due = Double(2 * jump - 1) * 1_000 - Double(now() - begun) / 1e6
                poll(nil, 0, Int32(max(0, due)))
                try app.ask("voices", jump % 2 == 1 ? load.high : load.low)
                for _ in 0..<4 {
                    poll(nil, 0, 150)
                    memory.add(try app.ask("memory"), at: Double(now() - begun) / 1e9)
                }
            }
        }
    }

    private static func report(
        _ load: Load, _ slots: [LoadSlot], _ server: Server, _ findings: inout Findings, _ table: inout Table
    ) {
        let (own, control) = (slots.filter { $0.kind == .ours }, slots.filter { $0.kind == .control })
        var pairs = Pairs()
        for slot in slots {
            if let ours = slot.ours, let control = slot.control { pairs.add(ours, control) }
        }
        let xruns = Difference(own.map(\.xruns), control.map(\.xruns))
        let late = Difference(own.map(\.late), control.map(\.late))
        let seconds = own.reduce(0) { $0 + $1.seconds }
        func total(_ slots: [LoadSlot], _ value: KeyPath<LoadSlot, Int>) -> Int {
            slots.reduce(0) { $0 + $1[keyPath: value] }
        }
        table.row(
            load.name, load.voices, load.kind, seconds, total(own, \.cycles), total(own, \.xruns),
            total(control, \.xruns), xruns.sum, xruns.interval, total(own, \.late), total(control, \.late), late.sum,
            late.interval,
            [pairs.ours.reduce(0, +), pairs.control.reduce(0, +), pairs.both, pairs.count].map {
                pairs.count == 0 ? "-" : "\($0)"
            })
        let conditions = Conditions(server).with([
            "case": .text(load.name), "voices": .whole(load.high), "lowVoices": .whole(load.low),
            "seconds": .number(seconds),
        ])
        func add(_ metric: String, _ difference: Difference, unit: String = "per slot") {
            findings.add(
                metric, unit, difference.values,
                conditions.with([
                    "to": .text(doNothing), "sum": .number(difference.sum),
                    "sumLow": .number(difference.interval.lowerBound),
                    "sumHigh": .number(difference.interval.upperBound),
                ]))
        }
        add("jack.xruns_over_control", xruns)
        add("jack.late_cycles_over_control", late)
        for (metric, value) in [("jack.xruns", \LoadSlot.xruns), ("jack.late_cycles", \.late)] {
            for (subject, slots) in [(ours, own), (doNothing, control)] {
                findings.add(
                    metric, "per slot", slots.map { Double($0[keyPath: value]) }, conditions, of: subject)
            }
        }
        var differences = [
            ("xruns beyond a do-nothing client's", xruns), ("late cycles beyond a do-nothing client's", late),
        ]
        if pairs.count > 0 {
            add("jack.late_alone_over_control", pairs.difference, unit: "per half second")
            differences.append(("late alone, beyond a do-nothing client in the same cycles", pairs.difference))
        }
        // If the server itself is late in one of two hundred cycles, the comparison is
        // inconclusive.
        let isNoise = total(control, \.xruns) * 200 > total(control, \.cycles)
        findings.targets += differences.enumerated().map { index, difference in
            target(
                load, difference.0, difference.1, minutes: seconds / 60, isNoise: isNoise,
                isHeadline: index == 0 && load.kind == .jackdSync && load.high == 256)
        }
    }

    private static func target(
        _ load: Load, _ what: String, _ difference: Difference, minutes: Double, isNoise: Bool, isHeadline: Bool
    ) -> Target {
        let (low, high) = (difference.interval.lowerBound / minutes, difference.interval.upperBound / minutes)
        let name = "\(load.voices) voices, \(period) frames, \(load.kind.rawValue)"
        let turns = load.name == "jump" ? " in turn every 2 s" : ""
        return Target(
            what: "\(load.name == "jump" ? "load jump, " : "")\(name): \(what)", unit: "1/min", wanted: 0,
            reached: difference.sum / minutes, range: isNoise ? min(low, -1)...max(high, 1) : low...high,
            headline: isHeadline
                ? "xruns a minute beyond a do-nothing client's, \(load.voices) voices\(turns), jackd -S, \(period) frames"
                : nil)
    }

    /// The cumulative xruns and late cycles of all slots.
    private static func panel(_ load: Load, _ slots: [LoadSlot]) -> Figure.Panel {
        func line(_ kind: LoadSlot.Kind, _ name: String, _ value: KeyPath<LoadSlot, Int>) -> Figure.Line {
            var points = [(0.0, 0.0)]
            for slot in slots where slot.kind == kind {
                let last = points[points.count - 1]
                points.append((last.0 + slot.seconds, last.1 + Double(slot[keyPath: value])))
            }
            let isLate = value == \.late
            return Figure.Line(
                title: "\(kind.rawValue): \(name)", color: kind == .ours ? Figure.blue : Figure.grey, dashed: isLate,
                points: points, symbol: isLate ? 6 : 7)
        }
        return Figure.Panel(
            title: "\(load.voices) voices, \(load.kind.rawValue)",
            lines: [LoadSlot.Kind.ours, .control].flatMap {
                [line($0, "xruns", \.xruns), line($0, "late cycles", \.late)]
            })
    }

    private static func figure(_ panels: [Figure.Panel]) -> Figure {
        Figure(
            "latency-xruns", size: "\(420 * panels.count),560",
            caption: """
                Xruns and late cycles so far, against the seconds that each was there: an app that plays, and a client that does nothing, by turns on the \
                same server.
                """,
            panels: panels,
            settings: """
                set key below Left reverse samplen 3
                set bmargin 9
                set xlabel "seconds on the server"
                set ylabel "so far"
                set xrange [0:*]
                set yrange [-0.1:4<*]
                """)
    }
}

/// Two clients in the same cycles, to determine which of them was late on its own.
private struct Pairs {
    /// For each half second, how often ours alone was late, and how often the control alone.
    private(set) var ours: [Int] = []
    private(set) var control: [Int] = []
    private(set) var both = 0
    private(set) var count = 0

    mutating func add(_ ours: Trace, _ control: Trace) {
        let others = Set(control.cycles.map(\.frame))
        let (lateOurs, lateOthers) = (ours.lateFrames, control.lateFrames)
        guard let first = ours.cycles.first else { return }
        var parts: [Int: (ours: Int, control: Int)] = [:]
        for cycle in ours.cycles where others.contains(cycle.frame) {
            count += 1
            let part = Int(cycle.frame &- first.frame) / (Server.sampleRate / 2)
            let (isLate, isOtherLate) = (lateOurs.contains(cycle.frame), lateOthers.contains(cycle.frame))
            parts[part, default: (0, 0)].ours += isLate && !isOtherLate ? 1 : 0
            parts[part, default: (0, 0)].control += isOtherLate && !isLate ? 1 : 0
            both += isLate && isOtherLate ? 1 : 0
        }
        self.ours += parts.values.map(\.ours)
        self.control += parts.values.map(\.control)
    }

    var difference: Difference { Difference(ours, control) }
}

/// The difference between ours and the control, slot by slot, and its confidence.
private struct Difference {
    let values: [Double]
    let sum: Double
    /// The interval that contains the sum in 95 of 100 repetitions. It is computed from the
    /// differences between slots (Student), since late cycles come in bursts, and is at least as
    /// wide as that of as many independent events.
    let interval: ClosedRange<Double>

    init(_ ours: [Int], _ control: [Int]) {
        values = zip(ours, control).map { Double($0 - $1) }
        sum = values.reduce(0, +)
        let count = Double(values.count)
        let mean = sum / max(1, count)
        let spread = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / max(1, count - 1)
        let chance = Double(ours.reduce(0, +) + control.reduce(0, +))
        let reach = Self.quantile(values.count) * max(count * spread, chance).squareRoot()
        interval = (sum - reach)...(sum + reach)
    }

    /// Returns the quantile of Student's distribution for `count` values. A single value allows no
    /// estimate.
    private static func quantile(_ count: Int) -> Double {
        let known = [12.71, 12.71, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31]
        return known.indices.contains(count) ? known[count] : 1.96 + 2.5 / Double(count - 1)
    }
}
