import Foundation
import Processes
import Reporting
import Servers

/// The frames that a node of another app adds: to what a host sends to it, and to its own sound.
enum InterApp {
    private static let (added, wrong) = ("interapp.added_frames", "interapp.wrong_frames")
    private static let passThrough = "pass-through client"

    private typealias Way = InterAppStage.Way

    static func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "Inter-app audio: frames from a host through a node of another process and back (worst of all sounds)",
            note: """
                effect: what a host sends to it, and plays when it returns, beside the same sound without the node. generator: what a host plays of it, or the \
                host's app on a bus of its own, beside the port of the node. client +: what a client that only passes the sound on adds. injected +: a delay of \
                \(InterAppStage.injectedDelay) frames, which must be found. ours +: added by node and host. wrong frames: those that differ from it. repeated: the \
                server was late meanwhile
                """,
            [
                .text("server", 11), "period", .text("node", 20), "sounds", "client +", "injected +", "ours +",
                "wrong frames", "repeated",
            ])
        try run.onServers { server, context in
            let nodes = try ["effect", "generator"].map { kind in
                let node = try Performer(InterAppNode.part, context.environment)
                try node.ask("open", server.name, kind)
                return node
            }
            let stage = try Performer(InterAppStage.part, context.environment)
            try stage.ask("open", server.name)
            for way in Way.allCases {
                try stage.ask("way", way.rawValue)
                // The effect's sound is played by the host, the generator's by itself.
                let player = way == .effect ? stage : nodes[1]
                let found = try trials(run.quick ? 15 : 60, way, stage, nodes, player)
                try add(found, way, server, &findings, &table)
            }
            for app in [stage] + nodes { try app.ask("close") }
        }
        findings.tables = [table]
        findings.targets = targets(findings.results, run.servers)
        return findings
    }

    /// Makes trials, once the fades with which nodes are connected have ended.
    private static func trials(
        _ count: Int, _ way: Way, _ stage: Performer, _ nodes: [Performer], _ player: Performer
    ) throws -> Trials {
        func play() throws -> [Double] {
            try stage.ask("listen")
            try player.ask("sound")
            return try stage.ask("heard")
        }
        func isPlain(_ row: [Double]) -> Bool {
            row.enumerated().allSatisfy { $0.element == ($0.offset == 6 ? Double(InterAppStage.injectedDelay) : 0) }
        }
        _ = try holds(within: 2) { isPlain(try play()) }
        return try Trials(count, by: [stage] + nodes, isPlain: isPlain) { _ in try play() }
    }

    /// Adds the results of a way; each row has two numbers for each tap.
    private static func add(
        _ found: Trials, _ way: Way, _ server: Server, _ findings: inout Findings, _ table: inout Table
    ) throws {
        func values(_ tap: InterAppStage.Tap) -> [Double] { found[2 * tap.rawValue] }
        let delays = Set(zip(values(.injected), values(.host)).map { $0 - $1 })
        guard delays == [Double(InterAppStage.injectedDelay)] else {
            throw BenchmarkError(
                "a delay of \(InterAppStage.injectedDelay) frames was measured as \(delays.sorted())")
        }
        let conditions = Conditions(server).with(["node": .text(way.rawValue)])
        let client = findings.add(added, "frames", values(.client), conditions, of: passThrough)
        let host = findings.add(added, "frames", values(.host), conditions)
        let changed = found.rows.map { row in
            stride(from: 1, to: row.count, by: 2).map { row[$0] }.reduce(0, +)
        }
        let unlike = findings.add(wrong, "frames", changed, conditions)
        table.row(
            server, way.rawValue, host.count, client.maximum, InterAppStage.injectedDelay, host.maximum,
            unlike.maximum, found.repeated)
    }

    private static func targets(_ results: [Measurement], _ servers: [ServerKind]) -> [Target] {
        let places = servers.map(\.rawValue).joined(separator: ", ")
        func worst(_ metric: String, _ ways: [Way]) -> Double {
            let found = ways.flatMap { results.of(metric, ours, ["node": .text($0.rawValue)]) }.map(\.statistics)
            return found.map { max($0.maximum, -$0.minimum) }.max() ?? .infinity
        }
        return [
            Target(
                what: "host → node in another process → host: frames added, worst, on \(places), at all periods",
                unit: "frames", wanted: 0, reached: worst(added, [.effect]),
                headline: "host → node of another app → host: frames added, worst"),
            Target(
                what: "node in another process → host: frames added, worst, on \(places), at all periods",
                unit: "frames", wanted: 0, reached: worst(added, [.generator, .generatorOnBus])),
            Target(
                what: "sound through a node: differing frames, worst, on \(places)", unit: "frames", wanted: 0,
                reached: worst(wrong, Way.allCases)),
        ]
    }
}
