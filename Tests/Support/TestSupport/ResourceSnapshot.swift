public import Foundation

/// The threads, descriptors and memory of a process at one moment. Comparing two snapshots shows a
/// leak.
public struct ResourceSnapshot: Sendable {
    /// The number of threads by name.
    public let threads: [String: Int]
    /// The number of descriptors by kind: the target without its digits, such as `socket:[]`.
    public let descriptors: [String: Int]
    /// The resident memory, in KiB.
    public let residentKiB: Int

    /// Takes a snapshot of this process or of another one. Throws if that does not run or belongs
    /// to another user.
    public init(of process: pid_t = getpid()) throws {
        let files = FileManager.default
        let folder = "/proc/\(process)"
        let tasks = try files.contentsOfDirectory(atPath: folder + "/task")
        threads = Self.count(tasks.map { String(readText("\(folder)/task/\($0)/comm").prefix { $0 != "\n" }) })
        let entries = try files.contentsOfDirectory(atPath: folder + "/fd")
        let targets = entries.compactMap { try? files.destinationOfSymbolicLink(atPath: "\(folder)/fd/\($0)") }
        descriptors = Self.count(targets.map { $0.filter { !$0.isNumber } })
        let line = readText(folder + "/status").split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        residentKiB = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    private static func count(_ names: [String]) -> [String: Int] {
        Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    }

    public var threadCount: Int { threads.values.reduce(0, +) }
    public var descriptorCount: Int { descriptors.values.reduce(0, +) }

    /// Returns the number of threads whose names begin with one of these prefixes.
    public func threadCount(prefixes: String...) -> Int {
        threads.reduce(0) { sum, entry in sum + (prefixes.contains(where: entry.key.hasPrefix) ? entry.value : 0) }
    }
}
