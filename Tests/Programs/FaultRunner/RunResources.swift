import Foundation
import TestSupport

/// The resources of this process and of the fake's server.
struct RunResources {
    /// The number of threads of drivers and of the fake, found by name.
    var threads: Int
    var descriptors: Int
    /// The number of descriptors of each kind.
    var kinds: [String: Int]
    var clients: Int
    var ports: Int
    var lists: Int

    init(_ jack: FakeJack) throws {
        let process = try ResourceSnapshot()
        let counts = jack.counts
        threads = process.threadCount(prefixes: "audio-", "fake-")
        descriptors = process.descriptorCount
        kinds = process.descriptors
        clients = counts["clients"] ?? -1
        ports = counts["ports"] ?? -1
        lists = counts["lists"] ?? -1
    }

    /// Describes what has increased since an earlier snapshot, or returns nil if nothing has. Waits
    /// up to `limit` seconds for threads that end on their own.
    static func findLeak(since before: RunResources, _ jack: FakeJack, limit: Double = 5) throws -> String? {
        var leak: String?
        _ = try eventually(seconds: limit) {
            leak = try RunResources(jack).excess(over: before)
            return leak == nil
        }
        return leak
    }

    private func excess(over before: RunResources) -> String? {
        let rows = [
            ("threads", threads, before.threads), ("descriptors", descriptors, before.descriptors),
            ("clients", clients, before.clients), ("ports", ports, before.ports),
            ("lists of names", lists, before.lists),
        ]
        let more = rows.filter { $0.1 > $0.2 }.map { "\($0.1 - $0.2) \($0.0)" }
        guard !more.isEmpty else { return nil }
        let new = kinds.filter { $0.value > before.kinds[$0.key, default: 0] }.keys.sorted()
        return (more + (new.isEmpty ? [] : ["of \(new.joined(separator: " "))"])).joined(separator: ", ")
    }
}
