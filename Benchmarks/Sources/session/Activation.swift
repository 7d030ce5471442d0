import Processes
import Reporting
import Servers

/// The time to activate a session: cold, alternately with a bare client, and warm.
enum Activation {
    static func measure(_ results: inout Results, _ context: ServerContext, _ kind: ServerKind) throws {
        for period in results.quick ? [128] : [64, 128, 256, 1_024] {
            let server = try Server(kind, period: period, in: context)
            let (app, bare) = (
                try Performer(App.part, context.environment), try Performer(BareClient.part, context.environment)
            )
            try measureCold(&results, server, app, bare, rounds: results.quick ? 10 : 60)
            for arbitration in Arbitration.allCases {
                try measureWarm(&results, server, app, bare, arbitration, rounds: results.quick ? 50 : 500)
            }
        }
    }

    /// Measures each in turn, in a rotating order. The first run in a process does not count.
    private static func measureCold(
        _ results: inout Results, _ server: Server, _ app: Performer, _ bare: Performer, rounds: Int
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
            // A deactivated session keeps its client, so this is not comparable with a client that
            // deactivates.
            for (index, what, isComparable) in [(0, "activate", true), (1, "deactivate", false), (2, "close", true)] {
                add(
                    &results, what, "cold", arbitration, server, ours[arbitration, default: []].map { $0[index] },
                    bound: isComparable ? bound.map { $0[index] } : [])
            }
        }
    }

    private static func measureWarm(
        _ results: inout Results, _ server: Server, _ app: Performer, _ bare: Performer, _ arbitration: Arbitration,
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
        for (index, what) in [(0, "activate"), (1, "deactivate")] {
            add(
                &results, what, "warm", arbitration, server,
                stride(from: index, to: times.count, by: 2).map { times[$0] })
        }
    }

    private static func add(
        _ results: inout Results, _ what: String, _ start: String, _ arbitration: Arbitration, _ server: Server,
        _ ours: [Double], bound: [Double] = []
    ) {
        let noise = results.noise
        results.add(
            "\(what), \(start), \(arbitration.rawValue)", "session.\(what)_ms", on: server,
            ["arbitration": .text(arbitration.rawValue), "start": .text(start)], ours, bound: bound
        ) { ours, bound in
            guard what == "activate" else { return nil }
            let arbiter = arbitration == .service ? "by a service" : "in process"
            let name = server.kind.rawValue
            let conditions = "\(name), \(server.period) frames, arbitrated \(arbiter)"
            let isHeadline = server.period == 128 && arbitration == .service
            guard let excess = bound.map({ ours.p99 - $0.p99 }) else {
                return Target(
                    what: "activate, warm, \(conditions): p99", unit: "ms", wanted: 1, reached: ours.p99,
                    range: noise.range(ofTail: ours),
                    headline: isHeadline ? "`setActive(true)`, warm, on \(name) (p99)" : nil)
            }
            return Target(
                what: "activate, cold, \(conditions): p99 beyond the bare client's", unit: "ms", wanted: 2,
                reached: excess, range: noise.range(ofExcess: excess),
                headline: isHeadline
                    ? "`setActive(true)`, cold, on \(name), beyond a bare client's opening (p99)" : nil)
        }
    }
}
