import Reporting

/// The memory of a process during its work, and its growth.
struct Memory {
    /// Seconds and KiB of the resident size and of the heap, in segments that are not compared with
    /// each other.
    private var segments: [[[(Double, Double)]]] = [[], []]

    mutating func beginSegment() {
        for kind in segments.indices { segments[kind].append([]) }
    }

    /// `memory` is the process's answer to that command.
    mutating func add(_ memory: [Double], at seconds: Double) {
        for (kind, size) in memory.enumerated() { segments[kind][segments[kind].count - 1].append((seconds, size)) }
    }

    /// Returns the growth in KiB per minute: the median of all slopes between two samples of a
    /// segment, and its confidence interval (Theil and Sen); nil for too few samples.
    private static func growth(_ segments: [[(Double, Double)]]) -> (median: Double, interval: ClosedRange<Double>)? {
        var slopes: [Double] = []
        var variance = 0.0
        for samples in segments {
            for (index, last) in samples.enumerated() {
                slopes += samples[..<index].map { (last.1 - $0.1) / (last.0 - $0.0) * 60 }
            }
            let count = Double(samples.count)
            variance += count * (count - 1) * (2 * count + 5) / 18
        }
        guard slopes.count >= 3 else { return nil }
        slopes.sort()
        let reach = 1.96 * variance.squareRoot()
        let low = Int(((Double(slopes.count) - reach) / 2).rounded(.down))
        let high = Int(((Double(slopes.count) + reach) / 2).rounded(.up))
        return (
            slopes[slopes.count / 2], slopes[max(0, low)]...slopes[min(slopes.count - 1, max(0, high))]
        )
    }

    /// Adds the results, and whether the memory was constant: one page per minute cannot be
    /// distinguished from none.
    func report(_ what: String, _ conditions: Conditions, _ findings: inout Findings, _ table: inout Table) {
        for (kind, segments) in zip(["resident", "heap"], segments) {
            let all = segments.flatMap { $0.map(\.1) }
            guard !all.isEmpty, let (growth, interval) = Self.growth(segments) else { continue }
            let parameters = conditions.with(["memory": .text(kind), "case": .text(what)])
            let size = findings.add("memory.mib", "MiB", all.map { $0 / 1_024 }, parameters)
            findings.add(
                "memory.growth_kib_per_minute", "KiB/min", [growth],
                parameters.with([
                    "growthLow": .number(interval.lowerBound), "growthHigh": .number(interval.upperBound),
                    "samples": .whole(all.count),
                ]))
            table.row(what, kind, all.count, size[\.median, \.minimum, \.maximum], growth, interval)
            findings.targets.append(
                Target(
                    what: "memory of an app, \(kind), \(what): growth", unit: "KiB/min", wanted: 4, reached: growth,
                    range: interval))
        }
    }

    static var table: Table {
        Table(
            "Memory while running",
            note:
                "of the app's process, MiB, with what it plays; growth in KiB a minute: median of all slopes, and its interval",
            [.text("what", 30), .text("kind", 8), "n", "median", "min", "max", "growth", .text("interval", 20)])
    }
}
