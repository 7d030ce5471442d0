/// Why there is no result that could be trusted.
enum BenchmarkError: Error, CustomStringConvertible {
    case noScene(Conditions, String)
    case silent(Conditions, String)
    case different(Conditions, Subject, Double)
    case noGraph(Topology, String)
    case wrongGraph(Topology, Double)
    case noMixer(Desk)
    case wrongMixer(Desk, Double)
    case lost(String)
    case resampling(String)

    var description: String {
        switch self {
        case .noScene(let conditions, let why):
            "A scene of \(conditions.text) could not be made: \(why)."
        case .silent(let conditions, let why):
            "At \(conditions.text) not everything plays: \(why). Its times would mean nothing."
        case .different(let conditions, let subject, let ratio):
            "At \(conditions.text), \(subject.name) puts out something else than the bare loop (\(ratio)): they did not do the same work."
        case .noGraph(let topology, let why):
            "A graph of \(topology.text) could not be made, or run: \(why)."
        case .wrongGraph(let topology, let difference):
            "A graph of \(topology.text) puts out something else than the bare additions (by \(difference)), or not every voice played on time."
        case .noMixer(let desk):
            "A mixer of \(desk.text) could not be made: memory is short, or it is out of range."
        case .wrongMixer(let desk, let difference):
            "A mixer of \(desk.text) puts out something else than it should (by \(difference)), or not every voice played."
        case .lost(let what):
            "Not all came, or not as they were sent: \(what). Its times would mean nothing."
        case .resampling(let why):
            "The resampler could not be judged: \(why)."
        }
    }
}
