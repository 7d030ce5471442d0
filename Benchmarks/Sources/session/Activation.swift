import Processes
import Reporting
import Servers

/// The time to activate a session: cold, alternately with a bare client, and warm.
enum Activation {
    static func measure(
        _ findings: inout Findings, _ context: ServerContext, _ kind: ServerKind, periods: [Int], cold: Int, warm: Int
    ) throws {
        for period in periods {
            let server = try Server(kind, period: period, in: context)
            let (app, bare) = (
                try Performer(App.part, context.environment), try Performer(BareClient.part, context.environment)
            )
            try measureCold(&findings, server, app, bare, rounds: cold)
            for arbitration in Arbitration.allCases {
                try measureWarm(&findings, server, app, bare, arbitration, rounds: warm)
            }
        }
    }

    /// Measures each in turn, in a rotating order. The first run in a process does not count.
    private static func measureCold(
        _ findings: inout Findings, _ server: Server, _ app: Performer, _ bare: Performer, rounds: Int
    ) throws {
        var ours: [Arbitration: [[Double]]] = [:]
        var bound: [[Double]] = []
        for round in -1..<rounds {
            var turns: [Arbitration?] = [.inProcess, .service, nil]
            turns = Array(turns[(max(0, round) % 3)...] + turns[..<(max(0, round) % 3)])
            for turn in turns {
                let times =
                    if let turn { try app.ask("cold", server.name, turn.rawValue) } else {
                        try bare.ask("cold", server.name, "\(server.kind.inputs)")
                    }
                guard round >= 0 else { continue }
                if let turn { ours[turn, default: []].append(times) } else { bound.append(times) }
            }
        }
        for arbitration in Arbitration.allCases {
            let parameters = Parameters(server, arbitration: arbitration, start: .cold)
            let metrics = ["session.activate_ms", "session.deactivate_ms", "session.close_ms"]
            for (index, metric) in metrics.enumerated() {
                // A deactivated session keeps its client, so this is not comparable with a client
                // that deactivates.
                let isComparable = index != 1
                add(
                    &findings,
                    Finding(
                        metric: metric, parameters: parameters, ours: ours[arbitration, default: []].map { $0[index] },
                        bound: isComparable ? bound.map { $0[index] } : []))
            }
        }
    }

    private static func measureWarm(
        _ findings: inout Findings, _ server: Server, _ app: Performer, _ bare: Performer, _ arbitration: Arbitration,
        rounds: Int
    ) throws {
        try app.ask("open", server.name, arbitration.rawValue)
        try bare.ask("open", server.name, "0", "0", BareClient.name)
        guard try bare.ask("links", "\(App.clientName):out_1") == [1] else {
            throw BenchmarkError("The activated client is not connected to the device.")
        }
        try bare.ask("close")
        _ = try app.ask("warm", "3")
        let times = try app.ask("warm", "\(rounds)")
        try app.ask("close")
        let parameters = Parameters(server, arbitration: arbitration, start: .warm)
        let evens = stride(from: 0, to: times.count - 1, by: 2)
        add(&findings, Finding(metric: "session.activate_ms", parameters: parameters, ours: evens.map { times[$0] }))
        add(
            &findings,
            Finding(metric: "session.deactivate_ms", parameters: parameters, ours: evens.map { times[$0 + 1] }))
    }

    private static func add(_ findings: inout Findings, _ finding: Finding) {
        let what = finding.metric.dropFirst("session.".count).dropLast("_ms".count)
        let parameters = finding.parameters
        findings.add(
            "\(what), \(parameters.start?.rawValue ?? ""), \(parameters.arbitration?.rawValue ?? "")", finding)
    }

    static func targets(_ findings: [Finding], _ noise: Noise) -> [Target] {
        findings.filter { $0.metric == "session.activate_ms" }.compactMap { finding in
            let parameters = finding.parameters
            let arbiter = parameters.arbitration == .service ? "by a service" : "in process"
            let conditions = "\(parameters.server.rawValue), \(parameters.period) frames, arbitrated \(arbiter)"
            let isHeadline = parameters.period == 128 && parameters.arbitration == .service
            if let excess = finding.excess {
                return Target(
                    what: "activate, cold, \(conditions): p99 beyond the bare client's", unit: "ms", wanted: 2,
                    reached: excess, range: noise.range(ofExcess: excess),
                    headline: isHeadline
                        ? "`setActive(true)`, cold, on \(parameters.server.rawValue), beyond a bare client's opening (p99)"
                        : nil)
            }
            guard let ours = finding.statistics(.ours) else { return nil }
            return Target(
                what: "activate, warm, \(conditions): p99", unit: "ms", wanted: 1, reached: ours.p99,
                range: noise.range(ofTail: ours),
                headline: isHeadline ? "`setActive(true)`, warm, on \(parameters.server.rawValue) (p99)" : nil)
        }
    }
}
