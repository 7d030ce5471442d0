import Reporting
import Testing

@Suite struct VerdictTests {
    @Test(arguments: [
        (0.5...0.9, Target.Verdict.met), (0.9...1.1, .undecided), (1.1...1.3, .missed), (1.0...1.0, .met),
    ])
    func `a target is met, missed, or within the noise`(range: ClosedRange<Double>, verdict: Target.Verdict) {
        let target = Target(what: "", unit: "ms", wanted: 1, reached: range.upperBound, range: range)
        #expect(target.verdict == verdict)
    }

    @Test func `a lower bound reverses the comparison`() {
        let target = Target(
            what: "", unit: "", wanted: 4096, atLeast: true, aim: 5000, reached: 4800, range: 4500...5100)
        #expect(target.verdict == .met)
        #expect(target.aimVerdict == .undecided)
    }

    @Test func `an exact value always has a conclusion`() {
        #expect(Target(what: "", unit: "frames", wanted: 0, reached: 0).verdict == .met)
        #expect(Target(what: "", unit: "frames", wanted: 0, reached: 1).verdict == .missed)
    }

    private let noise = Noise(
        ratio: 0.05, wakeUpMilliseconds: 0.2, realTimeWakeUpMilliseconds: 0.05, longestStopMilliseconds: 4,
        stoppedPercent: 0.1)

    @Test func `a ratio within the noise of a self-comparison is inconclusive`() {
        let ratios = Statistics((0..<100).map { 0.98 + Double($0 % 3) * 0.001 })
        let target = Target(what: "", unit: "1", wanted: 1, reached: ratios.median, range: noise.range(of: ratios))
        #expect(target.verdict == .undecided)
        let better = Statistics((0..<100).map { 0.5 + Double($0 % 3) * 0.001 })
        #expect(Target(what: "", unit: "1", wanted: 1, reached: 0.5, range: noise.range(of: better)).verdict == .met)
    }

    @Test func `noise only lengthens a duration`() {
        let times = Statistics((0..<200).map { _ in 1.1 })
        #expect(noise.range(ofTail: times).contains(1))
        #expect(!noise.range(ofTail: times, inRealTime: true).contains(1))
        #expect(noise.range(ofTail: times).upperBound == 1.1)
    }

    @Test func `a 99th percentile of few values is inconclusive`() {
        let times = Statistics((0..<50).map { $0 == 7 ? 30 : 0.5 })
        let target = Target(what: "", unit: "ms", wanted: 1, reached: times.p99, range: noise.range(ofTail: times))
        #expect(target.verdict == .undecided)
    }

    @Test func `scheduling stalls of the machine widen the noise range`() {
        var busy = noise
        busy.stoppedPercent = 30
        let times = Statistics((0..<200).map { $0 < 190 ? 0.5 : 4.5 })
        #expect(!noise.range(ofTail: times).contains(1))
        #expect(busy.range(ofTail: times).contains(1))
    }
}
