/// Why there is no result that could be trusted.
enum BenchmarkError: Error, CustomStringConvertible {
    case noScene(Conditions, String)
    case silent(Conditions, String)
    case different(Conditions, Subject, Double)

    var description: String {
        switch self {
        case .noScene(let conditions, let why):
            "A scene of \(conditions.text) could not be made: \(why)."
        case .silent(let conditions, let why):
            "At \(conditions.text) not everything plays: \(why). Its times would mean nothing."
        case .different(let conditions, let subject, let ratio):
            "At \(conditions.text), \(subject.name) puts out something else than the bare loop (\(ratio)): they did not do the same work."
        }
    }
}
