import CProbe
import Processes
import Servers

/// Verifies, before any measurement, that the analysis finds changes correctly, and detects
/// injected faults.
enum GateTrial {
    static func check() throws {
        for change in GateChange.allCases {
            // Grants at any phase of a period, with no delay, a delay of some frames, or of a
            // period.
            for (phase, delay) in [(0, 0), (1, 0), (64, 5), (127, 128), (100, 1_000)] {
                let trace = trace(change, begin: 256 + delay)
                guard
                    case .heard(let heard) = try trace.hear(
                        change, after: time(128 + phase), until: time(128 + phase) + 1_000),
                    heard.first == 128 - phase + delay, heard.settled == heard.first + change.frames - 1,
                    heard.ideal == 128 - phase
                else { throw BenchmarkError("The analysis did not find \(change) with a delay of \(delay) frames.") }
            }
            try expectFault("a ramp that goes back", change) { $0[256 + change.frames / 2] = $0[0] }
            try expectFault("a click", change) { samples in
                for index in 300..<256 + change.frames { samples[index] = samples[samples.count - 1] }
            }
            try expectFault("a wrong level", change) { $0 = $0.map { $0 * 0.97 } }
            let deaf = GateTrace(
                samples: Array(repeating: trace(change, begin: 256).samples[0], count: 40_000), cycles: cycles(40_000))
            guard case .unfinished = try deaf.hear(change, after: time(200), until: time(200)) else {
                throw BenchmarkError("The analysis found \(change) although the gate was ignored.")
            }
        }
        try expectFault("a remainder that is not silent", .silence) { $0 = $0.map { max($0, 0.000_01) } }
        var lost = trace(.silence, begin: 256)
        lost.cycles.remove(at: 2)
        guard case .interrupted = try lost.hear(.silence, after: time(200), until: time(200)) else {
            throw BenchmarkError("The analysis did not detect a missing cycle.")
        }
        guard case .straddled = try trace(.silence, begin: 256).hear(.silence, after: time(255), until: time(256))
        else {
            throw BenchmarkError("The analysis found a result that cannot be known.")
        }
    }

    private static func expectFault(_ what: String, _ change: GateChange, _ damage: (inout [Float]) -> Void) throws {
        let trace = trace(change, begin: 256, damage)
        guard (try? trace.hear(change, after: time(200), until: time(200))) == nil else {
            throw BenchmarkError("The analysis did not detect an injected fault in \(change): \(what).")
        }
    }

    /// Returns the time slightly after the beginning of a frame, in ns.
    private static func time(_ frame: Int) -> UInt64 {
        1_000_000_000 + UInt64(frame) * 1_000_000_000 / UInt64(Server.sampleRate) + 1_000
    }

    private static func cycles(_ count: Int) -> [probe_recorded_t] {
        stride(from: 0, to: count, by: 128).map {
            probe_recorded_t(
                begun_ns: time($0) - 1_000, heard_ns: time($0), frame: UInt32($0), nframes: 128, position: UInt32($0))
        }
    }

    /// Makes a ramp as the render core does: the first frame differs already, the last has the
    /// final level.
    private static func trace(
        _ change: GateChange, begin: Int, _ damage: (inout [Float]) -> Void = { _ in }
    ) -> GateTrace {
        let (from, to) = change.ends
        let count = (begin + change.frames + 1_024) / 128 * 128
        var samples = (0..<count).map { frame -> Float in
            let share = min(1, max(0, Double(frame - begin + 1) / Double(change.frames)))
            return Float(from + (to - from) * share) * GateChange.level
        }
        damage(&samples)
        return GateTrace(samples: samples, cycles: cycles(count))
    }
}
