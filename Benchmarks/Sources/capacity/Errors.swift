import Processes

/// The reasons why there is no trustworthy result.
extension BenchmarkError {
    static func noScene(_ conditions: MixConditions, _ why: String) -> Self {
        Self("Cannot make a scene of \(conditions.text): \(why).")
    }
    static func silent(_ conditions: MixConditions, _ why: String) -> Self {
        Self("With \(conditions.text), not everything plays: \(why). The times would be meaningless.")
    }
    static func different(_ conditions: MixConditions, _ subject: Subject, _ ratio: Double) -> Self {
        Self(
            "With \(conditions.text), the output of \(subject.name) differs from that of the bare loop (\(ratio)): they did not do the same work."
        )
    }
    static func noGraph(_ topology: Topology, _ why: String) -> Self {
        Self("Cannot make or run a graph of \(topology.text): \(why).")
    }
    static func wrongGraph(_ topology: Topology, _ difference: Double) -> Self {
        Self(
            "The output of a graph of \(topology.text) differs from that of the bare additions (by \(difference)), or a voice did not play on time."
        )
    }
    static func noMixer(_ layout: MixerLayout) -> Self {
        Self("Cannot make a mixer of \(layout.text): out of memory or out of range.")
    }
    static func wrongMixer(_ layout: MixerLayout, _ difference: Double) -> Self {
        Self("The output of a mixer of \(layout.text) is wrong (by \(difference)), or a voice did not play.")
    }
    static func lost(_ what: String) -> Self {
        Self("Some items were lost or changed: \(what). The times would be meaningless.")
    }
    static func resampling(_ why: String) -> Self { Self("Cannot measure the resampler: \(why).") }
}
