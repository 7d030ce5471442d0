import Foundation

/// One line of the results, as JSON has it.
struct Measurement: Encodable {
    var metric: String
    var subject: String
    var unit: String
    var median: Double
    var p99: Double
    var min: Double
    var max: Double
    var n: Int
    var voices: Int?
    var frames: Int
    var data: String
    var gain: String

    init(
        metric: String, subject: String, unit: String, _ statistics: Statistics, voices: Int?, frames: Int,
        data: DataKind,
        gain: GainKind
    ) {
        self.metric = metric
        self.subject = subject
        self.unit = unit
        (median, p99) = (statistics.median, statistics.p99)
        (min, max, n) = (statistics.minimum, statistics.maximum, statistics.count)
        self.voices = voices
        self.frames = frames
        self.data = data.rawValue
        self.gain = gain.rawValue
    }
}

/// The machine that the numbers hold for.
struct Machine: Encodable {
    var processor: String
    var cores: Int
    var cacheBytes: Int
    var system: String

    static func present() -> Machine {
        let information = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = information.split(separator: "\n").first { $0.hasPrefix("model name") }
        let name = model?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
        let kernel = try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)
        return Machine(
            processor: name ?? "unknown", cores: ProcessInfo.processInfo.activeProcessorCount,
            cacheBytes: largestCache(),
            system: "Linux " + (kernel?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown"))
    }
}

/// Bytes of the largest cache that the first core sees; 32 MiB where the system does not tell.
private func largestCache() -> Int {
    let sizes = (0..<8).compactMap { index -> Int? in
        let path = "/sys/devices/system/cpu/cpu0/cache/index\(index)/size"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        let number = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let value = Int(number.filter(\.isNumber)) else { return nil }
        return number.hasSuffix("M") ? value << 20 : value << 10
    }
    return sizes.max() ?? 32 << 20
}

struct Report: Encodable {
    var benchmark = "capacity"
    var machine: Machine
    var results: [Measurement]

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}

/// A number in a column of eight.
func column(_ value: Double) -> String {
    let text = String(format: value < 100 ? "%.3f" : "%.0f", value)
    return String(repeating: " ", count: max(0, 8 - text.count)) + text
}

func column(_ value: Int) -> String {
    let text = String(value)
    return String(repeating: " ", count: max(0, 7 - text.count)) + text
}
