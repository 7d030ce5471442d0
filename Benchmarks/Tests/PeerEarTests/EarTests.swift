import CPeerEar
import Testing

/// An ear that hears what it is given, in cycles of so many frames.
private final class Ear {
    let ear: OpaquePointer?
    private let period: Int
    private var frame: UInt32

    init(period: Int = 64, frame: UInt32 = 1_000) {
        ear = peer_ear_make()
        (self.period, self.frame) = (period, frame)
    }

    deinit { peer_ear_free(ear) }

    func hear(_ samples: [Float]) {
        for begin in stride(from: 0, to: samples.count, by: period) {
            let cycle = Array(samples[begin..<min(begin + period, samples.count)])
            peer_ear_hear(ear, cycle, UInt32(cycle.count), frame, UInt64(frame))
            frame &+= UInt32(cycle.count)
        }
    }

    var count: peer_ear_count_t { peer_ear_count(ear) }

    var onset: UInt32? {
        var frame: UInt32 = 0
        return peer_ear_onset(ear, &frame) ? frame : nil
    }
}

private let length = Int(PEER_EAR_COUNT_LENGTH)

/// The count, from a number to a number, beginning anew where it ends.
private func count(_ from: Int, _ to: Int) -> [Float] {
    (from...to).map { Float(($0 - 1) % length + 1) / Float(length) }
}

private let silence = [Float](repeating: 0, count: 32)

@Suite struct EarTests {
    @Test func `a count without a break`() {
        let ear = Ear()
        ear.hear(silence + count(5_000, 9_999))
        let heard = ear.count
        #expect(heard.frames == 5_000 && heard.breaks == 0 && heard.silent == 0 && heard.last == 9_999)
        // 32 silent samples before the first number, in the cycle that began at frame 1,000.
        #expect(heard.first == 5_000 - 32 && heard.first_ns == 1_000)
    }

    @Test func `the count begins anew at its end`() {
        let ear = Ear()
        ear.hear(count(length - 100, length + 100))
        #expect(ear.count.frames == 201 && ear.count.breaks == 0 && ear.count.last == 100)
    }

    @Test func `numbers that are left out are lost`() {
        let ear = Ear()
        ear.hear(count(1, 100) + count(201, 300))
        #expect(ear.count.lost == 100 && ear.count.repeated == 0 && ear.count.breaks == 1)
    }

    @Test func `numbers that come again are repeated`() {
        let ear = Ear()
        ear.hear(count(1, 100) + count(37, 300))
        #expect(ear.count.repeated == 64 && ear.count.lost == 0 && ear.count.breaks == 1)
    }

    @Test func `silence within the count loses nothing`() {
        let ear = Ear()
        ear.hear(count(1, 100) + silence + count(101, 200))
        #expect(ear.count.silent == 32 && ear.count.lost == 0 && ear.count.breaks == 0)
    }

    @Test func `a count at another gain is garbled`() {
        let ear = Ear()
        ear.hear(count(1, 100) + count(101, 200).map { $0 * 0.7 })
        #expect(ear.count.garbled > 80)
    }

    @Test func `what is forgotten begins with the next cycle`() {
        let ear = Ear()
        ear.hear(count(1, 640))
        peer_ear_forget_count(ear.ear)
        #expect(ear.count.frames == 0)
        ear.hear(count(10_001, 10_640))
        #expect(ear.count.frames == 640 && ear.count.lost == 0 && ear.count.first == 10_001)
    }

    @Test func `the first sample that is not silent is the onset, once it is armed`() {
        let ear = Ear(frame: .max - 63)
        #expect(ear.onset == nil)
        ear.hear(silence + silence)
        peer_ear_arm(ear.ear)
        // Frames of the server's begin anew, too.
        ear.hear(silence + [0.001] + [Float](repeating: 0.5, count: 480) + silence)
        #expect(ear.onset == 32)
        #expect(peer_ear_loud(ear.ear) == 480)
        #expect(peer_ear_quiet(ear.ear) == 32)
    }

    @Test func `an onset before it was armed is none`() {
        let ear = Ear()
        ear.hear([Float](repeating: 0.5, count: 64))
        peer_ear_arm(ear.ear)
        #expect(ear.onset == nil)
        ear.hear(silence)
        #expect(ear.onset == nil)
    }
}
