import Processes
import Reporting
import Servers

enum Subject {
    static let ours = "swift-audio-session"
    static let bound = "bare JACK client"
}

/// The arbiter of the session.
enum Arbitration: String, CaseIterable {
    case inProcess = "in-process"
    /// An audiosessiond that the benchmark starts.
    case service
}

/// The results so far, and their table.
struct Results {
    let noise: Noise
    let quick: Bool
    private(set) var measurements: [Measurement] = []
    private(set) var targets: [Target] = []
    private(set) var table = Table(
        "Sessions", note: "ms, or frames; ratio and beyond: ours over, and minus, the bare client's, pair by pair",
        [
            .text("what", 28), .text("server", 10), "period", "n", "p50", "p99", "min", "max", "bound p50", "p99",
            "min", "max", "ratio p50", "beyond p50",
        ])

    /// Adds what was measured of ours and, alternately, of the bare client; then the target for it.
    mutating func add(
        _ what: String, _ metric: String, on server: Server, _ conditions: Conditions, _ ours: [Double],
        bound: [Double] = [], target: ((_ ours: Statistics, _ bound: Statistics?) -> Target?) = { _, _ in nil }
    ) {
        let conditions = conditions.with([
            "server": .text(server.kind.rawValue), "sync": .flag(server.kind.isSync), "period": .whole(server.period),
            "sampleRate": .whole(Server.sampleRate),
        ])
        let isTime = metric.hasSuffix("_ms")
        let name = isTime ? String(metric.dropLast("_ms".count)) : metric
        var found: [Measurement] = .compared(
            metric, isTime ? "ms" : "frames", [(Subject.ours, ours), (Subject.bound, bound)],
            ratio: isTime ? "\(name)_ratio" : nil, conditions)
        let beyond = bound.isEmpty ? nil : Statistics(zip(ours, bound).map { $0 - $1 })
        if isTime, let beyond {
            found.append(
                Measurement(
                    "\(name)_beyond_ms", Subject.ours, "ms", beyond, conditions.with(["to": .text(Subject.bound)])))
        }
        measurements += found
        let (first, other) = (found[0].statistics, found.of(metric, Subject.bound).first?.statistics)
        let cells = [first.median, first.p99, first.minimum, first.maximum].map { Optional($0) }
        let others = [other?.median, other?.p99, other?.minimum, other?.maximum]
        let compared = [found.of("\(name)_ratio").first?.statistics.median, beyond?.median]
        table.add(
            [what, server.kind.rawValue, "\(server.period)", "\(first.count)"]
                + (cells + others + compared).map { $0.map(digits) ?? "-" })
        if let target = target(first, other) { targets.append(target) }
    }
}
