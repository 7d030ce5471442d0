import Processes
import Reporting
import Servers

/// The time from an app's call to its sound at the port, in milliseconds, compared with the musical
/// yardstick: at most 10 ms, varying by at most 1 ms.
struct ActionPart: LatencyPart {
    let name = "action"
    var performers: [String: @Sendable () -> ([String]) throws -> [Double]] { Run.probedApp }

    private static let subject = "swift-audio-session"

    func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "Action → sound at the port: from before the call to the time of the first frame, by the server's clock (ms)",
            note: """
                spread: from p1 to p99; one period is what any call at any phase must have, and its deviation is the last column. trigger(at:): for the frame a \
                period from now. What the device adds (its latency, as JACK reports it) is not in it
                """,
            [
                .text("server", 11), "period", .text("call", 24), .text("priority", 9), "n", "median", "p99", "max",
                "spread", "deviation", "of any", "late",
            ])
        var figures: [(Conditions, [Double])] = []
        try run.withProbedApps { app, server in
            try app.ask("outputs")
            let isLong = server.period > 256
            let rounds = run.quick ? 15 : isLong ? 20 : server.period == 128 ? 100 : 60
            let actions: [Action] = run.quick || !isLong ? Action.allCases : [.trigger, .scheduled]
            let found = try app.askAtLength(["act", "\(rounds)"] + actions.map { "\($0.rawValue)" })
            for action in actions {
                for isRealTime in [false, true] {
                    let all = stride(from: 1, to: found.count, by: 4).filter {
                        Int(found[$0]) == action.rawValue && (found[$0 + 1] == 1) == isRealTime
                    }
                    let conditions = Conditions(server).with([
                        "call": .text(action.call), "thread": isRealTime ? "real-time" : "normal",
                    ])
                    let times = all.map { found[$0 + 2] }
                    let late = all.count { found[$0 + 3] != 0 }
                    figures.append((conditions, times))
                    add(action, isRealTime, times, late, conditions, server, run, &findings, &table)
                }
            }
        }
        findings.tables.append(table)
        findings.figures.append(.actions(figures))
        return findings
    }

    private func add(
        _ action: Action, _ isRealTime: Bool, _ times: [Double], _ late: Int, _ conditions: Conditions,
        _ server: Server, _ run: Run, _ findings: inout Findings, _ table: inout Table
    ) {
        let (statistics, spread) = (Statistics(times), Spread(times))
        let period = Double(server.period) / Double(Server.sampleRate) * 1000
        findings.results += [
            Measurement("action.ms_to_sound", Self.subject, "ms", statistics, conditions),
            Measurement("action.spread_ms", Self.subject, "ms", Statistics([spread.percentiles]), conditions),
            Measurement("action.deviation_ms", Self.subject, "ms", Statistics([spread.deviation]), conditions),
        ]
        let isScheduled = action == .scheduled
        table.add(
            [server.kind.rawValue, "\(server.period)", action.call, isRealTime ? "real time" : "normal"]
                + ["\(times.count)", digits(statistics.median), digits(statistics.p99), digits(statistics.maximum)]
                + [digits(spread.percentiles), digits(spread.deviation)]
                + [isScheduled ? "0" : digits(period / 12.0.squareRoot()), isScheduled ? "\(late)" : ""])
        guard server.period == 128, isRealTime, [.trigger, .scheduled].contains(action) else { return }
        let targetName = "\(action.call) on \(server.kind.rawValue), 128 frames, in real time"
        let isHeadline = server.kind == .jackd
        let bound = isScheduled ? "" : " (a call without a time has one period)"
        findings.targets += [
            Target(
                what: "\(targetName): action → sound, p99", unit: "ms", wanted: 10, reached: statistics.p99,
                range: run.noise.range(ofTail: statistics, inRealTime: true),
                headline: isHeadline && !isScheduled ? "action → sound at the port, period of 128 (p99)" : nil),
            Target(
                what: "\(targetName): jitter, p1 to p99\(bound)", unit: "ms", wanted: 1, reached: spread.percentiles,
                range: run.noise.range(ofExcess: spread.percentiles, inRealTime: true),
                headline: isHeadline && isScheduled ? "jitter of an action that has a time (p1 to p99)" : nil),
        ]
    }
}

extension Figure {
    /// Plots the distribution of the calls' times at 128 frames, with a panel for each server.
    fileprivate static func actions(_ found: [(conditions: Conditions, times: [Double])]) -> Figure {
        let colors = ["#0060ad", "#2f8e4b", "#d95319", "#7e2f8e"]
        let panels = ServerKind.allCases.compactMap { kind -> Panel? in
            let present = found.filter {
                $0.conditions.values["server"] == .text(kind.rawValue)
                    && $0.conditions.values["period"] == .whole(128)
            }
            guard !present.isEmpty else { return nil }
            let lines = Action.allCases.enumerated().flatMap { index, action in
                ["normal", "real-time"].map { thread in
                    let times =
                        present.first {
                            $0.conditions.values["call"] == .text(action.call)
                                && $0.conditions.values["thread"] == .text(thread)
                        }?.times.sorted() ?? []
                    let shares = times.enumerated().map {
                        ($0.element, Double($0.offset + 1) / Double(times.count) * 100)
                    }
                    return Line(
                        title: thread == "normal" ? "" : action.call, color: colors[index], dashed: thread == "normal",
                        points: shares, symbol: 0)
                }
            }
            let yardstick = Line(
                title: "10 ms", color: "#777777", dashed: true, points: [(10, 0), (10, 100)],
                symbol: 0)
            return Panel(title: kind.rawValue, lines: lines + [yardstick])
        }
        return Figure(
            "latency-action", size: "\(max(1, panels.count) * 600),600",
            caption: """
                Action → sound at the port, at 128 frames: share of calls that took at most that long. Any call at any phase of the period is a slope as wide as \
                the period; a call for a frame is upright. Dashed: a thread of normal priority. At 10 ms: what musicians bear.
                """,
            panels: panels,
            settings: """
                set xlabel "ms from the call to the first frame"
                set ylabel "% of calls"
                set yrange [0:100]
                set xrange [-0.5:11]
                set key at graph 0.38, graph 0.4
                """)
    }
}
