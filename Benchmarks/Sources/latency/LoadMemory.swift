import Reporting

/// The memory of a process during its work, and its growth.
struct LoadMemory {
    /// Seconds and KiB, in segments that are not compared with each other.
    private(set) var resident: [[(Double, Double)]] = []
    private(set) var heap: [[(Double, Double)]] = []

    mutating func beginSegment() {
        resident.append([])
        heap.append([])
    }

    /// `memory` is the process's answer to that command.
    mutating func add(_ memory: [Double], at seconds: Double) {
        guard memory.count == 2, !resident.isEmpty else { return }
        resident[resident.count - 1].append((seconds, memory[0]))
        heap[heap.count - 1].append((seconds, memory[1]))
    }

    /// Returns the growth in KiB per minute: the median of all slopes between two samples of a
    /// segment, and its confidence interval (Theil and Sen); nil for too few samples.
    static func growth(_ segments: [[(Double, Double)]]) -> (median: Double, interval: ClosedRange<Double>)? {
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

    /// Returns the lines of the results, and whether the memory was constant: one page per minute
    /// cannot be distinguished from none.
    func report(_ what: String, _ conditions: Conditions, _ table: inout Table) -> Findings {
        var findings = Findings()
        for (kind, segments) in [("resident", resident), ("heap", heap)] {
            let all = segments.flatMap { $0.map(\.1) }
            guard !all.isEmpty, let growth = Self.growth(segments) else { continue }
            let statistics = Statistics(all.map { $0 / 1_024 })
            let parameters = conditions.with(["memory": .text(kind), "case": .text(what)])
            findings.results.append(Measurement("memory.mib", "swift-audio-session", "MiB", statistics, parameters))
            findings.results.append(
                Measurement(
                    "memory.growth_kib_per_minute", "swift-audio-session", "KiB/min", Statistics([growth.median]),
                    parameters.with([
                        "growthLow": .number(growth.interval.lowerBound),
                        "growthHigh": .number(growth.interval.upperBound), "samples": .whole(all.count),
                    ])))
            table.add([
                what, kind, "\(all.count)", digits(statistics.median), digits(statistics.minimum),
                digits(statistics.maximum), digits(growth.median),
                "\(digits(growth.interval.lowerBound)) … \(digits(growth.interval.upperBound))",
            ])
            findings.targets.append(
                Target(
                    what: "memory of an app, \(kind), \(what): growth", unit: "KiB/min", wanted: 4,
                    reached: growth.median, range: growth.interval))
        }
        return findings
    }

    static var table: Table {
        Table(
            "Memory while running",
            note:
                "of the app's process, MiB, with what it plays; growth in KiB a minute: median of all slopes, and its interval",
            [.text("what", 30), .text("kind", 8), "n", "median", "min", "max", "growth", .text("interval", 20)])
    }
}
