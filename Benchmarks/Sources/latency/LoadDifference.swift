/// The difference between ours and the control, slot by slot, and its confidence.
struct LoadDifference {
    let values: [Double]
    let sum: Double
    /// The interval that contains the sum in 95 of 100 repetitions. It is computed from the
    /// differences between slots (Student), since late cycles come in bursts, and is at least as
    /// wide as that of as many independent events.
    let interval: ClosedRange<Double>

    init(_ ours: [Int], _ control: [Int]) {
        values = zip(ours, control).map { Double($0 - $1) }
        sum = values.reduce(0, +)
        let count = Double(values.count)
        let mean = sum / max(1, count)
        let spread = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / max(1, count - 1)
        let chance = Double(ours.reduce(0, +) + control.reduce(0, +))
        let reach = Self.quantile(values.count) * max(count * spread, chance).squareRoot()
        interval = (sum - reach)...(sum + reach)
    }

    /// Returns the quantile of Student's distribution for `count` values. A single value allows no
    /// estimate.
    private static func quantile(_ count: Int) -> Double {
        let known = [12.71, 12.71, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31]
        return known.indices.contains(count) ? known[count] : 1.96 + 2.5 / Double(count - 1)
    }
}
