internal import Histogram

/// The statistics of repeated measurements.
package struct Statistics: Sendable {
    package let median: Double
    /// The interval that contains the true median in 95 of 100 cases, for any distribution: two of
    /// the values, by their rank.
    package let interval: ClosedRange<Double>
    package let p99: Double
    package let p999: Double
    package let minimum: Double
    package let maximum: Double
    package let count: Int

    package init(
        median: Double, interval: ClosedRange<Double>, p99: Double, p999: Double, minimum: Double, maximum: Double,
        count: Int
    ) {
        (self.median, self.interval, self.p99, self.p999) = (median, interval, p99, p999)
        (self.minimum, self.maximum, self.count) = (minimum, maximum, count)
    }

    /// Computes the statistics of one or more values.
    package init(_ values: [Double]) {
        precondition(!values.isEmpty, "statistics of nothing")
        let sorted = values.sorted()
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        // Ranks of a binomial distribution with probability one half, in its normal approximation.
        let reach = 0.98 * Double(sorted.count).squareRoot()
        let low = Int((Double(sorted.count) / 2 - reach).rounded(.down))
        let high = Int((Double(sorted.count) / 2 + reach).rounded(.up))
        interval = sorted[max(0, low)]...sorted[min(sorted.count - 1, max(high, 0))]
        minimum = sorted[0]
        maximum = sorted[sorted.count - 1]
        count = sorted.count
        let tail = Tail(sorted)
        p99 = min(tail.value(at: 99), maximum)
        p999 = min(tail.value(at: 99.9), maximum)
    }
}

/// Percentiles from a histogram of high dynamic range, with three significant digits.
private struct Tail {
    private var histogram: Histogram<UInt64>
    private let origin: Double
    private let scale: Double

    init(_ sorted: [Double]) {
        // Integers stay exact; other values are counted in fractions of the largest. Differences
        // may be negative.
        let isWhole = sorted.allSatisfy { $0 >= 0 && $0 == $0.rounded() && $0 < 0x1p52 }
        origin = isWhole ? 0 : min(0, sorted[0])
        let span = sorted[sorted.count - 1] - origin
        scale = isWhole || span <= 0 ? 1 : 0x1p30 / span
        let largest = UInt64((span * scale).rounded())
        histogram = Histogram(
            highestTrackableValue: max(2, largest), numberOfSignificantValueDigits: .three)
        for value in sorted { histogram.record(UInt64(((value - origin) * scale).rounded())) }
    }

    func value(at percentile: Double) -> Double {
        Double(histogram.valueAtPercentile(percentile)) / scale + origin
    }
}
