import Reporting

/// The share of its period that a cycle takes, and how often it takes more.
struct CycleTimes: Part {
    private static let metric = "cycle.percent_of_period"

    /// Measures core and OpenAL alternately, one cycle each, so that neither finds the caches as it
    /// left them.
    mutating func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "Cycle time, percent of the period at 48 kHz: 256 voices, mono, gain and pan ramping, offline",
            ["frames", .text("data", 4), .text("subject", 19), "median", "p99", "p99.9", "max", "cycles"])
        for data in DataKind.allCases {
            for frames in run.quick ? [64, 512] : [16, 32, 64, 128, 256, 512, 1024] {
                let cycles = run.quick ? 2000 : frames == 64 ? 50000 : 10000
                let results = try Self.measure(MixConditions(frames: frames, data: data), cycles, run.coldBytes)
                for result in results {
                    let times = result.statistics
                    table.add(
                        ["\(frames)", data.rawValue, result.subject]
                            + [times.median, times.p99, times.p999, times.maximum].map(digits) + ["\(times.count)"])
                }
                findings.results += results
            }
        }
        findings.tables = [table]
        findings.targets = DataKind.allCases.flatMap { Self.targets($0, findings.results, run.noise) }
        return findings
    }

    private static func measure(_ conditions: MixConditions, _ cycles: Int, _ coldBytes: Int) throws -> [Measurement] {
        let mix = try conditions.mix(coldBytes: coldBytes)
        let players = try [Subject.core, .openal].map { try conditions.player($0, mix) }
        return try Repetition(warmUp: 20, least: cycles, most: cycles).measure(
            players, metric, "%", per: conditions.periodNanoseconds / 100, settled: false, conditions.parameters)
    }

    private static func targets(_ data: DataKind, _ results: [Measurement], _ noise: Noise) -> [Target] {
        let conditions = MixConditions(data: data).parameters
        guard let cycle = results.statistics(metric, Subject.core.name, conditions) else { return [] }
        // A thread that the machine stops is late, however little work it has.
        let least = min(cycle.median, cycle.p999)
        return [
            Target(
                what: "cycle of 256 voices, 64 frames, p99.9, % of the period, \(data)", unit: "%", wanted: 25, aim: 10,
                reached: cycle.p999, range: (noise.stoppedPercent > 0.1 ? least : cycle.p999)...cycle.p999,
                headline: "cycle of 256 voices at 64 frames, \(data) (p99.9 of the period)")
        ]
    }

    func figures(_ results: [Measurement]) -> [Figure] { [.cycles(results)] }
}
