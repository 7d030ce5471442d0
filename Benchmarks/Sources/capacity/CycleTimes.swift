import Reporting

/// The share of its period that a cycle takes, and how often it takes more.
struct CycleTimes {
    private(set) var tables: [Table] = []
    private(set) var percents: [(subject: Subject, conditions: MixConditions, statistics: Statistics)] = []

    /// Measures core and OpenAL alternately, one cycle each, so that neither finds the caches as it
    /// left them.
    mutating func measure(quick: Bool, coldBytes: Int) throws {
        var table = Table(
            "Cycle time, percent of the period at 48 kHz: 256 voices, mono, gain and pan ramping, offline",
            ["frames", .text("data", 4), .text("subject", 19), "median", "p99", "p99.9", "max", "cycles"])
        for data in DataKind.allCases {
            for frames in quick ? [64, 512] : [16, 32, 64, 128, 256, 512, 1024] {
                let conditions = MixConditions(frames: frames, data: data)
                try measure(conditions, cycles: quick ? 2000 : frames == 64 ? 50000 : 10000, coldBytes, &table)
            }
        }
        tables = [table]
    }

    private mutating func measure(_ conditions: MixConditions, cycles: Int, _ coldBytes: Int, _ table: inout Table)
        throws
    {
        let scene = try Scene(conditions, coldBytes: coldBytes)
        let subjects = [Subject.core, .openal]
        var percents: [Subject: [Double]] = [:]
        for cycle in -20..<cycles {
            for subject in subjects {
                let percent = scene.cycle(subject) / conditions.periodNanoseconds * 100
                if cycle >= 0 { percents[subject, default: []].append(percent) }
            }
        }
        // The check compares with the bound after as many cycles.
        for _ in -20..<cycles { _ = scene.cycle(.bound) }
        try scene.check()
        for subject in subjects {
            let statistics = Statistics(percents[subject, default: [0]])
            self.percents.append((subject, conditions, statistics))
            table.add(
                ["\(conditions.frames)", conditions.data.rawValue, subject.name]
                    + [statistics.median, statistics.p99, statistics.p999, statistics.maximum].map(digits)
                    + ["\(statistics.count)"])
        }
    }

    func statistics(_ subject: Subject, _ conditions: MixConditions) -> Statistics? {
        percents.first { $0.subject == subject && $0.conditions == conditions }?.statistics
    }

    var measurements: [Measurement] {
        percents.map {
            Measurement("cycle.percent_of_period", $0.subject.name, "%", $0.statistics, $0.conditions.parameters)
        }
    }
}
