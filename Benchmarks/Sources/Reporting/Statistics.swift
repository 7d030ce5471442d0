/// What is told of repeated measurements.
package struct Statistics {
    package let median: Double
    package let p99: Double
    package let p999: Double
    package let minimum: Double
    package let maximum: Double
    package let count: Int

    /// Of at least one value.
    package init(_ values: [Double]) {
        precondition(!values.isEmpty, "statistics of nothing")
        let sorted = values.sorted()
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        p99 = sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
        p999 = sorted[min(sorted.count - 1, sorted.count * 999 / 1000)]
        minimum = sorted[0]
        maximum = sorted[sorted.count - 1]
        count = sorted.count
    }
}
