import Reporting

/// The cost of every subject per voice and frame under the same conditions, measured alternately in
/// the same run.
struct Comparison {
    let conditions: MixConditions
    private let costs: [Subject: Statistics]
    /// The ratio of the core's cost to another subject's, repetition by repetition.
    private let ratios: [Subject: Statistics]

    func cost(_ subject: Subject) -> Statistics? { costs[subject] }
    func ratio(to subject: Subject) -> Statistics? { ratios[subject] }

    /// Repeats for about `seconds`, at least 30 times.
    init(_ scene: Scene, seconds: Double) throws {
        conditions = scene.conditions
        let unit = Double(conditions.voices * conditions.frames)
        var costs: [Subject: [Double]] = [:]
        let begun = ContinuousClock.now
        // Well within the length of the ramps, or the voices would become silent.
        let most = min(10000, (1 << 22) / conditions.frames)
        var repetitions = 0
        while repetitions < 30 || (repetitions < most && ContinuousClock.now - begun < .seconds(seconds)) {
            for subject in Subject.allCases {
                let cost = scene.settledCycle(subject) / unit
                if repetitions >= 10 { costs[subject, default: []].append(cost) }
            }
            repetitions += 1
        }
        try scene.check()
        let core = costs[.core, default: []]
        self.costs = costs.mapValues(Statistics.init)
        ratios = costs.filter { $0.key != .core }.mapValues { other in Statistics(zip(core, other).map { $0 / $1 }) }
    }

    var measurements: [Measurement] {
        let metric = conditions.pitched ? "mix.pitched_ns_per_voice_frame" : "mix.ns_per_voice_frame"
        let costs = Subject.allCases.compactMap { subject in
            cost(subject).map {
                Measurement(metric, subject.name(pitched: conditions.pitched), "ns", $0, conditions.parameters)
            }
        }
        let ratios = Subject.allCases.compactMap { subject in
            ratio(to: subject).map {
                Measurement(
                    "mix.cost_ratio", Subject.core.name, "1", $0,
                    conditions.parameters.with(["to": .text(subject.name(pitched: conditions.pitched))]))
            }
        }
        return costs + ratios
    }
}
