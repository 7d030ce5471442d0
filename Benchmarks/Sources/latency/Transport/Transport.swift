import Foundation
import Processes
import Reporting
import Servers

/// The frames between a beat of the server's transport and what two apps in different processes
/// play at it, from the first frame of a start on.
enum Transport {
    private static let (error, apart) = ("transport.start_error_frames", "transport.frames_between_apps")
    private static let follower = "JACK client that follows"
    private static let clients = ["latency-transport-1", "latency-transport-2"]
    /// Beats per minute, and starts at them. No beat but the first is at a whole frame.
    private static func plan(_ quick: Bool) -> [(tempo: Double, starts: Int)] {
        quick ? [(733.1, 6)] : [(127.3, 4), (733.1, 20)]
    }

    /// The role of the first app; the second one follows.
    private enum Role: String, CaseIterable { case follower, leader }

    static func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        let beats = TransportBeats.steps.map { digits($0.beat) }.joined(separator: ", ")
        var table = Table(
            "The server's transport: frames from beats \(beats) after a start to what is played at them",
            note: """
                role: of one app; the other follows. Starts by a bare client and by an app in turn. error: the frame of the sound, less the one nearest to the \
                beat, counted from the frame at which the transport's frame 0 was. client: one that follows by itself. injected +: a delay of \
                \(TransportStage.injectedDelay) frames, which must be found. apart: between both apps. repeated: the server was late meanwhile
                """,
            [
                .text("server", 11), "period", .text("role", 8), "tempo", "beats", "client", "injected +",
                .text("error", 9), "apart", "repeated",
            ])
        try run.onServers { server, context in
            let stage = try Performer(TransportStage.part, context.environment)
            try stage.ask("open", server.name)
            let apps = try clients.map { client in
                let app = try Performer(TransportApp.part, context.environment)
                try app.ask("open", server.name, client)
                return app
            }
            try stage.ask("connect", clients[0], clients[1])
            try apps[1].ask("role", Role.follower.rawValue)
            for role in Role.allCases {
                try apps[0].ask("role", role.rawValue)
                for (tempo, starts) in plan(run.quick) {
                    try stage.ask("tempo", tempo)
                    try apps[0].ask("tempo", tempo)
                    // With a leader, a follower has its tempo, whatever its own is.
                    try apps[1].ask("tempo", role == .leader ? 61 : tempo)
                    let found = try trials(starts, role, stage, apps)
                    try add(found, role, tempo, server, &findings, &table)
                }
            }
            for app in apps.reversed() { try app.ask("close") }
            try stage.ask("close")
        }
        findings.tables = [table]
        findings.targets = targets(findings.results, run.servers)
        return findings
    }

    private static func trials(_ count: Int, _ role: Role, _ stage: Performer, _ apps: [Performer]) throws -> Trials {
        let beats = TransportBeats.steps.count
        func isPlain(_ row: [Double]) -> Bool {
            row.enumerated().allSatisfy {
                let isInjected = $0.offset / beats == TransportStage.Tap.injected.rawValue
                return $0.element == (isInjected ? Double(TransportStage.injectedDelay) : 0)
            }
        }
        return try Trials(count, by: [stage] + apps, isPlain: isPlain) { number in
            try stage.ask("rewind")
            for app in apps { try app.ask("ready", role == .leader) }
            try (number % 2 == 0 ? stage : apps[number / 2 % 2]).ask("start")
            return try stage.ask("heard")
        }
    }

    private static func add(
        _ found: Trials, _ role: Role, _ tempo: Double, _ server: Server, _ findings: inout Findings,
        _ table: inout Table
    ) throws {
        func errors(_ tap: TransportStage.Tap) -> [Double] {
            let beats = TransportBeats.steps.count
            return found.rows.flatMap { $0[(tap.rawValue * beats)..<((tap.rawValue + 1) * beats)] }
        }
        let delays = Set(zip(errors(.injected), errors(.first)).map { $0 - $1 })
        guard delays == [Double(TransportStage.injectedDelay)] else {
            throw BenchmarkError(
                "a delay of \(TransportStage.injectedDelay) frames was measured as \(delays.sorted())")
        }
        let conditions = Conditions(server).with(["role": .text(role.rawValue), "tempo": .number(tempo)])
        let (first, second) = (errors(.first), errors(.second))
        let client = findings.add(error, "frames", errors(.follower), conditions, of: follower)
        let own = findings.add(error, "frames", first + second, conditions)
        let between = findings.add(apart, "frames", zip(first, second).map { abs($0 - $1) }, conditions)
        table.row(
            server, role.rawValue, tempo, own.count, max(client.maximum, -client.minimum),
            TransportStage.injectedDelay, own.minimum...own.maximum, between.maximum, found.repeated)
    }

    private static func targets(_ results: [Measurement], _ servers: [ServerKind]) -> [Target] {
        let places = servers.map(\.rawValue).joined(separator: ", ")
        func worst(_ metric: String) -> Double {
            results.of(metric, ours).map { max($0.statistics.maximum, -$0.statistics.minimum) }.max() ?? .infinity
        }
        return [
            Target(
                what:
                    "start of the server's transport: frames between beat and sound, worst, on \(places), at all periods",
                unit: "frames", wanted: 0, reached: worst(error),
                headline: "start of the server's transport: frames between beat and sound, worst"),
            Target(
                what: "two apps on the server's transport: frames between them, worst, on \(places), at all periods",
                unit: "frames", wanted: 0, reached: worst(apart),
                headline: "two apps on the server's transport: frames between them, worst"),
        ]
    }
}
