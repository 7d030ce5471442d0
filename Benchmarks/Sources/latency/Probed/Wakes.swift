import AudioRendering
import AudioSessions
import CProbe
import Foundation
import Processes
import Reporting
import Servers

/// The wake-up latency of the cycle: the app's, and in the same cycles that of a client that does
/// nothing.
enum Wakes {
    private static let subjects = [ours, "do-nothing client"]

    static func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "Wake-up of the process callback: µs after the beginning of its cycle, as the server reckons it",
            note: """
                Both are called in the same cycles, behind the same client; who is opened first takes turns. Ours is noted within the engine, when it \
                renders a source. difference: of the two in one cycle. alone: cycles for which only one of them was called
                """,
            [
                .text("server", 11), "period", .text("subject", 20), "cycles", "p1", "median", "p99", "p99.9", "max",
                "deviation", "difference", "alone",
            ])
        var lines: [ServerKind: [Figure.Line]] = [:]
        var before: (alone: Int, pairs: [[Double]])?
        try ProbedApp.run(run, orders: [false, true]) { app, server in
            let (alone, pairs) = ProbedApp.rows(
                try app.ask("calls", run.quick ? 1 : server.period == 128 ? 10 : 4), 2)
            guard let first = before else { return before = (alone, pairs) }
            before = nil
            let all = first.pairs + pairs
            guard all.count > 10 else { throw BenchmarkError("no callback was recorded") }
            let difference = findings.add(
                "wakeup.beyond_control_us", "µs", all.map { $0[0] - $0[1] }, Conditions(server))
            for (index, subject) in subjects.enumerated() {
                let values = all.map { $0[index] }
                let late = findings.add("wakeup.late_us", "µs", values, Conditions(server), of: subject)
                table.row(
                    server, subject, late.count, values.sorted()[values.count / 100],
                    late[\.median, \.p99, \.p999, \.maximum], Spread(values).deviation,
                    index == 0 ? difference.median : nil, index == 0 ? first.alone + alone : nil)
                lines[server.kind, default: []].append(
                    Figure.Line(
                        title: index == 1 ? "" : "\(server.period) frames", color: color(server.period),
                        dashed: index == 1, points: tail(values), symbol: 0))
            }
        }
        findings.tables = [table]
        findings.figures = [figure(lines)]
        return findings
    }

    private static func color(_ period: Int) -> String {
        [64: Figure.blue, 128: Figure.orange, 256: Figure.yellow, 512: Figure.violet, 1_024: Figure.green][period]
            ?? Figure.grey
    }

    /// Returns the part of the values, in percent, that is at least as great as each of them.
    private static func tail(_ values: [Double]) -> [(Double, Double)] {
        let sorted = values.sorted()
        let last = max(0, sorted.count - 200)
        // More points where there are few values.
        let places = Array(stride(from: 0, to: last, by: max(1, sorted.count / 200))) + Array(last..<sorted.count)
        return places.map { (max(1, sorted[$0]), Double(sorted.count - $0) / Double(sorted.count) * 100) }
    }

    private static func figure(_ lines: [ServerKind: [Figure.Line]]) -> Figure {
        Figure(
            "latency-wake-up", size: "\(max(1, lines.count) * 600),600",
            caption: """
                Share of process callbacks that began later than that after the beginning of their cycle. Dashed: a client that does nothing, in the same cycles.
                """,
            panels: Figure.panels { lines[$0] ?? [] },
            settings: """
                set logscale x 10
                set logscale y 10
                set xlabel "µs after the beginning of the cycle"
                set ylabel "% of callbacks that are later"
                set xrange [10:20000]
                set yrange [0.005:100]
                """)
    }
}

extension ProbedStage {
    /// Returns the number of cycles for which only the app or the client that does nothing was
    /// called, and then, for each other cycle, the microseconds after its beginning according to
    /// the server: those of the app, and of the client.
    func recordCalls(seconds: Double) throws -> [Double] {
        try connectOutputs()
        // Connects both after the emitter, so that their positions in the graph are equal.
        try connect(Self.source, "latency-bare:in_1")
        let capacity = UInt32(seconds * Double(Server.sampleRate) / Double(period) * 1.2) + 1_000
        guard let stamp = probe_make_stamp(passes[0].client, UInt32(period), capacity) else {
            throw BenchmarkError("out of memory for \(capacity) callbacks")
        }
        defer { free(UnsafeMutableRawPointer(stamp)) }
        let source = RenderSource(channels: 1, context: UnsafeMutableRawPointer(stamp), function: probe_stamp)
        let voice = try engine.play(.render(source), on: session.bus)
        try wait(for: "the app's cycle") { voice.state == .playing && voice.framesRendered > 0 }
        try passes[0].reset(calls[0])
        let first = probe_calls(stamp)
        poll(nil, 0, Int32(seconds * 1_000))
        let (own, bare) = (first..<probe_calls(stamp), 0..<probe_calls(calls[0]))
        try voice.stop()
        try wait(for: "the end of a voice") { voice.state == .ended }
        let ours = ownCalls(own.map { probe_call(stamp, $0) })
        let theirs = bare.map { probe_call(calls[0], $0) }
        let pairs = theirs.filter { ours[$0.frame] != nil }
        let late = pairs.flatMap { their in
            [ours[their.frame] ?? 0, their.time_ns].map { (Double($0) - Double(their.ideal_ns)) / 1_000 }
        }
        return [Double(ours.count + theirs.count - 2 * pairs.count)] + late
    }

    /// Returns the times by the first frame of the cycle. Of two calls that seem to belong to one
    /// cycle, the first belongs to the previous cycle, which was late.
    private func ownCalls(_ calls: [probe_call_t]) -> [UInt32: UInt64] {
        var found: [UInt32: UInt64] = [:]
        for call in calls {
            if let late = found[call.frame] { found[call.frame &- UInt32(period)] = late }
            found[call.frame] = call.time_ns
        }
        return found
    }
}
