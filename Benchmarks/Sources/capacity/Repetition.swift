import Reporting

// Foundation has one, too.
typealias Measurement = Reporting.Measurement

/// How often to measure.
struct Repetition {
    /// The repetitions before the first one that counts.
    var warmUp = 10
    /// The least number of values, and the most.
    var least = 30
    var most = 20000
    /// The time after which there are no more than the least.
    var seconds = Double.infinity

    /// Measures several subjects alternately, so that noise affects all of them. `measure` gets the
    /// number of the repetition, and returns a value for each subject. Returns the values of each.
    func values(_ measure: (_ number: Int) throws -> [Double]) rethrows -> [[Double]] {
        var values: [[Double]] = []
        let begun = ContinuousClock.now
        for number in -warmUp..<most where number < least || ContinuousClock.now - begun < .seconds(seconds) {
            let measured = try measure(number)
            if values.isEmpty { values = measured.map { _ in [] } }
            if number < 0 { continue }
            for (subject, value) in measured.enumerated() { values[subject].append(value) }
        }
        return values
    }
}

extension Repetition {
    /// Measures cycles of players alternately, by default each after one that is not timed, and
    /// checks their outputs. Returns the nanoseconds divided by `divisor`, under a metric; and
    /// under the metric `ratio` those of the first player over those of each other, pair by pair.
    func measure(
        _ players: [any Player], _ metric: String, _ unit: String, per divisor: Double, ratio: String? = nil,
        settled: Bool = true, _ parameters: Parameters
    ) throws -> [Measurement] {
        let values = values { _ in players.map { (settled ? $0.settledCycle() : $0.cycle()) / divisor } }
        try players.check()
        let subjects = zip(players, values).map { ($0.name, $1) }
        return [Measurement].compared(metric, unit, subjects, ratio: ratio, parameters)
    }
}

/// The additional cost of something, compared with the same without it.
struct Difference {
    /// Per cent of the cycle without it.
    let percent: Statistics
    /// Nanoseconds per item.
    let nanoseconds: [Double]
    /// The lower bound per item in nanoseconds, from the same difference; empty if there is none.
    let bound: [Double]

    /// Measures cycles with and without alternately, in an order that changes with each pair, each
    /// after a cycle that is not timed; likewise the bounds of both. `turn` returns the players of
    /// each pair of cycles; `count` is the number of items.
    init(
        count: Int = 1, repetitions: Int, seconds: Double = 2,
        _ turn: (Int) -> (with: any Player, without: any Player, bounds: (any Player, any Player)?)
    ) {
        let repetition = Repetition(warmUp: 20, least: min(100, repetitions), most: repetitions, seconds: seconds)
        let values = repetition.values { number in
            let (with, without, bounds) = turn(number + 20)
            var (more, less) = (0.0, 0.0)
            if number.isMultiple(of: 2) {
                more = with.settledCycle()
                less = without.settledCycle()
            } else {
                less = without.settledCycle()
                more = with.settledCycle()
            }
            let least = bounds.map { [($0.settledCycle() - $1.settledCycle()) / Double(count)] }
            return [(more / less - 1) * 100, (more - less) / Double(count)] + (least ?? [])
        }
        (percent, nanoseconds) = (Statistics(values[0]), values[1])
        bound = values.count > 2 ? values[2] : []
    }

    /// The ratios of the cost to the bound, where that is positive.
    var ratio: Statistics? {
        let ratios = zip(nanoseconds, bound).filter { $0.1 > 0 }.map { $0 / $1 }
        return ratios.isEmpty ? nil : Statistics(ratios)
    }
}

extension [Measurement] {
    /// Returns the statistics of the first result of a metric with these conditions.
    func statistics(_ metric: String, _ subject: String? = nil, _ conditions: Parameters = [:]) -> Statistics? {
        of(metric, subject, conditions).first?.statistics
    }

    /// Returns the median of that, for a table.
    func median(_ metric: String, _ subject: String? = nil, _ conditions: Parameters = [:]) -> String {
        statistics(metric, subject, conditions).map { digits($0.median) } ?? ""
    }
}

extension Statistics {
    /// Median and 99th percentile, for a table.
    var cells: [String] { [digits(median), digits(p99)] }
}
