import AudioSessions
import TestRandom
import TestSupport
import Testing

/// Properties that hold for any behavior of the machine, its server and other clients.
@Suite("Tuning an I/O buffer: properties")
struct TuningPropertyTests {
    @Test(
        "No request is out of range; the number of counted xruns is bounded as documented; tuning settles",
        arguments: 0..<300 as Range<UInt64>)
    func random(number: UInt64) {
        let seed = TestSeed.ofCase(number)
        var random = SeededGenerator(seed: seed)
        let shortest = [16, 17, 64, 100].randomElement(using: &random) ?? 16
        let longest = [512, 1_000, 2_048, 8_192].randomElement(using: &random) ?? 512
        let configuration = IOBufferTuner.Configuration(
            periods: shortest...longest, hold: .seconds([1, 5].randomElement(using: &random) ?? 5),
            tries: Int.random(in: 1...4, using: &random), trust: .seconds(100_000))
        var model = TuningModel(
            configuration, periodFrames: [32, 64, 256, 960, 1_024, 8_192].randomElement(using: &random) ?? 256)
        // The server rounds like some sound cards, like PipeWire, or not at all. It refuses some
        // requests, and never uses a longer period than requested.
        let rounding = Int.random(in: 0...2, using: &random)
        let floor = [1, 64, 256].randomElement(using: &random) ?? 1
        model.gives = { asked, present in
            guard asked >= floor else { return present }
            switch rounding {
            case 0: return asked
            case 1: return 1 << (Int.bitWidth - 1 - asked.leadingZeroBitCount)
            default: return max(16, asked / 16 * 16)
            }
        }
        // Random xruns with periods below a limit, more of them the shorter the period, and a few
        // with any period.
        let clean = [32, 128, 512, 10_000].randomElement(using: &random) ?? 32
        var own = SeededGenerator(seed: seed, step: 1)
        model.nextXrun = { period, _ in
            period < clean ? Int.random(in: 1...48_000 * max(1, period / 16), using: &own) : nil
        }
        for _ in 0..<3 { model.addXrun(after: Double.random(in: 0...120, using: &random)) }
        // It may take minutes until the xruns that rule out a long period occur. All this is far
        // shorter than `trust`.
        var isAtRest = false
        for _ in 0..<10 where !isAtRest {
            let asked = model.asked
            model.run(seconds: 4_000)
            isAtRest = model.asked == asked
        }

        #expect(isAtRest, "\(TestSeed.text), case \(number): \(model.asked.suffix(30))")
        #expect(
            model.asked.allSatisfy { configuration.periods.contains($0) },
            "\(TestSeed.text), case \(number): \(model.asked.prefix(30))")
        let given = Set(model.steps.map(\.periodFrames)).filter { configuration.periods.contains($0) }
        // A server that refuses short periods is asked for each of them, although it grants none.
        let buffers = given.union(model.asked)
        let lengthened = zip(model.asked, [model.steps[0].periodFrames] + model.asked).filter { $0 > $1 }.count
        #expect(
            lengthened <= configuration.tries * (buffers.count + 1),
            "\(TestSeed.text), case \(number): \(model.asked.prefix(30))")
        // Without further xruns, the result is permanent.
        model.nextXrun = { _, _ in nil }
        model.run(seconds: 100)
        let asked = model.asked
        model.run(seconds: 2_000)
        #expect(model.asked == asked, "\(TestSeed.text), case \(number)")
        #expect(
            model.kinds.contains { if case .settled = $0 { true } else { false } },
            "\(TestSeed.text), case \(number): \(model.kinds.suffix(5))")
    }

    @Test(
        "However others change the period: within the limits, and no more requests than changes and xruns",
        arguments: 0..<200 as Range<UInt64>)
    func others(number: UInt64) {
        let seed = TestSeed.ofCase(number)
        var random = SeededGenerator(seed: seed)
        let configuration = IOBufferTuner.Configuration(periods: 32...2_048, hold: .seconds(1), trust: .seconds(60))
        var model = TuningModel(configuration)
        model.overload(below: 128)
        let changes = 30
        for _ in 0..<changes {
            let period = Int.random(in: 1...8_192, using: &random)
            model.add(after: Double.random(in: 0...200, using: &random)) { $0.facts.periodFrames = period }
        }
        for _ in 0..<5 {
            let at = Double.random(in: 0...200, using: &random)
            model.add(after: at) {
                $0.pause()
                $0.resume()
            }
        }
        model.run(seconds: 400)
        #expect(
            model.asked.allSatisfy { configuration.periods.contains($0) },
            "\(TestSeed.text), case \(number): \(model.asked.prefix(30))")
        // After each change at most one descent from the longest period, and one ascent, plus the
        // requests caused by xruns.
        #expect(
            model.asked.count <= (changes + 6) * 7 + model.heard,
            "\(TestSeed.text), case \(number): \(model.asked.count)")
        let asked = model.asked
        model.run(seconds: 59)
        #expect(model.asked == asked, "\(TestSeed.text), case \(number): it settles")
        #expect(model.facts.periodFrames >= 128, "\(TestSeed.text), case \(number): \(model.kinds.suffix(5))")
    }
}
