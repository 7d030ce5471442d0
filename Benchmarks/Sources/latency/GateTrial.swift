import Processes

/// Shows, before anything is measured, that the ear finds what it is to find, and faults where they are planted.
enum GateTrial {
    static func check() throws {
        for change in GateChange.allCases {
            // Verdicts anywhere in a period, late by nothing, by some frames, by a period.
            for (phase, delay) in [(0, 0), (1, 0), (64, 5), (127, 128), (100, 1_000)] {
                let trace = trace(change, begin: 256 + delay)
                guard
                    case .heard(let heard) = try trace.hear(
                        change, after: time(128 + phase), until: time(128 + phase) + 1_000),
                    heard.first == 128 - phase + delay, heard.settled == heard.first + change.frames - 1,
                    heard.ideal == 128 - phase
                else { throw BenchmarkError("An ear that was to find \(change) \(delay) frames late did not.") }
            }
            try expectFault(
                "of a way that goes back", trace(change, begin: 256) { $0[256 + change.frames / 2] = $0[0] }, change)
            let click = trace(change, begin: 256) { samples in
                for place in 300..<256 + change.frames { samples[place] = samples[samples.count - 1] }
            }
            try expectFault("of a click", click, change)
            try expectFault("of a wrong level", trace(change, begin: 256) { $0 = $0.map { $0 * 0.97 } }, change)
            let deaf = GateTrace(
                samples: Array(repeating: trace(change, begin: 256).samples[0], count: 40_000), cycles: cycles(40_000))
            guard case .unfinished = try deaf.hear(change, after: time(200), until: time(200)) else {
                throw BenchmarkError("An ear found \(change) where a gate was ignored.")
            }
        }
        try expectFault(
            "of a rest that is no silence", trace(.silence, begin: 256) { $0 = $0.map { max($0, 0.000_01) } }, .silence)
        var lost = trace(.silence, begin: 256)
        lost.cycles.remove(at: 2)
        guard case .interrupted = try lost.hear(.silence, after: time(200), until: time(200)) else {
            throw BenchmarkError("An ear did not miss a cycle.")
        }
        guard case .straddled = try trace(.silence, begin: 256).hear(.silence, after: time(255), until: time(256))
        else {
            throw BenchmarkError("An ear knew what nobody can know.")
        }
    }

    private static func expectFault(_ what: String, _ trace: GateTrace, _ change: GateChange) throws {
        do {
            _ = try trace.hear(change, after: time(200), until: time(200))
        } catch {
            return
        }
        throw BenchmarkError("An ear did not notice a planted fault in \(change): \(what).")
    }

    /// Of a frame, in ns, a hair after its beginning.
    private static func time(_ frame: Int) -> UInt64 { 1_000_000_000 + UInt64(frame) * 1_000_000_000 / 48_000 + 1_000 }

    private static func cycles(_ count: Int) -> [GateTrace.Cycle] {
        stride(from: 0, to: count, by: 128).map {
            GateTrace.Cycle(
                begun: 1_000_000_000 + UInt64($0) * 1_000_000_000 / 48_000, heard: time($0), frame: UInt32($0),
                count: 128,
                place: $0)
        }
    }

    /// As the render core makes it: the first frame differs already, the last is there.
    private static func trace(
        _ change: GateChange, begin: Int, _ spoil: (inout [Float]) -> Void = { _ in }
    ) -> GateTrace {
        let (from, to) = change.ends
        let count = (begin + change.frames + 1_024) / 128 * 128
        var samples = (0..<count).map { frame -> Float in
            let share = min(1, max(0, Double(frame - begin + 1) / Double(change.frames)))
            return Float(from + (to - from) * share) * GateChange.level
        }
        spoil(&samples)
        return GateTrace(samples: samples, cycles: cycles(count))
    }
}
