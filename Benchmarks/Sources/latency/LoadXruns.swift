import Foundation
import Processes
import Reporting
import Servers

/// Whether an app's playback makes a server late: xruns and late cycles, compared with those of a
/// client that does nothing, alternately and together.
struct LoadXruns: LatencyPart {
    let name = "xruns"

    var performers: [String: @Sendable () -> ([String]) throws -> [Double]] {
        [LoadApp.part: { LoadApp().perform }, LoadBare.part: { LoadBare().perform }]
    }

    /// A load: 256 voices all the time, or alternately few and many.
    struct Case {
        var name: String
        var kind: ServerKind
        var low: Int
        var high: Int
        var rounds: Int
        var seconds: Double

        var voices: String { low == high ? "\(high)" : "\(low) ↔ \(high)" }
    }

    private func cases(_ run: Run) -> [Case] {
        let synchronous = run.servers.contains(.jackdSync) ? .jackdSync : run.servers[0]
        let steady = run.servers.map { kind in
            let isMain = kind == synchronous
            let seconds = run.quick ? 1.0 : isMain ? 2 : 1.5
            return Case(
                name: "steady", kind: kind, low: 256, high: 256,
                rounds: isMain ? max(2, Int(Double(run.xrunSeconds) / seconds)) : run.quick ? 1 : 4, seconds: seconds)
        }
        let jumps = [(26, 256, run.quick ? 1 : 3), (100, 1_024, run.quick ? 0 : 2)].map { low, high, rounds in
            Case(name: "jump", kind: synchronous, low: low, high: high, rounds: rounds, seconds: run.quick ? 2.5 : 4)
        }
        return steady + jumps.filter { $0.rounds > 0 }
    }

    func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var (table, memory, reported) = (Self.table, LoadMemory(), [(Case, [LoadSlot])]())
        for scene in cases(run) {
            let context = try ServerContext(scene.kind, service: run.service.socket)
            let stage = try LoadStage(scene.kind, period: Self.period, in: context)
            try stage.checkDetectors()
            var slots: [LoadSlot] = []
            for round in 0..<scene.rounds {
                // The order rotates with each round.
                let kinds: [LoadSlotKind] = scene.high > 256 ? [.ours, .control] : LoadSlotKind.allCases
                for turn in kinds.indices {
                    slots.append(try slot(kinds[(turn + round) % kinds.count], scene, stage, &memory))
                }
            }
            findings.append(report(scene, slots, stage.server, &table))
            reported.append((scene, slots))
        }
        findings.tables.append(table)
        var memoryTable = LoadMemory.table
        findings.append(memory.report("voices that come and go", ["period": .whole(Self.period)], &memoryTable))
        findings.tables.append(memoryTable)
        findings.figures.append(.xruns(reported))
        return findings
    }

    private func slot(_ kind: LoadSlotKind, _ scene: Case, _ stage: LoadStage, _ memory: inout LoadMemory) throws
        -> LoadSlot
    {
        guard scene.low != scene.high else {
            return try stage.slot(kind, seconds: scene.seconds, voices: scene.high, most: scene.high) { _ in }
        }
        memory.beginSegment()
        return try stage.slot(kind, seconds: scene.seconds, voices: scene.low, most: scene.high) { app in
            let begun = now()
            for jump in 1...max(1, Int(scene.seconds / 2)) {
                // Each load lasts two seconds; there is one second before the first jump and after
                // the last.
                let due = Double(2 * jump - 1) * 1_000 - Double(now() - begun) / 1e6
                poll(nil, 0, Int32(max(0, due)))
                try app.ask("voices", "\(jump % 2 == 1 ? scene.high : scene.low)")
                for _ in 0..<4 {
                    poll(nil, 0, 150)
                    memory.add(try app.ask("memory"), at: Double(now() - begun) / 1e9)
                }
            }
        }
    }

    static let period = 128
}

extension LoadXruns {
    static var table: Table {
        Table(
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
    }

    private func report(_ scene: Case, _ slots: [LoadSlot], _ server: Server, _ table: inout Table) -> Findings {
        let (ours, control) = (slots.filter { $0.kind == .ours }, slots.filter { $0.kind == .control })
        var pairs = LoadPairs()
        for slot in slots {
            guard let ours = slot.ours, let control = slot.control else { continue }
            pairs.add(ours, control, sampleRate: Server.sampleRate)
        }
        let xruns = LoadDifference(ours.map(\.xruns), control.map(\.xruns))
        let late = LoadDifference(ours.map(\.late), control.map(\.late))
        let seconds = ours.reduce(0) { $0 + $1.seconds }
        let total = { (slots: [LoadSlot], value: (LoadSlot) -> Int) in slots.reduce(0) { $0 + value($1) } }
        table.add(
            [scene.name, scene.voices, scene.kind.rawValue, digits(seconds), "\(total(ours, \.cycles))"]
                + ["\(total(ours, \.xruns))", "\(total(control, \.xruns))", digits(xruns.sum), words(xruns.interval)]
                + ["\(total(ours, \.late))", "\(total(control, \.late))", digits(late.sum), words(late.interval)]
                + [pairs.ours.reduce(0, +), pairs.control.reduce(0, +), pairs.both, pairs.count].map {
                    pairs.count == 0 ? "-" : "\($0)"
                })
        let conditions = Conditions(server).with([
            "case": .text(scene.name), "voices": .whole(scene.high), "lowVoices": .whole(scene.low),
            "seconds": .number(seconds),
        ])
        var findings = Findings()
        findings.results = measurements(ours, control, xruns, late, pairs, conditions)
        findings.targets = targets(scene, seconds, control, xruns, late, pairs)
        return findings
    }

    private func words(_ interval: ClosedRange<Double>) -> String {
        "\(digits(interval.lowerBound)) … \(digits(interval.upperBound))"
    }

    private func measurements(
        _ ours: [LoadSlot], _ control: [LoadSlot], _ xruns: LoadDifference, _ late: LoadDifference, _ pairs: LoadPairs,
        _ conditions: Conditions
    ) -> [Measurement] {
        let (app, bare) = ("swift-audio-session", "do-nothing JACK client")
        let compared = { (difference: LoadDifference) in
            conditions.with([
                "to": .text(bare), "sum": .number(difference.sum), "sumLow": .number(difference.interval.lowerBound),
                "sumHigh": .number(difference.interval.upperBound),
            ])
        }
        return [
            Measurement("jack.xruns_over_control", app, "per slot", Statistics(xruns.values), compared(xruns)),
            Measurement("jack.late_cycles_over_control", app, "per slot", Statistics(late.values), compared(late)),
            Measurement("jack.xruns", app, "per slot", Statistics(ours.map { Double($0.xruns) }), conditions),
            Measurement("jack.xruns", bare, "per slot", Statistics(control.map { Double($0.xruns) }), conditions),
            Measurement("jack.late_cycles", app, "per slot", Statistics(ours.map { Double($0.late) }), conditions),
            Measurement("jack.late_cycles", bare, "per slot", Statistics(control.map { Double($0.late) }), conditions),
        ]
            + (pairs.count == 0
                ? []
                : [
                    Measurement(
                        "jack.late_alone_over_control", app, "per half second", Statistics(pairs.difference.values),
                        compared(pairs.difference))
                ])
    }

    private func targets(
        _ scene: Case, _ seconds: Double, _ control: [LoadSlot], _ xruns: LoadDifference,
        _ late: LoadDifference, _ pairs: LoadPairs
    ) -> [Target] {
        let minutes = seconds / 60
        let load = "\(scene.voices) voices, \(Self.period) frames, \(scene.kind.rawValue)"
        let what = scene.name == "jump" ? "load jump, \(load)" : load
        // If the server itself is late in one of two hundred cycles, the comparison is
        // inconclusive.
        let cycles = control.reduce(0) { $0 + $1.cycles }
        let isNoise = control.reduce(0) { $0 + $1.xruns } * 200 > cycles
        let isHeadline = scene.kind == .jackdSync && scene.high == 256
        func target(_ words: String, _ difference: LoadDifference, headline: String? = nil) -> Target {
            let (low, high) = (difference.interval.lowerBound / minutes, difference.interval.upperBound / minutes)
            return Target(
                what: "\(what): \(words)", unit: "1/min", wanted: 0, reached: difference.sum / minutes,
                range: isNoise ? min(low, -1)...max(high, 1) : low...high, headline: isHeadline ? headline : nil)
        }
        return [
            target(
                "xruns beyond a do-nothing client's", xruns,
                headline: scene.name == "jump"
                    ? "xruns a minute beyond a do-nothing client's, \(scene.voices) voices in turn every 2 s, jackd -S, \(Self.period) frames"
                    : "xruns a minute beyond a do-nothing client's, 256 voices, jackd -S, \(Self.period) frames"),
            target("late cycles beyond a do-nothing client's", late),
        ]
            + (pairs.count == 0
                ? [] : [target("late alone, beyond a do-nothing client in the same cycles", pairs.difference)])
    }
}
