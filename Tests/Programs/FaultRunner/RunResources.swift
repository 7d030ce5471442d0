import Foundation
import TestSupport

/// What this process and the fake's server hold.
struct RunResources {
    /// Threads of drivers and of the fake, by their names.
    var threads: Int
    var descriptors: Int
    /// How many there are of each kind.
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

    /// What has increased since an earlier moment, as text; nil where nothing has. Waits up to `limit` seconds for threads that
    /// end by themselves.
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
