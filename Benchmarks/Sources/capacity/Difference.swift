import Reporting

/// The additional cost of something, compared with the same without it.
struct Difference {
    /// Per cent of the cycle without it.
    let percent: Statistics
    /// Nanoseconds per item.
    let nanoseconds: Statistics
    /// The lower bound per item in nanoseconds, from the same difference; and the ratio of the cost
    /// to it.
    let bound: Statistics?
    let ratio: Statistics?

    /// Measures cycles with and without alternately, in an order that changes with each pair, each
    /// after a cycle that is not timed; likewise the bounds of both. Calls `turn` with its number
    /// before each pair.
    init(
        _ with: () -> Double, _ without: () -> Double, bounds: (() -> Double, () -> Double)? = nil, count: Int = 1,
        repetitions: Int, seconds: Double = 2, turn: (Int) -> Void = { _ in }
    ) {
        func settled(_ cycle: () -> Double) -> Double {
            _ = cycle()
            return cycle()
        }
        var (percents, nanoseconds): ([Double], [Double]) = ([], [])
        var additions: [Double] = []
        let begun = ContinuousClock.now
        // Limits the total time of slow subjects.
        for repetition in -20..<repetitions
        where repetition < 100 || ContinuousClock.now - begun < .seconds(seconds) {
            turn(repetition + 20)
            let isFirst = repetition.isMultiple(of: 2)
            let early = settled(isFirst ? with : without)
            let late = settled(isFirst ? without : with)
            let (more, less) = isFirst ? (early, late) : (late, early)
            let least = bounds.map { settled($0.0) - settled($0.1) }
            guard repetition >= 0 else { continue }
            percents.append((more / less - 1) * 100)
            nanoseconds.append((more - less) / Double(count))
            if let least { additions.append(least / Double(count)) }
        }
        percent = Statistics(percents)
        self.nanoseconds = Statistics(nanoseconds)
        bound = additions.isEmpty ? nil : Statistics(additions)
        let ratios = zip(nanoseconds, additions).filter { $0.1 > 0 }.map { $0 / $1 }
        ratio = ratios.isEmpty ? nil : Statistics(ratios)
    }
}
