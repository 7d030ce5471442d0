import Reporting

/// What something costs beyond what there is without it.
struct Difference {
    /// Per cent of the cycle without it.
    let percent: Statistics
    /// Nanoseconds, for each of them.
    let nanoseconds: Statistics
    /// Nanoseconds of what each cannot do without, by the same difference; and how many times as much it costs.
    let bound: Statistics?
    let ratio: Statistics?

    /// Cycles with and without, by turns, whoever went second going first the next time, each after a cycle that does not count; likewise the bounds of both. Before each pair `turn` is told
    /// its number.
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
        // Whatever it is that takes long: not much longer than that.
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
