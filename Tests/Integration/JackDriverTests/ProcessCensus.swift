import Foundation
import TestSupport

/// What this process holds of the kinds a driver takes, to tell leaks.
struct ProcessCensus {
    /// Threads of drivers and of libjack in drivers, by their names.
    var threads: Int
    /// Descriptors of the kinds that drivers and libjack open: event counters, sockets, shared memory.
    var descriptors: Int

    static func take() -> ProcessCensus {
        let files = FileManager.default
        let tasks = (try? files.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let names = tasks.map { readText("/proc/self/task/\($0)/comm") }
        let descriptors = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        let targets = descriptors.compactMap { try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
        return ProcessCensus(
            threads: names.count { $0.hasPrefix("audio-") },
            descriptors: targets.count {
                $0.hasPrefix("anon_inode:[eventfd]") || $0.hasPrefix("socket:") || $0.contains("/jack")
            })
    }

    /// Whether no driver's thread is left, or goes within `limit` seconds.
    static func threadsEnd(limit: Double = 10) -> Bool {
        eventually(seconds: limit) { take().threads == 0 }
    }
}
