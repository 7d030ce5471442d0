public import Foundation

/// The threads, descriptors and memory of a process at one moment: two of them tell a leak.
public struct ResourceSnapshot: Sendable {
    /// How many threads have each name.
    public let threads: [String: Int]
    /// How many descriptors are of each kind: what they refer to, without digits, such as `socket:[]`.
    public let descriptors: [String: Int]
    /// Resident memory.
    public let residentKiB: Int

    /// Of this process, or of another one. Throws where that does not run, or is another user's.
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

    /// Threads whose names begin with one of these.
    public func threadCount(prefixes: String...) -> Int {
        threads.reduce(0) { sum, entry in sum + (prefixes.contains(where: entry.key.hasPrefix) ? entry.value : 0) }
    }
}
