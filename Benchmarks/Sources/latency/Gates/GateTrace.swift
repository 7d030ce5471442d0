import CProbe
import Foundation
import Processes
import Servers

/// The effect of a gate on a constant sound, and the required result.
enum GateChange: String, CaseIterable {
    /// From full level to silence.
    case silence
    /// From full level to `duckDecibels` below it.
    case duck
    /// From silence to full level.
    case sound
    /// From `duckDecibels` below full level back to it.
    case unduck

    /// The level of the app's sound.
    static let level: Float = 0.5
    /// The attenuation of ducked sessions, by default of the arbiter's settings.
    static let duckDecibels = 14
    private static let ducked = pow(10, -Double(duckDecibels) / 20)

    /// The gains before and after the change.
    var ends: (from: Double, to: Double) {
        switch self {
        case .silence: (1, 0)
        case .duck: (1, Self.ducked)
        case .sound: (0, 1)
        case .unduck: (Self.ducked, 1)
        }
    }

    /// The length of the ramp, according to the arbiter's settings.
    var frames: Int {
        switch self {
        case .silence, .sound: 240
        case .duck: 2_400
        case .unduck: 24_000
        }
    }

    /// Compares exactly; the ducked level within 0.1 dB.
    fileprivate static func matches(_ sample: Float, _ gain: Double) -> Bool {
        guard gain == ducked else { return sample == Float(gain) * level }
        return (0.988_553...1.011_580).contains(Double(sample / level) / gain)
    }

    /// Whether the ramp allows this step from one sample to the next.
    fileprivate func moves(from sample: Float, to next: Float) -> Bool {
        ends.to < ends.from ? next <= sample : next >= sample
    }
}

/// The result of one change. Frames are counted from the grant, which is a point in time within a
/// cycle of the server.
struct Hearing {
    /// Frames until the first sample that differs.
    var first: Int
    /// Frames until the first of the final samples.
    var settled: Int
    /// Frames until the first sample of the cycle that begins after the grant. The result can be
    /// earlier only if the grant still affected the cycle that had just begun.
    var ideal: Int
    /// Milliseconds until the recorder was called with the first sample that differs.
    var milliseconds: Double
    /// The level of the final samples.
    var level: Float
    /// The uncertainty of the grant's time before it was seen, in ms. All counts start at its
    /// beginning.
    var doubt: Double
}

/// A recording of the input, cycle by cycle.
struct GateTrace {
    var samples: [Float]
    var cycles: [probe_recorded_t]

    enum Outcome {
        case heard(Hearing)
        /// The recording ends too early.
        case unfinished
        /// The server omitted cycles, so that frames do not measure time, or the sound of some.
        case interrupted
        /// A cycle began at the time of the grant: their order is unknown.
        case straddled
    }

    /// Analyses a grant that was written between `after` and `until`. Throws if the sound is not
    /// what the gate requires.
    func hear(_ change: GateChange, after: UInt64, until: UInt64) throws -> Outcome {
        guard !hasGap, !hasEmptyPeriod else { return .interrupted }
        guard let cycle = cycles.lastIndex(where: { $0.begun_ns <= after }) else {
            throw Self.fault("there is no recording before it")
        }
        guard cycle + 1 < cycles.count else { return .unfinished }
        let (now, next) = (cycles[cycle], cycles[cycle + 1])
        guard until < next.begun_ns else { return .straddled }
        let share = Double(after - now.begun_ns) / Double(next.begun_ns - now.begun_ns)
        let grant = Int(now.position) + min(Int(now.nframes) - 1, Int(share * Double(now.nframes)))
        guard let ramp = try ramp(change) else { return .unfinished }
        guard let bearer = cycles.last(where: { $0.position <= ramp.lowerBound }) else {
            throw Self.fault("no cycle contains it")
        }
        return .heard(
            Hearing(
                first: ramp.lowerBound - grant, settled: ramp.upperBound - grant, ideal: Int(next.position) - grant,
                milliseconds: (Double(bearer.heard_ns) - Double(after)) / 1e6, level: samples[ramp.upperBound],
                doubt: Double(until - after) / 1e6))
    }

    /// Returns the range from the first sample that differs to the first of the final samples; nil
    /// if it is not complete.
    private func ramp(_ change: GateChange) throws -> ClosedRange<Int>? {
        guard let begin = samples.first, let last = samples.last, GateChange.matches(begin, change.ends.from) else {
            throw Self.fault("\(change): the first sample is \(samples.first ?? .nan)")
        }
        guard let first = samples.firstIndex(where: { $0 != begin }),
            let settled = samples.lastIndex(where: { $0 != last }).map({ $0 + 1 })
        else { return nil }
        // The final level must last for a while to count.
        let isOver = GateChange.matches(last, change.ends.to) && samples.count - settled >= Self.rest
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
        zip(cycles, cycles.dropFirst()).contains { $0.frame &+ $0.nframes != $1.frame || $1.begun_ns <= $0.begun_ns }
    }

    /// Whether the sound is absent for whole cycles and then continues, both without a fade: the
    /// server did not wait for the app, or for the recorder. A gate never does that: its silence
    /// stays, and begins and ends with a fade.
    private var hasEmptyPeriod: Bool {
        let loud = GateChange.level / 16
        let silent = cycles.map { cycle in
            samples.dropFirst(Int(cycle.position)).prefix(Int(cycle.nframes)).allSatisfy { $0 == 0 }
        }
        let begins = cycles.indices.dropFirst().filter { index in
            silent[index] && !silent[index - 1] && abs(samples[Int(cycles[index].position) - 1]) > loud
        }
        return begins.contains { begin in
            let end = cycles.indices.dropFirst(begin).first { !silent[$0] }
            return end.map { abs(samples[Int(cycles[$0].position)]) > loud } ?? false
        }
    }

    private static func fault(_ what: String) -> BenchmarkError {
        BenchmarkError("the effect of a gate is wrong: \(what)")
    }
}

/// A process that records an app's port.
final class GateRecorder {
    /// The name of the part that performs it.
    static let part = "gate-recorder"
    private static let seconds = 4
    private var open: (probe: Probe, recorder: OpaquePointer)?
    private var xruns: UInt64 = 0

    func perform(_ words: [String]) throws -> [Double] {
        if words[0] == "open" {
            let probe = try Probe(words[1], Self.part, inputs: 1)
            let capacity = UInt32(Server.sampleRate * Self.seconds)
            open = (probe, try probe.plug(probe_plug_recorder(probe.client, capacity, nil, 0)))
            try probe.activate()
            try probe.connect(GateApp.port, "\(Self.part):in_1")
            return []
        }
        guard let (probe, recorder) = open else { throw BenchmarkError("no recorder is open") }
        switch words[0] {
        case "steady": try awaitSteady(Float(words[1]) ?? 0, probe, recorder)
        case "heard":
            guard let change = GateChange(rawValue: words[1]), let after = UInt64(words[2]),
                let until = UInt64(words[3])
            else { throw BenchmarkError("unknown change") }
            return try hear(change, after, until, probe, recorder)?.numbers ?? []
        case "close":
            probe.close()
            open = nil
        default: throw BenchmarkError("unknown command of the recorder")
        }
        return []
    }

    /// Waits until only samples of this level have arrived for at least two cycles, so that the
    /// recording contains nothing else.
    private func awaitSteady(_ level: Float, _ probe: Probe, _ recorder: OpaquePointer) throws {
        try wait(for: "a level of \(level)") {
            try probe.reset(recorder)
            try awaitFrames(probe_recorded_frames(recorder) + 1, probe, recorder)
            xruns = probe_xruns(probe.client)
            return trace(recorder).samples.allSatisfy { $0 == level }
        }
    }

    /// Returns the analysis of a change; nil if it was disturbed.
    private func hear(
        _ change: GateChange, _ after: UInt64, _ until: UInt64, _ probe: Probe, _ recorder: OpaquePointer
    ) throws -> Hearing? {
        let limit = deadline(Double(Self.seconds) / 2)
        var wanted = probe_recorded_frames(recorder)
        while now() < limit {
            let outcome = Result { try trace(recorder).hear(change, after: after, until: until) }
            let isSuspect =
                switch outcome {
                case .failure: true
                case .success(.heard(let hearing)): hearing.first > hearing.ideal
                case .success: false
                }
            // PipeWire reports an xrun one cycle late, so a suspicious result waits for the report.
            if isSuspect {
                let frames = 2 * probe_recorded_cycle(recorder, 0).nframes + 1
                try awaitFrames(probe_recorded_frames(recorder) + frames, probe, recorder)
            }
            if probe_xruns(probe.client) != xruns { return nil }
            switch try outcome.get() {
            case .heard(let hearing): return hearing
            case .interrupted, .straddled: return nil
            case .unfinished:
                wanted += UInt32(max(GateTrace.rest, change.frames / 8))
                try awaitFrames(wanted, probe, recorder)
            }
        }
        throw BenchmarkError("\(change): no effect within \(Self.seconds / 2) s; the app ignores its gate")
    }

    private func awaitFrames(_ frames: UInt32, _ probe: Probe, _ recorder: OpaquePointer) throws {
        let limit = deadline(2)
        while probe_recorded_frames(recorder) < frames {
            guard probe_await_cycle(probe.client, limit) else {
                throw BenchmarkError("the recorder was not called within 2 s")
            }
        }
    }

    private func trace(_ recorder: OpaquePointer) -> GateTrace {
        let cycles = (0..<probe_recorded_cycles(recorder)).map { probe_recorded_cycle(recorder, $0) }
        let count = cycles.last.map { Int($0.position + $0.nframes) } ?? 0
        return GateTrace(
            samples: Array(UnsafeBufferPointer(start: probe_recorded_samples(recorder), count: count)), cycles: cycles)
    }
}

/// A hearing as the numbers of a reply; none: it was disturbed.
extension Hearing {
    fileprivate var numbers: [Double] {
        [Double(first), Double(settled), Double(ideal), milliseconds, Double(level), doubt]
    }

    init?(_ numbers: [Double]) {
        guard numbers.count == 6 else { return nil }
        self.init(
            first: Int(numbers[0]), settled: Int(numbers[1]), ideal: Int(numbers[2]), milliseconds: numbers[3],
            level: Float(numbers[4]), doubt: numbers[5])
    }
}
