import Processes
import Reporting
import Servers

/// The time from a command to the first frame that it changes: for commands without a time, and for
/// those with a frame.
struct CommandPart: LatencyPart {
    let name = "command"
    var performers: [String: @Sendable () -> ([String]) throws -> [Double]] { Run.probedApp }

    private static let subject = "swift-audio-session"
    private static let titles = ["start", "gain"]

    func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "Commands, posted by the app's own thread at any phase of the period: first frame that is another",
            note: """
                next: frames beyond the first frame of the next cycle, by counting: 0 is the bound, less than 0 came into the cycle that had begun. from post: \
                frames from the call, by the server's clock. error: frames from the one that was asked for. repeated: the server was late meanwhile
                """,
            [
                .text("server", 11), "period", .text("command", 8), "n", "next, max", "early", "from post", "p99",
                "max", "in periods", "error", "error max", "repeated",
            ])
        try OfflineCommands.measure(&findings, &table, count: run.quick ? 100 : 1_000)
        try run.withProbedApps { app, server in
            try app.ask("outputs")
            let count = run.quick ? 40 : server.period > 256 ? 60 : 200
            let untimed = try app.askAtLength("untimed", "\(count)")
            let timed = try app.askAtLength("timed", "\(count)")
            add(untimed, timed, server, &findings, &table)
        }
        findings.tables.append(table)
        findings.targets = Self.targets(findings.results, run.servers)
        return findings
    }

    private func add(
        _ untimed: [Double], _ timed: [Double], _ server: Server, _ findings: inout Findings, _ table: inout Table
    ) {
        for (kind, title) in Self.titles.enumerated() {
            let conditions = Conditions(server).with(["command": .text(title)])
            let now = stride(from: 1, to: untimed.count, by: 3).filter { Int(untimed[$0]) == kind }
            let then = stride(from: 1, to: timed.count, by: 2).filter { Int(timed[$0]) == kind }
            let (next, frames) = (now.map { untimed[$0 + 1] }, now.map { untimed[$0 + 2] })
            let error = then.map { timed[$0 + 1] }
            let (sound, exact) = (Statistics(frames), Statistics(error.map(abs)))
            findings.results += [
                Measurement("command.frames_to_sound", Self.subject, "frames", sound, conditions),
                Measurement(
                    "command.frames_beyond_next_cycle", Self.subject, "frames", Statistics(next), conditions),
                Measurement("command.scheduled_error_frames", Self.subject, "frames", exact, conditions),
            ]
            table.add(
                [server.kind.rawValue, "\(server.period)", title, "\(next.count)", digits(next.max() ?? 0)]
                    + ["\(next.count { $0 < 0 })", digits(sound.median), digits(sound.p99), digits(sound.maximum)]
                    + [digits(sound.maximum / Double(server.period)), digits(exact.median), digits(exact.maximum)]
                    + ["\(Int(untimed[0] + timed[0]))"])
        }
    }

    private static func targets(_ results: [Measurement], _ servers: [ServerKind]) -> [Target] {
        func worst(_ metric: String, _ value: (Measurement) -> Double) -> Double {
            results.filter { $0.metric == metric }.map(value).max() ?? .infinity
        }
        let places = servers.map(\.rawValue).joined(separator: ", ")
        let periods = worst("command.frames_beyond_next_cycle") { measurement in
            guard case .whole(let period) = measurement.conditions.values["period"] else { return .infinity }
            return 1 + measurement.statistics.maximum / Double(period)
        }
        return [
            Target(
                what: "command → first changed frame: worst, from the cycle it was posted in, on \(places)",
                unit: "periods", wanted: 1, reached: periods, headline: "command → first changed frame, worst"),
            Target(
                what: "command for a frame → its frame: worst error, on \(places)", unit: "frames", wanted: 0,
                reached: worst("command.scheduled_error_frames", \.statistics.maximum),
                headline: "command for a frame: frames beside it, worst"),
        ]
    }
}
