import CGateEar
import Processes

/// What a gate does to a constant sound, and how that must be heard.
enum GateChange: String, CaseIterable {
    /// From full level to zeros.
    case silence
    /// From full level to 14 dB below it.
    case duck
    /// From zeros to full level.
    case sound
    /// From 14 dB below full level back to it.
    case unduck

    /// What the app plays.
    static let level: Float = 0.5
    static let ducked = 0.199_526_231_496_888

    /// Exactly, but for the ducked level: within 0.1 dB.
    private static func matches(_ sample: Float, _ gain: Double) -> Bool {
        guard gain == ducked else { return sample == Float(gain) * level }
        return (0.988_553...1.011_580).contains(Double(sample / level) / gain)
    }

    /// Gains before and after.
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
    /// Whether the way may lead from one sample to the next.
    func leads(from sample: Float, to next: Float) -> Bool { ends.to < ends.from ? next <= sample : next >= sample }

    /// Of the way there, as the arbiter's settings have it.
    var frames: Int {
        switch self {
        case .silence, .sound: 240
        case .duck: 2_400
        case .unduck: 24_000
        }
    }
}

/// A record of what came in at an ear, one cycle after the other.
struct GateTrace {
    struct Cycle {
        /// When the server began it, to a frame, and when the ear was called for it.
        var begun: UInt64
        var heard: UInt64
        /// The server's number of its first frame.
        var frame: UInt32
        var count: Int
        /// Of its first sample in the record.
        var place: Int
    }

    var samples: [Float]
    var cycles: [Cycle]

    /// What one change sounded like. Frames are counted from the verdict, which falls into a cycle of the server's as a point in time does.
    struct Hearing {
        /// Until the first sample that differs.
        var first: Int
        /// Until the first of those that stay.
        var settled: Int
        /// Until the first sample of the cycle that begins after it: sooner only if the cycle that had just begun took it.
        var ideal: Int
        /// Until the ear was called with the first sample that differs, in ms.
        var milliseconds: Double
        /// Of those that stay.
        var level: Float
        /// How long before it was seen the verdict may have come, in ms; everything is counted from there.
        var doubt: Double
    }

    enum Outcome {
        case heard(Hearing)
        /// The record ends too early.
        case unfinished
        /// The server left cycles out, so that frames are no time.
        case interrupted
        /// A cycle began while the verdict came: nobody knows which was first.
        case straddled
    }

    /// Of a verdict that came between `after` and `until`. Throws where what is heard is not what the gate must make of it.
    func hear(_ change: GateChange, after: UInt64, until: UInt64) throws -> Outcome {
        guard !hasGap else { return .interrupted }
        guard let cycle = cycles.lastIndex(where: { $0.begun <= after }) else {
            throw Self.fault("it was not listened to before")
        }
        guard cycle + 1 < cycles.count else { return .unfinished }
        let (now, next) = (cycles[cycle], cycles[cycle + 1])
        guard until < next.begun else { return .straddled }
        let share = Double(after - now.begun) / Double(next.begun - now.begun)
        let grant = now.place + min(now.count - 1, Int(share * Double(now.count)))
        guard let way = try way(change) else { return .unfinished }
        guard let bearer = cycles.last(where: { $0.place <= way.lowerBound }) else {
            throw Self.fault("no cycle brought it")
        }
        return .heard(
            Hearing(
                first: way.lowerBound - grant, settled: way.upperBound - grant, ideal: next.place - grant,
                milliseconds: (Double(bearer.heard) - Double(after)) / 1e6, level: samples[way.upperBound],
                doubt: Double(until - after) / 1e6))
    }

    /// From the first sample that differs to the first of those that stay; nil: not yet.
    private func way(_ change: GateChange) throws -> ClosedRange<Int>? {
        guard let begin = samples.first, let last = samples.last, change.begins(at: begin) else {
            throw Self.fault("\(change): it began at \(samples.first ?? .nan)")
        }
        guard let first = samples.firstIndex(where: { $0 != begin }),
            let settled = samples.lastIndex(where: { $0 != last }).map({ $0 + 1 })
        else { return nil }
        // What stays must stay for a while to be believed.
        let isOver = change.isOver(at: last) && samples.count - settled >= Self.rest
        guard isOver || samples.count - first > change.frames + 2 * Self.rest else { return nil }
        guard isOver else { throw Self.fault("\(change): it was at \(last) when it should have been over") }
        for place in first...settled where !change.leads(from: samples[place - 1], to: samples[place]) {
            throw Self.fault(
                "\(change): \(samples[place - 1]) was followed by \(samples[place]), \(place - first) frames after its beginning"
            )
        }
        // Shorter would click. Near its end a way may be too flat for the last of its samples to differ.
        guard (change.frames - 2...change.frames).contains(settled - first + 1) else {
            throw Self.fault("\(change): it took \(settled - first + 1) frames, not \(change.frames)")
        }
        return first...settled
    }

    /// Frames for which a sound must stay as it is.
    static let rest = 64

    /// Whether the server's frames do not follow each other.
    private var hasGap: Bool {
        zip(cycles, cycles.dropFirst()).contains { $0.frame &+ UInt32($0.count) != $1.frame || $1.begun <= $0.begun }
    }

    private static func fault(_ what: String) -> BenchmarkError {
        BenchmarkError("what a gate made of a sound is not as it must be: \(what)")
    }
}
