import Foundation
import Reporting

/// The file of a benchmark, as far as all benchmarks have the same data.
struct Stored: Decodable {
    struct Machine: Decodable { var processor: String, cores: Int, memoryBytes: Int, cacheBytes: Int, system: String }

    struct Noise: Decodable {
        var ratio: Double
        var wakeUpMilliseconds: Double
        var realTimeWakeUpMilliseconds: Double?
        var longestStopMilliseconds: Double
        var stoppedPercent: Double
    }

    struct Target: Decodable {
        var what: String
        var unit: String
        var wanted: Double
        var atLeast: Bool
        var aim: Double?
        var reached: Double
        var verdict: String
        var aimVerdict: String?
    }

    struct Table: Decodable {
        struct Column: Decodable { var title: String, isText: Bool }
        var title: String
        var note: String
        var columns: [Column]
        var rows: [[String]]
    }

    var benchmark: String
    var quick: Bool
    var date: String
    var realTime: Bool?
    var machine: Machine
    var noise: Noise
    var results: [[String: Scalar]]
    var targets: [Target]
    var tables: [Table]
    var figures: [Figure]

    init(_ file: URL) throws {
        self = try JSONDecoder().decode(Stored.self, from: Data(contentsOf: file))
    }
}

/// A number, text or Boolean in JSON.
enum Scalar: Decodable {
    case number(Double), text(String), flag(Bool)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .flag(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    var text: String {
        switch self {
        case .number(let value): digits(value)
        case .text(let value): value
        case .flag(let value): value ? "yes" : "no"
        }
    }
}
