import CCapacity
import Processes
import Reporting

/// Two threads, on one core each. The initializer returns nil if this process may not use two
/// cores.
final class Pair {
    let handle: OpaquePointer

    init?() {
        guard let handle = capacity_pair_create() else { return nil }
        self.handle = handle
    }

    deinit { capacity_pair_destroy(handle) }
}

/// Round trips of an item to another core and back: through two command rings, through two bare
/// rings, and in one bare cache line each way.
struct RoundTrips {
    enum Way: String, CaseIterable {
        case rings = "swift-audio-session"
        case bareRings = "bare ring of 48-byte items"
        case lines = "bare cache line"
    }

    /// The round trip times, in nanoseconds.
    private(set) var times: [Way: Statistics] = [:]
    /// The ratios of the command rings to the others, pair by pair.
    private(set) var ratios: [Way: Statistics] = [:]
    private(set) var tables: [Table] = []
    private static let rounds = 200

    mutating func measure(quick: Bool, pair: Pair?) throws {
        guard let pair else {
            say("\nFrom core to core: not available, this process may not use two cores")
            return
        }
        var values: [Way: [Double]] = [:]
        for repetition in -10..<(quick ? 300 : 3000) {
            for way in Way.allCases {
                let time = Self.time(way, pair)
                guard time > 0 else { throw BenchmarkError.lost("items between two cores") }
                if repetition >= 0 { values[way, default: []].append(time) }
            }
        }
        let rings = values[.rings, default: []]
        times = values.mapValues(Statistics.init)
        ratios = values.filter { $0.key != .rings }.mapValues { Statistics(zip(rings, $0).map { $0 / $1 }) }
        var table = Table(
            "From core to core: 48 bytes there and back, nanoseconds",
            note: "Each value is the mean of \(Self.rounds) in a row; the ratio is the median of the pairs",
            [.text("through", 27), "median", "low", "high", "p99", "min", Table.Column("ours over it")])
        for way in Way.allCases {
            guard let time = times[way] else { continue }
            table.add(
                [way.rawValue]
                    + [time.median, time.interval.lowerBound, time.interval.upperBound, time.p99, time.minimum].map(
                        digits) + [ratios[way].map { digits($0.median) } ?? ""])
        }
        tables = [table]
    }

    private static func time(_ way: Way, _ pair: Pair) -> Double {
        let rounds = UInt32(rounds)
        let total =
            switch way {
            case .rings: capacity_pair_rings(pair.handle, rounds)
            case .bareRings: capacity_pair_bare_rings(pair.handle, rounds)
            case .lines: capacity_pair_lines(pair.handle, rounds)
            }
        return Double(total) / Double(rounds)
    }

    var measurements: [Measurement] {
        let parameters: Parameters = ["rounds": .whole(Self.rounds)]
        return Way.allCases.flatMap { way in
            let time = times[way].map { Measurement("ring.round_trip_ns", way.rawValue, "ns", $0, parameters) }
            let ratio = ratios[way].map {
                Measurement(
                    "ring.round_trip_ratio", Subject.core.name, "1", $0, parameters.with(["to": .text(way.rawValue)]))
            }
            return [time, ratio].compactMap { $0 }
        }
    }
}
