import Processes
import Servers

/// Trials in which several child processes take part.
struct Trials {
    /// The number of trials that were repeated, and the numbers of each of the others.
    private(set) var repeated = 0
    private(set) var rows: [[Double]] = []

    /// Makes trials. Repeats one during which the server or a client of `processes` was late: they
    /// count that (`late`). A suspicious result, which is not plain, waits for a delayed report
    /// before it is accepted. Throws if a trial finds nothing, although nobody was late.
    init(
        _ count: Int, by processes: [Performer], isPlain: ([Double]) -> Bool,
        _ trial: (_ number: Int) throws -> [Double]
    ) throws {
        func late() throws -> Double { try processes.reduce(0) { $0 + (try $1.ask("late").first ?? 0) } }
        while rows.count < count {
            let before = try late()
            let row = try trial(rows.count)
            let isSuspect = row.isEmpty || !isPlain(row)
            if try holds(within: isSuspect ? 0.1 : 0, { try late() != before }) {
                repeated += 1
                guard repeated <= 20 + count else {
                    throw BenchmarkError("\(repeated) trials of \(count) were disturbed")
                }
            } else {
                guard !row.isEmpty else {
                    throw BenchmarkError(
                        "a sound was not heard once, although neither the server nor a client was late")
                }
                rows.append(row)
            }
        }
    }

    /// Returns one of the numbers of all trials.
    subscript(index: Int) -> [Double] { rows.map { $0[index] } }
}
