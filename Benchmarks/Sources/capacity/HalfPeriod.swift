import Reporting

/// The number of voices that fit in half a period of 64 frames on one core, with gain and pan
/// ramping.
struct HalfPeriod: Part {
    private static let half = MixConditions().periodNanoseconds / 2

    /// The largest count to measure. The core's limit is 65,536 voices. The bare loop is measured
    /// beyond that, because the aim is a fraction of its count.
    private static func most(_ subject: Subject) -> Int { subject == .core ? 65_536 : 1 << 20 }

    /// Measures each subject, alternately, with the count that its last time suggests, until the
    /// count fits.
    mutating func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "Voices that fit in half a period of 64 frames at 48 kHz (\(Int(Self.half / 1000)) µs): one core, mono, gain and pan ramping",
            [.text("data", 4)] + Subject.allCases.map { Table.Column($0.name, width: 20) } + ["core/bound"])
        for data in DataKind.allCases {
            var searches = Subject.allCases.map { Search(subject: $0, data: data) }
            for _ in 0..<(run.quick ? 6 : 8) {
                for index in searches.indices where !searches[index].isOver {
                    try searches[index].step(run)
                }
            }
            let counts = searches.map(\.fits)
            table.add(
                [data.rawValue]
                    + searches.map { "\($0.fits)\($0.fits == Self.most($0.subject) ? " (the most)" : "")" }
                    + [digits(Double(counts[0]) / Double(max(1, counts[1])))])
            findings.results += searches.map { search in
                Measurement(
                    "mix.voices_in_half_period", search.subject.name, "voices", Double(search.fits),
                    MixConditions(voices: search.fits, data: data).parameters)
            }
            findings.targets.append(Self.target(data, core: counts[0], bound: counts[1], run.noise))
        }
        findings.tables = [table]
        return findings
    }

    private struct Search {
        var subject: Subject
        var data: DataKind
        var voices = 2048
        var fits = 0
        var isOver = false

        mutating func step(_ run: Run) throws {
            let time = try median(run)
            if time <= HalfPeriod.half { fits = max(fits, voices) }
            let next = min(
                HalfPeriod.most(subject), max(1, Int(Double(voices) * HalfPeriod.half / time * 0.99)))
            isOver = abs(next - voices) <= voices / 100
            voices = next
        }

        private func median(_ run: Run) throws -> Double {
            let conditions = MixConditions(voices: voices, data: data)
            let player = try conditions.player(subject, conditions.mix(coldBytes: run.coldBytes))
            let repetitions = run.quick ? 31 : 201
            let times = Repetition(warmUp: 1, least: repetitions, most: repetitions).values { _ in [player.cycle()] }
            try [player].check()
            return Statistics(times[0]).median
        }
    }

    private static func target(_ data: DataKind, core: Int, bound: Int, _ noise: Noise) -> Target {
        let reached = Double(core)
        // A machine that stops a busy thread leaves room for fewer voices.
        let slowed = (1 + noise.ratio) / (1 - min(0.9, noise.stoppedPercent / 100))
        return Target(
            what: "voices in half a 64-frame period, \(data); aim: 80 % of the bare loop's, or all that a core has",
            unit: "voices", wanted: 4096, atLeast: true,
            // The aim cannot exceed the core's own limit.
            aim: min(0.8 * Double(bound), Double(most(.core))), reached: reached,
            range: reached / (1 + noise.ratio)...reached * slowed,
            headline: "voices in half a period of 64 frames, \(data)")
    }
}
