import Foundation

/// Occupies this process's file descriptors until only a few are free, and releases them.
public final class DescriptorShortage {
    private var taken: [Int32] = []
    private let limit: rlimit

    /// Lowers the soft limit and occupies all but `count` of the descriptors below it.
    public init(leaving count: Int) throws {
        var limit = rlimit()
        guard getrlimit(Self.resource, &limit) == 0 else { throw TestFailure("Cannot read the descriptor limit.") }
        self.limit = limit
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int($0) }
        var lower = limit
        lower.rlim_cur = min(limit.rlim_cur, rlim_t((open.max() ?? 2) + 1 + count + 16))
        guard setrlimit(Self.resource, &lower) == 0 else { throw TestFailure("Cannot lower the descriptor limit.") }
        let isFull = eventually {
            occupy()
            return Self.allAreKept(below: lower.rlim_cur)
        }
        guard isFull, taken.count >= count else {
            release()
            throw TestFailure(
                isFull ? "Fewer than \(count) descriptors are free." : "The process keeps a file in /proc open.")
        }
        for descriptor in taken.prefix(count) { close(descriptor) }
        taken.removeFirst(count)
    }

    deinit { release() }

    private func occupy() {
        var descriptor = dup(2)
        while descriptor != -1 {
            taken.append(descriptor)
            descriptor = dup(2)
        }
    }

    /// Whether every descriptor below the limit is open, and not for a moment only, as files in
    /// /proc are: a thread has its `comm` open while it is named. Such a descriptor would be free
    /// later.
    private static func allAreKept(below limit: rlim_t) -> Bool {
        (0..<limit).allSatisfy { descriptor in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            return target.map { !$0.hasPrefix("/proc/") } ?? false
        }
    }

    /// Closes the occupied descriptors and restores the limit. Idempotent.
    public func release() {
        for descriptor in taken { close(descriptor) }
        taken = []
        var limit = limit
        setrlimit(Self.resource, &limit)
    }

    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
}
