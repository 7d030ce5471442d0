import Foundation
import Processes
import Reporting
import Servers

/// The frames that an app adds between its input and its output.
///
/// Each impulse takes four paths at once: the link alone, a client that only passes its input on,
/// one that delays by a known number of frames, and the app.
struct ThroughPart: LatencyPart {
    let name = "through"
    var performers: [String: @Sendable () -> ([String]) throws -> [Double]] { Run.probedApp }

    private static let ours = "swift-audio-session"
    private static let metric = "through.added_frames"

    func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "Through path: frames from an app's live input to its output (worst of all impulses)",
            note: """
                over: how it comes back, by links alone, or over jackd's loopback ports, where whole periods do not count (see README). way: what that takes \
                without anybody. +: what is added to it. injected: a client that delays by \(ProbedApp.injectedDelay) frames, which must be found. repeated: \
                impulses during which the server was late. iodelay: what jack_iodelay reads alone, and with us in between
                """,
            [
                .text("server", 11), "period", .text("over", 8), "voices", "impulses", "way", "client +", "injected +",
                "ours +",
                "repeated",
            ])
        try OfflineThrough.measure(&findings, &table, impulses: run.quick ? 100 : 1_000)
        try run.withProbedApps { app, server in
            for over in Self.ways(server.kind) {
                try app.ask("ways", over)
                for voices in [0, 1_024] {
                    try app.ask("voices", "\(voices)")
                    let impulses = run.quick ? 25 : server.period > 256 ? 50 : 100
                    let found = try app.askAtLength("through", "\(impulses)", over)
                    try add(found, over, voices, server, &findings, &table)
                }
            }
            try app.ask("voices", "0")
            // The tool is an additional check: without its readings the other results remain valid.
            guard Self.hasTool, let readings = try? app.askAtLength("iodelay", run.quick ? "1" : "3"), !readings.isEmpty
            else {
                let why = Self.hasTool ? "silent" : "missing"
                return table.add([server.kind.rawValue, "\(server.period)", "iodelay", "", "", why])
            }
            addTool(readings, server, &findings, &table)
        }
        findings.tables.append(table)
        findings.targets += Self.targets(findings.results, run.servers)
        return findings
    }

    /// Whether jack_iodelay is installed, which some distributions provide in a separate package.
    private static let hasTool = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
        FileManager.default.isExecutableFile(atPath: $0 + "/jack_iodelay")
    }

    private static func ways(_ kind: ServerKind) -> [String] { kind == .pipewire ? ["link"] : ["link", "loopback"] }

    private func add(
        _ found: [Double], _ over: String, _ voices: Int, _ server: Server, _ findings: inout Findings,
        _ table: inout Table
    ) throws {
        let impulses = stride(from: 1, to: found.count, by: 4).map { Array(found[$0..<($0 + 4)]) }
        let conditions = Conditions(server).with(["voices": .whole(voices), "over": .text(over)])
        func frames(_ subject: String, _ metric: String, _ values: [Double]) -> String {
            let statistics = Statistics(values)
            findings.results.append(Measurement(metric, subject, "frames", statistics, conditions))
            return digits(statistics.maximum)
        }
        let link = frames(over == "link" ? "link" : "loopback ports", "through.frames", impulses.map { $0[0] })
        let client = frames("pass-through client", Self.metric, impulses.map { $0[1] - $0[0] })
        let injected = impulses.map { $0[2] - $0[0] }
        guard injected.allSatisfy({ $0 == Double(ProbedApp.injectedDelay) }) else {
            throw BenchmarkError(
                "a delay of \(ProbedApp.injectedDelay) frames was measured as \(Set(injected).sorted())")
        }
        let ours = frames(Self.ours, Self.metric, impulses.map { $0[3] - $0[0] })
        table.add(
            [server.kind.rawValue, "\(server.period)", over, "\(voices)", "\(impulses.count)", link, client]
                + ["\(ProbedApp.injectedDelay)", ours, "\(Int(found[0]))"])
    }

    private func addTool(_ readings: [Double], _ server: Server, _ findings: inout Findings, _ table: inout Table) {
        let (alone, through) = (readings.prefix(readings.count / 2), readings.suffix(readings.count / 2))
        let subjects = ["jack_iodelay", "jack_iodelay through swift-audio-session"]
        for (subject, values) in zip(subjects, [alone, through]) {
            findings.results.append(
                Measurement(
                    "through.iodelay_frames", subject, "frames", Statistics(Array(values)), Conditions(server)))
        }
        let worst = [alone, through].map { digits($0.max() ?? 0) }
        table.add(
            [server.kind.rawValue, "\(server.period)", "iodelay", "0", "\(alone.count)", worst[0], "", ""]
                + [digits(zip(alone, through).map { $1 - $0 }.max() ?? 0)])
    }

    private static func targets(_ results: [Measurement], _ servers: [ServerKind]) -> [Target] {
        let places = servers.map(\.rawValue).joined(separator: ", ")
        return [0, 1_024].compactMap { voices in
            let ours = results.filter {
                $0.metric == metric && $0.subject == Self.ours && $0.conditions.values["voices"] == .whole(voices)
            }
            guard let worst = ours.map({ max($0.statistics.maximum, -$0.statistics.minimum) }).max() else { return nil }
            let what = "frames added between input and output" + (voices == 0 ? "" : ", 1,024 voices playing")
            return Target(
                what: "\(what): worst, on \(places), at all periods", unit: "frames", wanted: 0, reached: worst,
                headline: what)
        }
    }
}
