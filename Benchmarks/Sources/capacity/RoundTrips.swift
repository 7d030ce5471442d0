import CCapacity
import Processes
import Reporting

/// Two threads, on one core each, until this is released. The initializer returns nil if this
/// process may not use two cores.
final class Pair {
    let handle: OpaquePointer

    init?() {
        guard let handle = capacity_pair_create() else { return nil }
        self.handle = handle
    }

    deinit { capacity_pair_destroy(handle) }

    /// Returns the nanoseconds to read items from a bare ring, which the partner (`apart`) or this
    /// thread has put there, and to store their values.
    func drain(_ count: Int, apart: Bool) throws -> Double {
        let time = capacity_pair_drain(handle, UInt32(count), apart)
        guard time > 0 else { throw BenchmarkError.lost("items of a bare ring") }
        return Double(time)
    }
}

extension BenchmarkError {
    static func lost(_ what: String) -> Self {
        Self("Some items were lost or changed: \(what). The times would be meaningless.")
    }
}

/// Round trips of an item to another core and back: through two command rings, through two bare
/// rings, and in one bare cache line each way.
struct RoundTrips: Part {
    private static let ways = [
        (name: Subject.core.name, way: CAPACITY_RINGS), (name: Commands.bound, way: CAPACITY_BARE_RINGS),
        (name: "bare cache line", way: CAPACITY_LINES),
    ]
    private static let rounds = 200

    mutating func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        guard let pair = Pair() else {
            say("\nFrom core to core: not available, this process may not use two cores")
            return findings
        }
        let repetitions = run.quick ? 300 : 3000
        let values = try Repetition(least: repetitions, most: repetitions).values { _ in
            try Self.ways.map { _, way in
                let time = capacity_pair_exchange(pair.handle, way, UInt32(Self.rounds))
                guard time > 0 else { throw BenchmarkError.lost("items between two cores") }
                return Double(time) / Double(Self.rounds)
            }
        }
        findings.results = [Measurement].compared(
            "ring.round_trip_ns", "ns", zip(Self.ways, values).map { ($0.name, $1) }, ratio: "ring.round_trip_ratio",
            ["rounds": .whole(Self.rounds)])
        var table = Table(
            "From core to core: 32 bytes there and back, nanoseconds",
            note: "Each value is the mean of \(Self.rounds) in a row; the ratio is the median of the pairs",
            [.text("through", 27), "median", "low", "high", "p99", "min", Table.Column("ours over it")])
        func ratio(_ other: String) -> Statistics? {
            findings.results.statistics("ring.round_trip_ratio", nil, ["to": .text(other)])
        }
        for result in findings.results.of("ring.round_trip_ns") {
            let time = result.statistics
            table.add(
                [result.subject]
                    + [time.median, time.interval.lowerBound, time.interval.upperBound, time.p99, time.minimum].map(
                        digits) + [ratio(result.subject).map { digits($0.median) } ?? ""])
        }
        findings.tables = [table]
        findings.targets = run.target(
            "two command rings there and back between cores: over the bare cache lines'", 1.25,
            ratio("bare cache line"))
        return findings
    }
}
