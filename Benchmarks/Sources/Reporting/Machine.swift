internal import Foundation

/// The machine of the measurement.
package struct Machine: Codable {
    package var processor: String
    package var cores: Int
    package var cacheBytes: Int
    package var memoryBytes: Int
    package var system: String

    package static func present() -> Machine {
        let information = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = information.split(separator: "\n").first { $0.hasPrefix("model name") }
        let name = model?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
        let kernel = try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)
        return Machine(
            processor: name ?? "unknown", cores: ProcessInfo.processInfo.activeProcessorCount,
            cacheBytes: largestCache(), memoryBytes: Int(clamping: ProcessInfo.processInfo.physicalMemory),
            system: "Linux " + (kernel?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown"))
    }

    /// The size in bytes of a set of samples that no cache holds: four times the largest cache, as
    /// long as the subjects' copies fit in half of the memory.
    package var coldBytes: Int { min(wantedColdBytes, memoryBytes / 8) }
    package var wantedColdBytes: Int { max(4 * cacheBytes, 16 << 20) }

    package var name: String {
        "\(processor), \(cores) cores, largest cache \(cacheBytes >> 20) MiB, \(memoryBytes >> 20) MiB, \(system)"
    }

    package var coldSummary: String {
        let bounded = coldBytes < wantedColdBytes ? ", bounded by memory: less than four times the cache" : ""
        return "cold data: \(coldBytes >> 20) MiB\(bounded)"
    }
}

/// Returns the size in bytes of the largest cache of the first core; 32 MiB if the system does not
/// report it.
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
