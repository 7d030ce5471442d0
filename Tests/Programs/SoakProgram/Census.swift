import Foundation
import TestSupport

/// What this process holds.
struct Census {
    /// Of drivers and of libjack in drivers, by their names; those of the system's queues come and go.
    var threads: Int
    var descriptors: [String: Int]
    var kilobytes: Int

    static func take() -> Census {
        let files = FileManager.default
        let tasks = (try? files.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let names = tasks.map { readText("/proc/self/task/\($0)/comm") }
        let line = readText("/proc/self/status").split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return Census(
            threads: names.count { $0.hasPrefix("audio-") || $0.hasPrefix("jack") },
            descriptors: kinds(),
            kilobytes: line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
    }

    var descriptorCount: Int { descriptors.values.reduce(0, +) }

    /// What descriptors lead to, without numbers.
    private static func kinds() -> [String: Int] {
        let files = FileManager.default
        let names = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        let kinds = names.compactMap { try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
        return Dictionary(kinds.map { ($0.filter { !$0.isNumber }, 1) }, uniquingKeysWith: +)
    }

    /// What is more than after the warm-up, in words. A library of the server's may keep some descriptors: `keeping`.
    func growth(since warm: Census, keeping kept: Int) -> [String] {
        var leaks: [String] = []
        if threads > warm.threads { leaks.append("\(threads - warm.threads) threads more than after the warm-up") }
        if descriptorCount > warm.descriptorCount + kept {
            let kinds = descriptors.filter { $0.value > warm.descriptors[$0.key] ?? 0 }
            leaks.append(
                "\(descriptorCount - warm.descriptorCount) descriptors more than after the warm-up, of \(kinds)")
        }
        if kilobytes > warm.kilobytes + 32_768 {
            leaks.append("\((kilobytes - warm.kilobytes) / 1024) MiB of memory more than after the warm-up")
        }
        return leaks
    }
}
