import Foundation
import Processes
import Reporting
import Servers

/// The server dies and returns while a session plays: measures when the app is notified, and when
/// its sound continues.
enum Deaths {
    /// The results of one end of the server, in milliseconds.
    private struct Round {
        var death: Death
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

    static func measure(
        _ findings: inout Findings, _ context: ServerContext, _ kind: ServerKind, rounds: Int
    ) throws {
        let server = try Server(kind, period: 128, in: context)
        let app = try Performer(App.part, context.environment)
        try app.ask("open", server.name, Arbitration.service.rawValue)
        try app.ask("play")
        let found = try (0..<rounds).map { round in
            try die(server, app, context, Death.allCases[round % 2], away: Self.away[round / 2 % Self.away.count])
        }
        try app.ask("close")
        for death in Death.allCases {
            let all = found.filter { $0.death == death }
            guard !all.isEmpty else { continue }
            findings.add(
                "lost, \(death.rawValue)",
                Finding(
                    metric: "server.lost_ms", parameters: Parameters(server, arbitration: .service, death: death),
                    ours: all.map(\.lost), bound: all.map(\.bareLost)))
        }
        for away in Self.away {
            let all = found.filter { $0.away == away }
            guard !all.isEmpty else { continue }
            let parameters = Parameters(server, arbitration: .service, away: away)
            findings.add(
                "back, after \(away) ms away",
                Finding(
                    metric: "server.back_ms", parameters: parameters, ours: all.map(\.back), bound: all.map(\.bareBack))
            )
            findings.add(
                "notified, after \(away) ms away",
                Finding(metric: "server.told_back_ms", parameters: parameters, ours: all.map(\.reported)))
        }
    }

    private static let away = [0, 1_000]

    private static func die(
        _ server: Server, _ app: Performer, _ context: ServerContext, _ death: Death, away: Int
    ) throws -> Round {
        let port = "\(App.clientName):out_1"
        let (witness, tap) = (
            try Performer(BareClient.part, context.environment), try Performer(BareClient.part, context.environment)
        )
        try witness.ask("open", server.name, "0", "1", "session-witness")
        try witness.ask("connect", port, "session-witness:in_1")
        try witness.ask("await", "0", "4800")

        let killed = server.end(by: death == .kill ? SIGKILL : SIGTERM)
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
            death: death, away: away, lost: Self.milliseconds(from: killed, to: lost[0]),
            bareLost: Self.milliseconds(from: killed, to: bareLost[0]), back: Self.milliseconds(from: ready, to: first),
            bareBack: heard[0], reported: Self.milliseconds(from: ready, to: reported[0]))
    }

    private static func milliseconds(from begin: UInt64, to end: Double) -> Double { (end - Double(begin)) / 1e6 }

    static func targets(_ findings: [Finding], _ noise: Noise) -> [Target] {
        findings.compactMap { finding in
            let parameters = finding.parameters
            let server = parameters.server.rawValue
            switch finding.metric {
            case "server.lost_ms":
                let death = "\(parameters.death?.rawValue ?? "") of \(server)"
                return finding.excess.map {
                    Target(
                        what: "\(death) → notification: p99 beyond the bare client's callback", unit: "ms", wanted: 1,
                        reached: $0, range: noise.range(ofExcess: $0),
                        headline: parameters.death == .kill
                            ? "\(server) killed → notification, beyond a bare client's callback (p99)" : nil)
                }
            case "server.back_ms":
                let away = parameters.awayMilliseconds ?? 0
                return finding.statistics(.ours).map {
                    Target(
                        what: "\(server) ready after \(away) ms away → old position sounds: p99", unit: "ms",
                        wanted: 1_000, aim: 200, reached: $0.p99, range: noise.range(ofTail: $0),
                        headline: away > 0 ? "\(server) back → sound at the old position (p99)" : nil)
                }
            default: return nil
            }
        }
    }
}
