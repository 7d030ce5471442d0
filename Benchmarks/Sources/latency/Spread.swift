import Foundation
import Reporting

/// How far values that should be one value are apart.
struct Spread {
    /// From the first to the 99th percentile.
    var percentiles: Double
    /// Standard deviation.
    var deviation: Double

    /// Of at least one value.
    init(_ values: [Double]) {
        let sorted = values.sorted()
        let (low, high) = (sorted.count / 100, sorted.count - 1 - sorted.count / 100)
        percentiles = sorted[high] - sorted[low]
        let mean = values.reduce(0, +) / Double(values.count)
        deviation = (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)).squareRoot()
    }
}
