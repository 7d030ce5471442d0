import AudioRendering
import AudioSessions
import Foundation
import Processes
import Reporting
import Servers
import Synchronization

/// The result of the buffer size tuner, its course and its cost, compared with direct tests of each
/// period.
enum Tuner {
    /// The initial period of every server, in frames.
    private static let first = 1_024

    /// A step of the tuner, as received from another process.
    struct Step {
        enum Kind: Int { case shortened, lengthened, xrun, refused, settled, other }
        var kind: Kind
        var seconds: Double
        var period: Double
        var xruns: Double
    }

    /// One tuning, from its start until it settled.
    private struct Course {
        var steps: [Step]
        /// The shortest clean period found by direct tests.
        var clean: Double?

        var settled: Step? { steps.first { $0.kind == .settled } }
        /// The step at which it settled, or the last one when the time was over.
        var end: Step { settled ?? steps[steps.count - 1] }
        var changes: Int { steps.count { $0.kind == .shortened || $0.kind == .lengthened } }
        var counted: Int { steps.count { $0.kind == .xrun } }
    }

    static func measure(_ run: Run) throws -> Findings {
        let hold = run.quick ? 1_000 : 2_000
        var findings = Findings()
        var table = Table(
            "The tuner of I/O buffers, from \(first) frames down",
            note: """
                The app calculates for so long in each cycle. Directly: the shortest period that, tried from long to short, each for the hold, had no xrun. \
                Counted xruns lengthened the buffer; the others came within the grace after a change, or before an answer to one.
                """,
            [
                .text("server", 10), "load, µs", "hold, s", "settled", "directly", "changes", "seconds", "xruns",
                "counted",
            ])
        var panels: [Figure.Panel] = []
        for kind in run.quick ? Array(run.servers.prefix(1)) : run.servers {
            let context = try ServerContext(kind, service: run.service.socket)
            for load in run.quick ? [3_000] : [500, 3_000] {
                let courses = try (0..<(run.quick ? 1 : 3)).map { _ in try tune(kind, load, context, hold: hold) }
                let seconds = Double(hold) / 1_000
                for course in courses {
                    table.row(
                        kind, load, seconds, course.settled.map { digits($0.period) } ?? "no",
                        course.clean.map(digits) ?? "none", course.changes, course.end.seconds, course.end.xruns,
                        course.counted)
                }
                add(
                    courses, to: &findings,
                    Conditions(kind).with(["load_us": .whole(load), "hold_s": .number(seconds)]))
                panels.append(
                    Figure.Panel(
                        title: "\(kind.rawValue), \(load) µs a cycle, hold \(digits(seconds)) s",
                        lines: lines(courses[0])))
            }
        }
        findings.tables = [table]
        findings.figures = [figure(panels)]
        return findings
    }

    /// Measures both on the same server, one after the other.
    private static func tune(_ kind: ServerKind, _ load: Int, _ context: ServerContext, hold: Int) throws -> Course {
        let server = try Server(kind, period: first, in: context)
        let app = try Performer(TunerApp.part, context.environment)
        try app.ask("open", server.name, load)
        let numbers = try app.ask("tune", hold, 60)
        let steps = stride(from: 0, to: numbers.count, by: 4).map { index in
            Step(
                kind: Step.Kind(rawValue: Int(numbers[index])) ?? .other, seconds: numbers[index + 1],
                period: numbers[index + 2], xruns: numbers[index + 3])
        }
        guard steps.first?.period == Double(first) else {
            throw BenchmarkError("the tuner did not begin with \(first) frames")
        }
        let course = Course(steps: steps, clean: try shortestClean(app, hold: hold))
        try app.ask("close")
        return course
    }

    /// Tests periods from long to short, until one has xruns or its sound lags. Returns nil if the
    /// first one fails already.
    private static func shortestClean(_ app: Performer, hold: Int) throws -> Double? {
        var (clean, period) = (Double?.none, first)
        while period >= 16 {
            let found = try app.ask("direct", period, hold)
            guard found[0] == Double(period) else {
                throw BenchmarkError("the server has \(found[0]) frames; \(period) were requested")
            }
            guard found[1] == 0, found[2] < 0.1 + 0.05 * Double(hold) / 1_000 else { break }
            clean = Double(period)
            period /= 2
        }
        return clean
    }

    private static func add(_ courses: [Course], to findings: inout Findings, _ conditions: Conditions) {
        let lines: [(String, String, String, [Double])] = [
            ("tuner.settled_frames", ours, "frames", courses.compactMap { $0.settled?.period }),
            ("tuner.settled_frames", "each period tried directly", "frames", courses.compactMap(\.clean)),
            ("tuner.settle_s", ours, "s", courses.compactMap { $0.settled?.seconds }),
            ("tuner.changes", ours, "changes", courses.map { Double($0.changes) }),
            ("tuner.xruns", ours, "xruns", courses.map(\.end.xruns)),
            ("tuner.counted_xruns", ours, "xruns", courses.map { Double($0.counted) }),
        ]
        for (metric, subject, unit, values) in lines where !values.isEmpty {
            findings.add(metric, unit, values, conditions, of: subject)
        }
    }

    /// The period over time, with a mark at each xrun.
    private static func lines(_ course: Course) -> [Figure.Line] {
        let end = course.end.seconds + 1
        var staircase: [(Double, Double)] = []
        for step in course.steps where step.seconds <= end {
            if let last = staircase.last, last.1 != step.period { staircase.append((step.seconds, last.1)) }
            staircase.append((step.seconds, step.period))
        }
        staircase += staircase.last.map { [(end, $0.1)] } ?? []
        let period = Figure.Line(
            title: "period, settled at \(digits(course.end.period))", color: Figure.blue, points: staircase, symbol: 0)
        let clean = course.clean.map {
            Figure.Line(
                title: "shortest clean one: \(digits($0))", color: Figure.grey, dashed: true,
                points: [(0, $0), (end, $0)], symbol: 0)
        }
        // One line per mark, so that marks are not connected.
        let marks = course.steps.filter { $0.kind == .xrun }.enumerated().map { index, step in
            Figure.Line(
                title: index == 0 ? "xruns" : "", color: Figure.orange, points: [(step.seconds, step.period)], symbol: 2
            )
        }
        return [period] + [clean].compactMap(\.self) + marks
    }

    private static func figure(_ panels: [Figure.Panel]) -> Figure {
        Figure(
            "latency-tuner", size: "\(560 * max(1, panels.count)),520",
            caption: """
                The tuner of I/O buffers: the server's period against seconds of sound, until it settled. Crosses: xruns, after which the buffer is lengthened. \
                Dashed: the shortest period without xruns, each tried directly.
                """,
            panels: panels,
            settings: """
                set logscale y 2
                set yrange [12:2048]
                set xrange [0:*]
                set xlabel "seconds of sound"
                set ylabel "frames of a period at 48 kHz"
                set key top right
                set pointsize 2
                """)
    }
}

/// An app whose sound takes a constant time to compute in every cycle, so that short periods cause
/// real xruns.
final class TunerApp: SessionApp {
    /// The name of the part that performs it.
    static let part = "tuner-app"
    private let load = TunerLoad()

    override func perform(_ words: [String]) throws -> [Double] {
        let numbers = words.map { Int($0) ?? 0 }
        switch words[0] {
        case "open":
            let session = try open(Self.makeHost(words[1], Self.part, inputs: nil))
            load.nanoseconds.store(UInt64(numbers[2]) * 1_000, ordering: .relaxed)
            try session.engine.play(.render(load.source), on: session.bus)
        case "tune": return try tune(hold: .milliseconds(numbers[1]), seconds: Double(numbers[2]))
        case "direct": return try direct(period: numbers[1], seconds: Double(numbers[2]) / 1_000)
        default: return try super.perform(words)
        }
        return []
    }

    /// Tunes until the tuner has settled. Returns four numbers per step, as `Tuner.Step` has them.
    private func tune(hold: Duration, seconds: Double) throws -> [Double] {
        let tuner = try IOBufferTuner(session: try required(), configuration: .init(hold: hold))
        tuner.start()
        let limit = deadline(seconds)
        while !tuner.trace.contains(where: { Self.kind($0) == .settled }), now() < limit { poll(nil, 0, 10) }
        tuner.stop()
        guard load.calls.load(ordering: .relaxed) > 0 else { throw BenchmarkError("no sound was computed") }
        return tuner.trace.suffix(500).flatMap {
            [Double(Self.kind($0).rawValue), $0.seconds, Double($0.periodFrames), Double($0.xruns)]
        }
    }

    private static func kind(_ step: IOBufferTuner.Step) -> Tuner.Step.Kind {
        switch step.kind {
        case .shortened: .shortened
        case .lengthened: .lengthened
        case .xrun, .late: .xrun
        case .refused: .refused
        case .settled: .settled
        default: .other
        }
    }

    /// Requests a period directly. Returns the resulting period, the xruns during `seconds`, and by
    /// how many seconds the sound lagged.
    private func direct(period: Int, seconds: Double) throws -> [Double] {
        let session = try required()
        let engine = try session.engine
        try session.setPreferredIOBufferDuration(Double(period) / session.sampleRate)
        // Waits until effects of the change itself are over.
        poll(nil, 0, 250)
        let (frame, xruns, begun) = (engine.currentFrame, engine.statistics.xruns, now())
        poll(nil, 0, Int32(seconds * 1_000))
        let sound = Double(engine.currentFrame - frame) / session.sampleRate
        let late = Double(now() - begun) / 1e9 - sound
        return [Double(engine.format?.periodFrames ?? 0), Double(engine.statistics.xruns - xruns), late]
    }
}

/// A silent sound that takes time to compute.
private final class TunerLoad: Sendable {
    let nanoseconds = Atomic<UInt64>(0)
    let calls = Atomic<UInt64>(0)

    var source: RenderSource {
        RenderSource(channels: 1, context: Unmanaged.passUnretained(self).toOpaque(), owner: self) {
            context, planes, _, frames in
            guard let context else { return 0 }
            let load = Unmanaged<TunerLoad>.fromOpaque(context).takeUnretainedValue()
            let end = now() + load.nanoseconds.load(ordering: .relaxed)
            planes?[0]?.update(repeating: 0, count: Int(frames))
            load.calls.add(1, ordering: .relaxed)
            while now() < end { continue }
            return frames
        }
    }
}
