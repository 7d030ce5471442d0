import CProbe
import Testing

/// A probe without a client, whose cycles have a given length.
private final class Bench {
    let probe = probe_make(1, 1)
    private let period: Int
    private var frame: UInt32

    init(period: Int = 64, frame: UInt32 = 1_000) { (self.period, self.frame) = (period, frame) }

    deinit { probe_close(probe) }

    /// Runs cycles with this input. Returns the output.
    @discardableResult
    func run(_ samples: [Float]) -> [Float] {
        var output: [Float] = []
        for begin in stride(from: 0, to: samples.count, by: period) {
            let input = Array(samples[begin..<min(begin + period, samples.count)])
            output += [Float](unsafeUninitializedCapacity: input.count) { written, count in
                input.withUnsafeBufferPointer { read in
                    probe_run(
                        probe, frame, UInt64(frame), UInt32(input.count), [read.baseAddress], [written.baseAddress])
                }
                count = input.count
            }
            frame &+= UInt32(input.count)
        }
        return output
    }
}

private let length = Int(PROBE_COUNT_LENGTH)

/// The count from one number to another, repeating at its end.
private func count(_ from: Int, _ to: Int) -> [Float] {
    (from...to).map { Float(($0 - 1) % length + 1) / Float(length) }
}

private let silence = [Float](repeating: 0, count: 32)

@Suite struct CountTests {
    private let bench = Bench()
    private let detector: OpaquePointer?
    private var found: probe_count_t { probe_count(detector) }

    init() { detector = probe_plug_count(bench.probe, 0) }

    @Test func `a continuous count loses nothing`() {
        bench.run(silence + count(5_000, 9_999))
        #expect(found.frames == 5_000 && found.breaks == 0 && found.silent == 0 && found.last == 9_999)
        // 32 silent samples precede the first number, in the cycle that began at frame 1,000.
        #expect(found.first == 5_000 - 32 && found.first_ns == 1_000)
    }

    @Test func `the count wraps at its end`() {
        bench.run(count(length - 100, length + 100))
        #expect(found.frames == 201 && found.breaks == 0 && found.last == 100)
    }

    @Test func `skipped numbers count as lost`() {
        bench.run(count(1, 100) + count(201, 300))
        #expect(found.lost == 100 && found.repeated == 0 && found.breaks == 1)
    }

    @Test func `repeated numbers count as repeated`() {
        bench.run(count(1, 100) + count(37, 300))
        #expect(found.repeated == 64 && found.lost == 0 && found.breaks == 1)
    }

    @Test func `silence within the count loses nothing`() {
        bench.run(count(1, 100) + silence + count(101, 200))
        #expect(found.silent == 32 && found.lost == 0 && found.breaks == 0)
    }

    @Test func `a count at another gain counts as garbled`() {
        bench.run(count(1, 100) + count(101, 200).map { $0 * 0.7 })
        #expect(found.garbled > 80)
    }

    @Test func `a reset takes effect with the next cycle`() {
        bench.run(count(1, 640))
        probe_reset(detector)
        #expect(found.frames == 0)
        bench.run(count(10_001, 10_640))
        #expect(found.frames == 640 && found.lost == 0 && found.first == 10_001)
    }

    @Test func `the emitter's count is decoded without loss`() {
        let emitter = probe_plug_emitter(bench.probe)
        probe_emit_count(emitter)
        bench.run(bench.run([Float](repeating: 0, count: 6_400)))
        #expect(found.frames == 6_400 && found.breaks == 0 && found.first == 1)
    }
}

@Suite struct OnsetTests {
    @Test func `after a reset, the first sample that is not silent is the onset`() {
        let bench = Bench(frame: .max - 63)
        let detector = probe_plug_onset(bench.probe, 0)
        var onset: UInt32 = 0
        #expect(!probe_onset(detector, &onset))
        bench.run(silence + silence)
        probe_reset(detector)
        // The server's frame numbers wrap, too.
        bench.run(silence + [0.001] + [Float](repeating: 0.5, count: 480) + silence)
        #expect(probe_onset(detector, &onset) && onset == 32)
        #expect(probe_loud(detector) == 480 && probe_quiet(detector) == 32)
    }

    @Test func `an onset before a reset is ignored`() {
        let bench = Bench()
        let detector = probe_plug_onset(bench.probe, 0)
        var onset: UInt32 = 0
        bench.run([Float](repeating: 0.5, count: 64))
        probe_reset(detector)
        #expect(!probe_onset(detector, &onset))
        bench.run(silence)
        #expect(!probe_onset(detector, &onset))
    }
}

@Suite struct PathTests {
    @Test func `an emitted sound passes on after the delay, with the gain`() {
        let bench = Bench()
        let emitter = probe_plug_emitter(bench.probe)
        probe_emit(emitter, 0.5, 60, 8)
        // The sound extends into the next cycle.
        let sound = bench.run(silence + silence + silence + silence)
        #expect(sound.firstIndex(of: 0.5) == 60 && sound.count { $0 == 0.5 } == 8)
        var frame: UInt32 = 0
        #expect(probe_emitted(emitter, &frame) && frame == 1_060)
        let other = Bench()
        probe_set_path(probe_plug_path(other.probe, 0), 37, -1, 0)
        #expect(other.run(sound).firstIndex(of: -0.5) == 97)
    }
}
