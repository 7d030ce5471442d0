import CGateTap
import Foundation
import Processes

/// A process that records an app's port.
final class GateTap {
    private var tap: OpaquePointer?
    private var xruns: UInt64 = 0

    /// The name of the part that performs it.
    static let part = "gate-tap"
    private static let seconds = 4

    func perform(_ words: [String]) throws -> [Double] {
        switch words.first {
        case "open": try open(server: words[1], port: words[2])
        case "steady": try awaitSteady(Float(words[1]) ?? 0)
        case "heard": return try hear(words[1], after: words[2], until: words[3])
        case "close":
            gate_tap_close(tap)
            tap = nil
        default: throw BenchmarkError("unknown command of the recorder")
        }
        return []
    }

    private func requireOpen() throws -> OpaquePointer {
        guard let tap else { throw BenchmarkError("no recorder is open") }
        return tap
    }

    private func open(server: String, port: String) throws {
        tap = gate_tap_open(server, Self.part, UInt32(48_000 * Self.seconds))
        guard gate_tap_connect(try requireOpen(), port) else { throw BenchmarkError("cannot connect '\(port)'") }
    }

    /// Waits until only samples of this level have arrived for at least two cycles, so that the
    /// recording contains nothing else.
    private func awaitSteady(_ level: Float) throws {
        let tap = try requireOpen()
        let limit = now() + 5_000_000_000
        repeat {
            guard gate_tap_begin(tap, 2_000) else { throw BenchmarkError("the recorder was not called within 2 s") }
            try awaitFrames(tap, gate_tap_frames(tap) + 1)
            xruns = gate_tap_xruns(tap)
            let samples = UnsafeBufferPointer(start: gate_tap_samples(tap), count: Int(gate_tap_frames(tap)))
            if samples.allSatisfy({ $0 == level }) { return }
        } while now() < limit
        throw BenchmarkError("the level was not \(level) within 5 s, but \(gate_tap_samples(tap)[0])")
    }

    /// Returns the analysis of a change, as `GateHearing` reads it.
    private func hear(_ name: String, after: String, until: String) throws -> [Double] {
        let tap = try requireOpen()
        guard let change = GateChange(rawValue: name), let after = UInt64(after), let until = UInt64(until) else {
            throw BenchmarkError("unknown change")
        }
        let limit = now() + UInt64(Self.seconds) * 1_000_000_000 / 2
        var wanted = gate_tap_frames(tap)
        while now() < limit {
            let outcome = Result { try trace(tap).hear(change, after: after, until: until) }
            if try isDisturbed(tap, outcome) { return GateHearing.interrupted.numbers }
            switch try outcome.get() {
            case .heard(let hearing): return GateHearing.heard(hearing).numbers
            case .interrupted: return GateHearing.interrupted.numbers
            case .straddled: return GateHearing.straddled.numbers
            case .unfinished:
                wanted += UInt32(max(GateTrace.rest, change.frames / 8))
                try awaitFrames(tap, wanted)
            }
        }
        throw BenchmarkError("\(change): no effect within \(Self.seconds / 2) s; the app ignores its gate")
    }

    /// Returns whether the server reported an xrun. PipeWire reports it one cycle late, so a
    /// suspicious result waits for the report.
    private func isDisturbed(_ tap: OpaquePointer, _ outcome: Result<GateTrace.Outcome, any Error>) throws -> Bool {
        let isSuspect =
            switch outcome {
            case .failure: true
            case .success(.heard(let hearing)): hearing.first > hearing.ideal
            case .success: false
            }
        if isSuspect {
            let cycle = gate_tap_cycle(tap, 0)
            try awaitFrames(tap, gate_tap_frames(tap) + 2 * cycle.nframes + 1)
        }
        return gate_tap_xruns(tap) != xruns
    }

    private func awaitFrames(_ tap: OpaquePointer, _ frames: UInt32) throws {
        guard gate_tap_await(tap, frames, 2_000) else { throw BenchmarkError("the recorder was not called within 2 s") }
    }

    private func trace(_ tap: OpaquePointer) -> GateTrace {
        let cycles = (0..<gate_tap_cycles(tap)).map { gate_tap_cycle(tap, $0) }
        let count = cycles.last.map { Int($0.position + $0.nframes) } ?? 0
        return GateTrace(
            samples: Array(UnsafeBufferPointer(start: gate_tap_samples(tap), count: count)),
            cycles: cycles.map {
                GateTrace.Cycle(
                    begun: $0.begun_ns, heard: $0.heard_ns, frame: $0.frame, count: Int($0.nframes),
                    position: Int($0.position))
            })
    }
}

/// The recorder's result of a change, as numbers.
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
        default: throw BenchmarkError("the recorder returned an unreadable result")
        }
    }
}
