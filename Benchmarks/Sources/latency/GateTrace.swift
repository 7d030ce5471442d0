import CGateTap
import Processes

/// The effect of a gate on a constant sound, and the required result.
enum GateChange: String, CaseIterable {
    /// From full level to silence.
    case silence
    /// From full level to 14 dB below it.
    case duck
    /// From silence to full level.
    case sound
    /// From 14 dB below full level back to it.
    case unduck

    /// The level of the app's sound.
    static let level: Float = 0.5
    static let ducked = 0.199_526_231_496_888

    /// Compares exactly; the ducked level within 0.1 dB.
    private static func matches(_ sample: Float, _ gain: Double) -> Bool {
        guard gain == ducked else { return sample == Float(gain) * level }
        return (0.988_553...1.011_580).contains(Double(sample / level) / gain)
    }

    /// The gains before and after the change.
    var ends: (from: Double, to: Double) {
        switch self {
        case .silence: (1, 0)
        case .duck: (1, Self.ducked)
        case .sound: (0, 1)
        case .unduck: (Self.ducked, 1)
        }
    }

    func begins(at sample: Float) -> Bool { Self.matches(sample, ends.from) }
    func isOver(at sample: Float) -> Bool { Self.matches(sample, ends.to) }
    /// Whether the ramp allows this step from one sample to the next.
    func moves(from sample: Float, to next: Float) -> Bool { ends.to < ends.from ? next <= sample : next >= sample }

    /// The length of the ramp, according to the arbiter's settings.
    var frames: Int {
        switch self {
        case .silence, .sound: 240
        case .duck: 2_400
        case .unduck: 24_000
        }
    }
}

/// A recording of the input, cycle by cycle.
struct GateTrace {
    struct Cycle {
        /// When the server began the cycle, with a resolution of one frame, and when the recorder
        /// was called for it.
        var begun: UInt64
        var heard: UInt64
        /// The server's number of its first frame.
        var frame: UInt32
        var count: Int
        /// The position of its first sample in the recording.
        var position: Int
    }

    var samples: [Float]
    var cycles: [Cycle]

    /// The result of one change. Frames are counted from the grant, which is a point in time within
    /// a cycle of the server.
    struct Hearing {
        /// Frames until the first sample that differs.
        var first: Int
        /// Frames until the first of the final samples.
        var settled: Int
        /// Frames until the first sample of the cycle that begins after the grant. The result can
        /// be earlier only if the grant still affected the cycle that had just begun.
        var ideal: Int
        /// Milliseconds until the recorder was called with the first sample that differs.
        var milliseconds: Double
        /// The level of the final samples.
        var level: Float
        /// The uncertainty of the grant's time before it was seen, in ms. All counts start at its
        /// beginning.
        var doubt: Double
    }

    enum Outcome {
        case heard(Hearing)
        /// The recording ends too early.
        case unfinished
        /// The server omitted cycles, so that frames do not measure time.
        case interrupted
        /// A cycle began at the time of the grant: their order is unknown.
        case straddled
    }

    /// Analyses a grant that was written between `after` and `until`. Throws if the sound is not
    /// what the gate requires.
    func hear(_ change: GateChange, after: UInt64, until: UInt64) throws -> Outcome {
        guard !hasGap else { return .interrupted }
        guard let cycle = cycles.lastIndex(where: { $0.begun <= after }) else {
            throw Self.fault("there is no recording before it")
        }
        guard cycle + 1 < cycles.count else { return .unfinished }
        let (now, next) = (cycles[cycle], cycles[cycle + 1])
        guard until < next.begun else { return .straddled }
        let share = Double(after - now.begun) / Double(next.begun - now.begun)
        let grant = now.position + min(now.count - 1, Int(share * Double(now.count)))
        guard let ramp = try ramp(change) else { return .unfinished }
        guard let bearer = cycles.last(where: { $0.position <= ramp.lowerBound }) else {
            throw Self.fault("no cycle contains it")
        }
        return .heard(
            Hearing(
                first: ramp.lowerBound - grant, settled: ramp.upperBound - grant, ideal: next.position - grant,
                milliseconds: (Double(bearer.heard) - Double(after)) / 1e6, level: samples[ramp.upperBound],
                doubt: Double(until - after) / 1e6))
    }

    /// Returns the range from the first sample that differs to the first of the final samples; nil
    /// if it is not complete.
    private func ramp(_ change: GateChange) throws -> ClosedRange<Int>? {
        guard let begin = samples.first, let last = samples.last, change.begins(at: begin) else {
            throw Self.fault("\(change): the first sample is \(samples.first ?? .nan)")
        }
        guard let first = samples.firstIndex(where: { $0 != begin }),
            let settled = samples.lastIndex(where: { $0 != last }).map({ $0 + 1 })
        else { return nil }
        // The final level must last for a while to count.
        let isOver = change.isOver(at: last) && samples.count - settled >= Self.rest
        guard isOver || samples.count - first > change.frames + 2 * Self.rest else { return nil }
        guard isOver else { throw Self.fault("\(change): the level is \(last) after the end of the ramp") }
        for index in first...settled where !change.moves(from: samples[index - 1], to: samples[index]) {
            throw Self.fault(
                "\(change): \(samples[index - 1]) is followed by \(samples[index]), \(index - first) frames after the beginning"
            )
        }
        // A shorter ramp would click. Near its end a ramp may be too flat for the last samples to
        // differ.
        guard (change.frames - 2...change.frames).contains(settled - first + 1) else {
            throw Self.fault("\(change): the ramp has \(settled - first + 1) frames, not \(change.frames)")
        }
        return first...settled
    }

    /// The frames for which the final level must last.
    static let rest = 64

    /// Whether the server's frames are not contiguous.
    private var hasGap: Bool {
        zip(cycles, cycles.dropFirst()).contains { $0.frame &+ UInt32($0.count) != $1.frame || $1.begun <= $0.begun }
    }

    private static func fault(_ what: String) -> BenchmarkError {
        BenchmarkError("the effect of a gate is wrong: \(what)")
    }
}
