import Foundation
import Platform
import TestSupport

/// What this process and the fake's server hold.
struct Census: Equatable {
    /// Threads of drivers and of the fake, by their names.
    var threads: Int
    var descriptors: Int
    var clients: Int
    var ports: Int
    var lists: Int

    static func take(_ jack: FakeJack) -> Census {
        let files = FileManager.default
        let tasks = (try? files.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let names = tasks.map { readText("/proc/self/task/\($0)/comm") }
        let counts = jack.counts
        return Census(
            threads: names.count { $0.hasPrefix("audio-") || $0.hasPrefix("fake-") },
            descriptors: (try? files.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1,
            clients: counts["clients"] ?? -1, ports: counts["ports"] ?? -1, lists: counts["lists"] ?? -1)
    }

    /// What is more than before, in words; nil when nothing is. Waits for what is just about to go: threads that were left to end by themselves.
    static func findLeak(since before: Census, _ jack: FakeJack, limit: Double = 5) -> String? {
        let deadline = Date(timeIntervalSinceNow: limit)
        while true {
            guard let leak = take(jack).excess(over: before) else { return nil }
            guard Date() < deadline else { return leak }
            _ = poll(nil, 0, 2)
        }
    }

    private func excess(over before: Census) -> String? {
        let rows = [
            ("threads", threads, before.threads), ("descriptors", descriptors, before.descriptors),
            ("clients", clients, before.clients), ("ports", ports, before.ports),
            ("lists of names", lists, before.lists),
        ]
        let more = rows.filter { $0.1 > $0.2 }.map { "\($0.1 - $0.2) \($0.0)" }
        return more.isEmpty ? nil : more.joined(separator: ", ")
    }
}
