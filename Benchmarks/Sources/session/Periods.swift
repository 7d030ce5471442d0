import Processes
import Reporting
import Servers

/// The buffer size changes while a session and a bare client play: compares what a receiver gets
/// from both.
enum Periods {
    static func measure(_ results: inout Results, _ context: ServerContext, _ kind: ServerKind) throws {
        let server = try Server(kind, period: 256, in: context)
        let app = try Performer(App.part, context.environment)
        let (player, tap) = (
            try Performer(BareClient.part, context.environment), try Performer(BareClient.part, context.environment)
        )
        try app.ask("open", server.name, Arbitration.inProcess.rawValue)
        try app.ask("play")
        try player.ask("open", server.name, "1", "0", "session-player")
        try player.ask("count")
        try tap.ask("open", server.name, "0", "2", "session-tap")
        try tap.ask("connect", "\(App.clientName):out_1", "session-tap:in_1")
        try tap.ask("connect", "session-player:out_1", "session-tap:in_2")
        for input in ["0", "1"] { try tap.ask("await", input, "4800") }

        var (lost, silent) = ((ours: [Double](), bound: [Double]()), (ours: [Double](), bound: [Double]()))
        var took: [Double] = []
        for change in 0..<(results.quick ? 5 : 30) {
            let before = try hear(tap)
            let period = [128, 512, 1_024, 64, 256][change % 5]
            try took.append(milliseconds { try tap.ask("period", "\(period)") })
            try settle(tap)
            let after = try hear(tap)
            lost.ours.append(after[0][2] - before[0][2])
            lost.bound.append(after[1][2] - before[1][2])
            silent.ours.append(after[0][1] - before[0][1])
            silent.bound.append(after[1][1] - before[1][1])
        }
        try app.ask("close")
        let measured = [
            ("frames of position lost", "server.period_frames_lost", lost.ours, lost.bound),
            ("silent frames between", "server.period_frames_silent", silent.ours, silent.bound),
            ("the call itself", "server.period_ms", took, []),
        ]
        for (what, metric, ours, bound) in measured {
            results.add(what, metric, on: server, ["arbitration": "in-process"], ours, bound: bound) { ours, bound in
                guard let bound else { return nil }
                let isPosition = metric == "server.period_frames_lost"
                return Target(
                    what:
                        "buffer size changes on \(kind.rawValue): frames of \(isPosition ? "position lost" : "silence"), worst (bare client: \(Int(bound.maximum)))",
                    unit: "frames", wanted: max(0, bound.maximum), reached: ours.maximum,
                    headline: isPosition
                        ? "frames of position lost by another buffer size, on \(kind.rawValue)" : nil)
            }
        }
    }

    private static func hear(_ tap: Performer) throws -> [[Double]] {
        [try tap.ask("heard", "0"), try tap.ask("heard", "1")]
    }

    /// Waits for some more periods of the longest length.
    private static func settle(_ tap: Performer) throws {
        for (input, heard) in zip(["0", "1"], try hear(tap)) {
            try tap.ask("await", input, "\(Int(heard[0]) + 5_000)")
        }
    }
}
