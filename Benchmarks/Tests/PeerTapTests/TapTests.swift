import CPeerTap
import Testing

/// A receiver that processes its input in cycles of a given length.
private final class Tap {
    let tap: OpaquePointer?
    private let period: Int
    private var frame: UInt32

    init(period: Int = 64, frame: UInt32 = 1_000) {
        tap = peer_tap_make()
        (self.period, self.frame) = (period, frame)
    }

    deinit { peer_tap_free(tap) }

    func hear(_ samples: [Float]) {
        for begin in stride(from: 0, to: samples.count, by: period) {
            let cycle = Array(samples[begin..<min(begin + period, samples.count)])
            peer_tap_hear(tap, cycle, UInt32(cycle.count), frame, UInt64(frame))
            frame &+= UInt32(cycle.count)
        }
    }

    var count: peer_tap_count_t { peer_tap_count(tap) }

    var onset: UInt32? {
        var frame: UInt32 = 0
        return peer_tap_onset(tap, &frame) ? frame : nil
    }
}

private let length = Int(PEER_TAP_COUNT_LENGTH)

/// The count from one number to another, repeating at its end.
private func count(_ from: Int, _ to: Int) -> [Float] {
    (from...to).map { Float(($0 - 1) % length + 1) / Float(length) }
}

private let silence = [Float](repeating: 0, count: 32)

@Suite struct TapTests {
    @Test func `a continuous count loses nothing`() {
        let tap = Tap()
        tap.hear(silence + count(5_000, 9_999))
        let heard = tap.count
        #expect(heard.frames == 5_000 && heard.breaks == 0 && heard.silent == 0 && heard.last == 9_999)
        // 32 silent samples precede the first number, in the cycle that began at frame 1,000.
        #expect(heard.first == 5_000 - 32 && heard.first_ns == 1_000)
    }

    @Test func `the count wraps at its end`() {
        let tap = Tap()
        tap.hear(count(length - 100, length + 100))
        #expect(tap.count.frames == 201 && tap.count.breaks == 0 && tap.count.last == 100)
    }

    @Test func `skipped numbers count as lost`() {
        let tap = Tap()
        tap.hear(count(1, 100) + count(201, 300))
        #expect(tap.count.lost == 100 && tap.count.repeated == 0 && tap.count.breaks == 1)
    }

    @Test func `repeated numbers count as repeated`() {
        let tap = Tap()
        tap.hear(count(1, 100) + count(37, 300))
        #expect(tap.count.repeated == 64 && tap.count.lost == 0 && tap.count.breaks == 1)
    }

    @Test func `silence within the count loses nothing`() {
        let tap = Tap()
        tap.hear(count(1, 100) + silence + count(101, 200))
        #expect(tap.count.silent == 32 && tap.count.lost == 0 && tap.count.breaks == 0)
    }

    @Test func `a count at another gain counts as garbled`() {
        let tap = Tap()
        tap.hear(count(1, 100) + count(101, 200).map { $0 * 0.7 })
        #expect(tap.count.garbled > 80)
    }

    @Test func `a reset takes effect with the next cycle`() {
        let tap = Tap()
        tap.hear(count(1, 640))
        peer_tap_forget_count(tap.tap)
        #expect(tap.count.frames == 0)
        tap.hear(count(10_001, 10_640))
        #expect(tap.count.frames == 640 && tap.count.lost == 0 && tap.count.first == 10_001)
    }

    @Test func `once armed, the first sample that is not silent is the onset`() {
        let tap = Tap(frame: .max - 63)
        #expect(tap.onset == nil)
        tap.hear(silence + silence)
        peer_tap_arm(tap.tap)
        // The server's frame numbers wrap, too.
        tap.hear(silence + [0.001] + [Float](repeating: 0.5, count: 480) + silence)
        #expect(tap.onset == 32)
        #expect(peer_tap_loud(tap.tap) == 480)
        #expect(peer_tap_quiet(tap.tap) == 32)
    }

    @Test func `an onset before arming is ignored`() {
        let tap = Tap()
        tap.hear([Float](repeating: 0.5, count: 64))
        peer_tap_arm(tap.tap)
        #expect(tap.onset == nil)
        tap.hear(silence)
        #expect(tap.onset == nil)
    }
}
