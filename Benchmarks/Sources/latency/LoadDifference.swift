/// How much more there was of something with ours than with the control, slot by slot, and how sure that is.
struct LoadDifference {
    let values: [Double]
    let sum: Double
    /// Within which the sum lies, 95 times of 100, if slots like these came again: by how far they differ from one another (Student), since lateness comes
    /// in bursts, and never narrower than what chance makes of so many single ones.
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

    /// Of Student's distribution, for so many values; one alone says nothing of how far others would be.
    private static func quantile(_ count: Int) -> Double {
        let known = [12.71, 12.71, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31]
        return known.indices.contains(count) ? known[count] : 1.96 + 2.5 / Double(count - 1)
    }
}
