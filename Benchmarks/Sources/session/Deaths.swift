import Foundation
import Processes
import Reporting
import Servers

/// The server dies and returns while a session plays: measures when the app is notified, and when
/// its sound continues.
struct Deaths {
    /// All times under the same conditions.
    struct Series {
        var title: String
        var ours: [Double]
        var bound: [Double]
    }
    private(set) var lost: [Series] = []
    private(set) var back: [Series] = []

    /// The results of one end of the server, in milliseconds.
    private struct Round {
        var death: String
        var away: Int
        /// From the signal to the notification, and to the bare client's shutdown callback.
        var lost: Double
        var bareLost: Double
        /// From the server's readiness to the first frame after the last one; and the time a bare
        /// client then takes to open, activate and connect.
        var back: Double
        var bareBack: Double
        /// To the notification of the return.
        var reported: Double
    }

    mutating func measure(_ results: inout Results, _ context: ServerContext, _ kind: ServerKind) throws {
        let server = try Server(kind, period: 128, in: context)
        let app = try Performer(App.part, context.environment)
        try app.ask("open", server.name, Arbitration.service.rawValue)
        try app.ask("play")
        let (deaths, away) = ([("SIGKILL", SIGKILL), ("SIGTERM", SIGTERM)], [0, 1_000])
        let found = try (0..<(results.quick ? 4 : 40)).map { round in
            try Self.die(server, app, context, deaths[round % 2], away: away[round / 2 % 2])
        }
        try app.ask("close")
        let (name, noise) = (kind.rawValue, results.noise)
        for (death, _) in deaths {
            let all = found.filter { $0.death == death }
            let (ours, bound) = (all.map(\.lost), all.map(\.bareLost))
            results.add(
                "lost, \(death)", "server.lost_ms", on: server, ["arbitration": "service", "death": .text(death)],
                ours, bound: bound
            ) { ours, bound in
                let excess = ours.p99 - (bound?.p99 ?? 0)
                return Target(
                    what: "\(death) of \(name) → notification: p99 beyond the bare client's callback", unit: "ms",
                    wanted: 1, reached: excess, range: noise.range(ofExcess: excess),
                    headline: death == "SIGKILL"
                        ? "\(name) killed → notification, beyond a bare client's callback (p99)" : nil)
            }
            lost.append(Series(title: "\(name), \(death)", ours: ours, bound: bound))
        }
        for away in away {
            let all = found.filter { $0.away == away }
            let (ours, bound) = (all.map(\.back), all.map(\.bareBack))
            let conditions: Conditions = ["arbitration": "service", "awayMilliseconds": .whole(away)]
            results.add(
                "back, after \(away) ms away", "server.back_ms", on: server, conditions, ours, bound: bound
            ) { ours, _ in
                Target(
                    what: "\(name) ready after \(away) ms away → old position sounds: p99", unit: "ms",
                    wanted: 1_000, aim: 200, reached: ours.p99, range: noise.range(ofTail: ours),
                    headline: away > 0 ? "\(name) back → sound at the old position (p99)" : nil)
            }
            results.add(
                "notified, after \(away) ms away", "server.told_back_ms", on: server, conditions,
                all.map(\.reported))
            back.append(Series(title: "\(name), after \(away) ms away", ours: ours, bound: bound))
        }
    }

    private static func die(
        _ server: Server, _ app: Performer, _ context: ServerContext, _ death: (name: String, signal: Int32), away: Int
    ) throws -> Round {
        let port = "\(App.clientName):out_1"
        let (witness, tap) = (
            try Performer(BareClient.part, context.environment), try Performer(BareClient.part, context.environment)
        )
        try witness.ask("open", server.name, "0", "1", "session-witness")
        try witness.ask("connect", port, "session-witness:in_1")
        try witness.ask("await", "0", "4800")

        let killed = server.end(by: death.signal)
        let lost = try app.ask("lost")
        let bareLost = try witness.ask("lost")
        if away > 0 { poll(nil, 0, Int32(away)) }

        let ready = try server.start()
        let reported = try app.ask("back")
        // Runs afterwards, so that it does not delay the app.
        let heard = try tap.ask("return", server.name, "\(server.kind.inputs)", port)
        try tap.ask("close")
        guard heard[3] >= 1 else { throw BenchmarkError("The app returned without its connections.") }
        // The receiver connects late. The number of its first frame shows by how much.
        let count = Double(1 << 20)
        var missed = heard[2] - lost[1].truncatingRemainder(dividingBy: count)
        if missed < -count / 2 { missed += count }
        let first = heard[1] - missed / Double(Server.sampleRate) * 1e9
        // The sound must start at about the time of the notification. Skipped frames would make the
        // start appear earlier.
        guard (-1e9...5e9).contains(first - reported[0]) else {
            throw BenchmarkError("The app continued at another position: frame \(heard[2]) after frame \(lost[1]).")
        }
        return Round(
            death: death.name, away: away, lost: milliseconds(from: killed, to: lost[0]),
            bareLost: milliseconds(from: killed, to: bareLost[0]), back: milliseconds(from: ready, to: first),
            bareBack: heard[0], reported: milliseconds(from: ready, to: reported[0]))
    }

    private static func milliseconds(from begin: UInt64, to end: Double) -> Double { (end - Double(begin)) / 1e6 }
}
