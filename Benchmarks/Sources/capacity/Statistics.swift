/// What is told of repeated measurements.
struct Statistics {
    let median: Double
    let p99: Double
    let p999: Double
    let minimum: Double
    let maximum: Double
    let count: Int

    /// Of at least one value.
    init(_ values: [Double]) {
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
