import Processes
import Reporting
import Servers

/// The result of the buffer size tuner, its course and its cost, compared with direct tests of each
/// period.
struct TunerPart: LatencyPart {
    let name = "tuner"

    var performers: [String: @Sendable () -> ([String]) throws -> [Double]] {
        [TunerApp.part: { TunerApp().perform }]
    }

    /// The initial period of every server, in frames.
    private static let first = 1_024

    func measure(_ run: Run) throws -> Findings {
        let hold = run.quick ? 1_000 : 2_000
        var tunings: [Tuning] = []
        for kind in run.quick ? Array(run.servers.prefix(1)) : run.servers {
            let context = try ServerContext(kind)
            for load in run.quick ? [3_000] : [500, 3_000] {
                var tuning = Tuning(kind: kind, load: load, hold: Double(hold) / 1_000)
                for _ in 0..<(run.quick ? 1 : 3) { try measure(&tuning, context, hold: hold) }
                tunings.append(tuning)
            }
        }
        return Findings(
            results: tunings.flatMap(\.measurements), tables: [table(tunings)],
            figures: [.tunings(tunings)])
    }

    /// Measures both on the same server, one after the other.
    private func measure(_ tuning: inout Tuning, _ context: ServerContext, hold: Int) throws {
        let server = try Server(tuning.kind, period: Self.first, in: context)
        let app = try Performer(TunerApp.part, context.environment)
        try app.ask("open", server.name, "\(tuning.load)")
        let numbers = try app.ask("tune", "\(hold)", "60")
        let steps = try stride(from: 0, to: numbers.count, by: 4).map {
            try TunerStep(numbers[$0..<min($0 + 4, numbers.count)])
        }
        guard steps.first?.period == Double(Self.first) else {
            throw BenchmarkError("the tuner did not begin with \(Self.first) frames")
        }
        tuning.runs.append(Tuning.Course(steps: steps, clean: try shortestClean(app, hold: hold)))
        try app.ask("close")
    }

    /// Tests periods from long to short, until one has xruns or its sound lags. Returns nil if the
    /// first one fails already.
    private func shortestClean(_ app: Performer, hold: Int) throws -> Double? {
        var (clean, period) = (Double?.none, Self.first)
        while period >= 16 {
            let found = try app.ask("direct", "\(period)", "\(hold)")
            guard found.count == 3, found[0] == Double(period) else {
                throw BenchmarkError("the server has \(found.first ?? 0) frames; \(period) were requested")
            }
            guard found[1] == 0, found[2] < 0.1 + 0.05 * Double(hold) / 1_000 else { break }
            clean = Double(period)
            period /= 2
        }
        return clean
    }

    private func table(_ tunings: [Tuning]) -> Table {
        var table = Table(
            "The tuner of I/O buffers, from \(Self.first) frames down",
            note: """
                The app calculates for so long in each cycle. Directly: the shortest period that, tried from long to short, each for the hold, had no xrun. \
                Counted xruns lengthened the buffer; the others came within the grace after a change, or before an answer to one.
                """,
            [
                .text("server", 10), "load, µs", "hold, s", "settled", "directly", "changes", "seconds", "xruns",
                "counted",
            ])
        for tuning in tunings {
            for course in tuning.runs {
                table.add([
                    tuning.kind.rawValue, "\(tuning.load)", digits(tuning.hold),
                    course.settled.map { digits($0.period) } ?? "no", course.clean.map(digits) ?? "none",
                    "\(course.changes)", digits(course.end.seconds), digits(course.end.xruns), "\(course.counted)",
                ])
            }
        }
        return table
    }
}

/// The results on one kind of server with one load.
struct Tuning {
    var kind: ServerKind
    /// Microseconds per cycle.
    var load: Int
    /// Seconds.
    var hold: Double
    var runs: [Course] = []

    /// One tuning, from its start until it settled.
    struct Course {
        var steps: [TunerStep]
        /// The shortest clean period found by direct tests.
        var clean: Double?

        var settled: TunerStep? { steps.first { $0.kind == .settled } }
        /// The step at which it settled, or the last one when the time was over.
        var end: TunerStep { settled ?? steps[steps.count - 1] }
        var changes: Int { steps.count { $0.kind == .shortened || $0.kind == .lengthened } }
        var counted: Int { steps.count { $0.kind == .xrun } }
    }

    var measurements: [Measurement] {
        let conditions: Conditions = [
            "server": .text(kind.rawValue), "sync": .flag(kind.isSync), "sampleRate": .whole(Server.sampleRate),
            "load_us": .whole(load), "hold_s": .number(hold),
        ]
        let ours = "swift-audio-session"
        let lines: [(String, String, String, [Double])] = [
            ("tuner.settled_frames", ours, "frames", runs.compactMap { $0.settled?.period }),
            ("tuner.settled_frames", "each period tried directly", "frames", runs.compactMap(\.clean)),
            ("tuner.settle_s", ours, "s", runs.compactMap { $0.settled?.seconds }),
            ("tuner.changes", ours, "changes", runs.map { Double($0.changes) }),
            ("tuner.xruns", ours, "xruns", runs.map(\.end.xruns)),
            ("tuner.counted_xruns", ours, "xruns", runs.map { Double($0.counted) }),
        ]
        return lines.filter { !$0.3.isEmpty }.map { Measurement($0, $1, $2, Statistics($3), conditions) }
    }
}
