import Reporting
import Testing

/// A generator of the same numbers in every run.
private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state ^ (state >> 33)) &* 0xff51_afd7_ed55_8ccd
    }
}

@Suite struct StatisticsTests {
    @Test(arguments: [[7.0], [1, 2], [3, 1, 2], [64, 64, 64, 64]])
    func `statistics of few values are exact`(values: [Double]) {
        let statistics = Statistics(values)
        let sorted = values.sorted()
        #expect(statistics.minimum == sorted.first)
        #expect(statistics.maximum == sorted.last)
        #expect(statistics.p99 == sorted.last)
        #expect(statistics.p999 == sorted.last)
        #expect(statistics.count == values.count)
        #expect(statistics.interval.contains(statistics.median))
    }

    @Test func `frames are reported as whole numbers`() {
        let statistics = Statistics((1...1_000).map(Double.init))
        #expect(statistics.p99 == 990)
        #expect(statistics.p999 == 999)
        #expect(statistics.median == 500.5)
    }

    @Test(arguments: [1e-9, 1, 1e9]) func `percentiles have three significant digits at any magnitude`(scale: Double) {
        var dice = Dice(state: 1)
        let values = (0..<10_000).map { _ in Double.random(in: 1...2, using: &dice) * scale }.sorted()
        let statistics = Statistics(values)
        #expect(abs(statistics.p99 / values[9_899] - 1) < 0.001)
        #expect(abs(statistics.p999 / values[9_989] - 1) < 0.001)
    }

    @Test func `differences may be negative`() {
        let statistics = Statistics((0..<1_000).map { Double($0) / 7 - 100 })
        #expect(abs(statistics.p99 - (989.0 / 7 - 100)) < 0.3)
        #expect(statistics.minimum == -100)
    }

    @Test func `the interval contains the true median in 95 of 100 runs`() {
        var dice = Dice(state: 2)
        let runs = 2_000
        let held = (0..<runs).count { _ in
            // Far from a normal distribution: a long tail, with a median of 1.
            let values = (0..<40).map { _ in 1 / Double.random(in: 0.001..<2, using: &dice) }
            return Statistics(values).interval.contains(1)
        }
        #expect((0.93...0.99).contains(Double(held) / Double(runs)))
    }
}
