import CGateEar
import Foundation
import Processes

/// A process that listens to an app's port.
final class GateEar {
    private var ear: OpaquePointer?
    private var xruns: UInt64 = 0

    /// How the part is called that performs it.
    static let part = "gate-ear"
    private static let seconds = 4

    func perform(_ words: [String]) throws -> [Double] {
        switch words.first {
        case "open": try open(server: words[1], port: words[2])
        case "steady": try awaitSteady(Float(words[1]) ?? 0)
        case "heard": return try hear(words[1], after: words[2], until: words[3])
        case "close":
            gate_ear_close(ear)
            ear = nil
        default: throw BenchmarkError("an ear knows no such word")
        }
        return []
    }

    private func opened() throws -> OpaquePointer {
        guard let ear else { throw BenchmarkError("no ear is open") }
        return ear
    }

    private func open(server: String, port: String) throws {
        ear = gate_ear_open(server, Self.part, UInt32(48_000 * Self.seconds))
        guard gate_ear_connect(try opened(), port) else { throw BenchmarkError("'\(port)' could not be connected") }
    }

    /// Returns when nothing but these samples came for two cycles at least; all that is recorded then are they.
    private func awaitSteady(_ level: Float) throws {
        let ear = try opened()
        let limit = now() + 5_000_000_000
        repeat {
            guard gate_ear_begin(ear, 2_000) else { throw BenchmarkError("the ear was called for no cycle in 2 s") }
            try awaitFrames(ear, gate_ear_frames(ear) + 1)
            xruns = gate_ear_xruns(ear)
            let samples = UnsafeBufferPointer(start: gate_ear_samples(ear), count: Int(gate_ear_frames(ear)))
            if samples.allSatisfy({ $0 == level }) { return }
        } while now() < limit
        throw BenchmarkError("it did not sound at \(level) within 5 s, but at \(gate_ear_samples(ear)[0])")
    }

    /// What the change sounded like, as `GateHearing` reads it.
    private func hear(_ name: String, after: String, until: String) throws -> [Double] {
        let ear = try opened()
        guard let change = GateChange(rawValue: name), let after = UInt64(after), let until = UInt64(until) else {
            throw BenchmarkError("an ear knows no such change")
        }
        let limit = now() + UInt64(Self.seconds) * 1_000_000_000 / 2
        var wanted = gate_ear_frames(ear)
        while now() < limit {
            let outcome = Result { try trace(ear).hear(change, after: after, until: until) }
            if try isDisturbed(ear, outcome) { return GateHearing.interrupted.numbers }
            switch try outcome.get() {
            case .heard(let hearing): return GateHearing.heard(hearing).numbers
            case .interrupted: return GateHearing.interrupted.numbers
            case .straddled: return GateHearing.straddled.numbers
            case .unfinished:
                wanted += UInt32(max(GateTrace.rest, change.frames / 8))
                try awaitFrames(ear, wanted)
            }
        }
        throw BenchmarkError("\(change): it was not heard within \(Self.seconds / 2) s; the app ignores its gate")
    }

    /// Whether the server told of an xrun. PipeWire tells a cycle late: what is not as it ought to be waits for that.
    private func isDisturbed(_ ear: OpaquePointer, _ outcome: Result<GateTrace.Outcome, any Error>) throws -> Bool {
        let isSuspect =
            switch outcome {
            case .failure: true
            case .success(.heard(let hearing)): hearing.first > hearing.ideal
            case .success: false
            }
        if isSuspect {
            let cycle = gate_ear_cycle(ear, 0)
            try awaitFrames(ear, gate_ear_frames(ear) + 2 * cycle.nframes + 1)
        }
        return gate_ear_xruns(ear) != xruns
    }

    private func awaitFrames(_ ear: OpaquePointer, _ frames: UInt32) throws {
        guard gate_ear_await(ear, frames, 2_000) else { throw BenchmarkError("the ear was called for no cycle in 2 s") }
    }

    private func trace(_ ear: OpaquePointer) -> GateTrace {
        let cycles = (0..<gate_ear_cycles(ear)).map { gate_ear_cycle(ear, $0) }
        let count = cycles.last.map { Int($0.place + $0.nframes) } ?? 0
        return GateTrace(
            samples: Array(UnsafeBufferPointer(start: gate_ear_samples(ear), count: count)),
            cycles: cycles.map {
                GateTrace.Cycle(
                    begun: $0.begun_ns, heard: $0.heard_ns, frame: $0.frame, count: Int($0.nframes),
                    place: Int($0.place))
            })
    }
}

/// What an ear tells of a change, in numbers.
enum GateHearing {
    case heard(GateTrace.Hearing)
    case interrupted
    case straddled

    var numbers: [Double] {
        switch self {
        case .heard(let it):
            [0, Double(it.first), Double(it.settled), Double(it.ideal), it.milliseconds, Double(it.level), it.doubt]
        case .interrupted: [1]
        case .straddled: [2]
        }
    }

    init(_ numbers: [Double]) throws {
        switch (numbers.first, numbers.count) {
        case (0, 7):
            self = .heard(
                GateTrace.Hearing(
                    first: Int(numbers[1]), settled: Int(numbers[2]), ideal: Int(numbers[3]),
                    milliseconds: numbers[4], level: Float(numbers[5]), doubt: numbers[6]))
        case (1, 1): self = .interrupted
        case (2, 1): self = .straddled
        default: throw BenchmarkError("an ear told nothing that can be read")
        }
    }
}
