/// The reason why there is no trustworthy result.
enum BenchmarkError: Error, CustomStringConvertible {
    case noScene(Conditions, String)
    case silent(Conditions, String)
    case different(Conditions, Subject, Double)
    case noGraph(Topology, String)
    case wrongGraph(Topology, Double)
    case noMixer(MixerLayout)
    case wrongMixer(MixerLayout, Double)
    case lost(String)
    case resampling(String)

    var description: String {
        switch self {
        case .noScene(let conditions, let why):
            "Cannot make a scene of \(conditions.text): \(why)."
        case .silent(let conditions, let why):
            "With \(conditions.text), not everything plays: \(why). The times would be meaningless."
        case .different(let conditions, let subject, let ratio):
            "With \(conditions.text), the output of \(subject.name) differs from that of the bare loop (\(ratio)): they did not do the same work."
        case .noGraph(let topology, let why):
            "Cannot make or run a graph of \(topology.text): \(why)."
        case .wrongGraph(let topology, let difference):
            "The output of a graph of \(topology.text) differs from that of the bare additions (by \(difference)), or a voice did not play on time."
        case .noMixer(let layout):
            "Cannot make a mixer of \(layout.text): out of memory or out of range."
        case .wrongMixer(let layout, let difference):
            "The output of a mixer of \(layout.text) is wrong (by \(difference)), or a voice did not play."
        case .lost(let what):
            "Some items were lost or changed: \(what). The times would be meaningless."
        case .resampling(let why):
            "Cannot measure the resampler: \(why)."
        }
    }
}
