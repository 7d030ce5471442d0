import Foundation
import Reporting

/// How much values differ that should be equal.
struct Spread {
    /// The distance between the first and the 99th percentile.
    var percentiles: Double
    /// The standard deviation.
    var deviation: Double

    /// Computes the spread of one or more values.
    init(_ values: [Double]) {
        let sorted = values.sorted()
        let (low, high) = (sorted.count / 100, sorted.count - 1 - sorted.count / 100)
        percentiles = sorted[high] - sorted[low]
        let mean = values.reduce(0, +) / Double(values.count)
        deviation = (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)).squareRoot()
    }
}
