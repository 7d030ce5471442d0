import Reporting

/// How much of its period a cycle takes, and how often it takes more.
struct CycleTimes {
    private(set) var percents: [(subject: Subject, conditions: Conditions, statistics: Statistics)] = []

    /// Core and OpenAL by turns, a cycle each, so that neither finds the caches as it left them.
    mutating func measure(quick: Bool, coldBytes: Int) throws {
        say("\nCycle time, percent of the period at 48 kHz: 256 voices, mono, gain and pan ramping, offline")
        say(" frames data             subject   median      p99    p99.9      max  cycles")
        for data in DataKind.allCases {
            for frames in quick ? [64, 512] : [16, 32, 64, 128, 256, 512, 1024] {
                let conditions = Conditions(frames: frames, data: data)
                try measure(conditions, cycles: quick ? 2000 : frames == 64 ? 50000 : 10000, coldBytes)
            }
        }
    }

    private mutating func measure(_ conditions: Conditions, cycles: Int, _ coldBytes: Int) throws {
        let scene = try Scene(conditions, coldBytes: coldBytes)
        let subjects = [Subject.core, .openal]
        var percents: [Subject: [Double]] = [:]
        for cycle in -20..<cycles {
            for subject in subjects {
                let percent = scene.cycle(subject) / conditions.periodNanoseconds * 100
                if cycle >= 0 { percents[subject, default: []].append(percent) }
            }
        }
        for subject in subjects {
            let statistics = Statistics(percents[subject, default: [0]])
            self.percents.append((subject, conditions, statistics))
            say(
                [
                    column(conditions.frames, 7), padded(conditions.data.rawValue, 4), column(subject.name, 19),
                    column(statistics.median, 8), column(statistics.p99, 8), column(statistics.p999, 8),
                    column(statistics.maximum, 8), column(statistics.count, 7),
                ].joined(separator: " "))
        }
    }

    func statistics(_ subject: Subject, _ conditions: Conditions) -> Statistics? {
        percents.first { $0.subject == subject && $0.conditions == conditions }?.statistics
    }

    var measurements: [Measurement] {
        percents.map { Measurement("cycle.percent_of_period", $0.subject.name, "%", $0.statistics, $0.conditions) }
    }
}
