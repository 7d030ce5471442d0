import TestSupport

/// The resources of this process that drivers, and libjack in them, hold, to detect leaks.
extension ResourceSnapshot {
    /// The number of drivers' threads, found by name.
    var driverThreads: Int { threadCount(prefixes: "audio-") }
    /// The number of drivers' event counters, sockets, and shared memory files.
    var driverDescriptors: Int {
        descriptors.reduce(0) { sum, entry in
            let (kind, count) = entry
            let isDriver = kind.hasPrefix("anon_inode:[eventfd]") || kind.hasPrefix("socket:") || kind.contains("/jack")
            return sum + (isDriver ? count : 0)
        }
    }

    /// Returns whether all threads of drivers end within `limit` seconds.
    static func driverThreadsEnd(limit: Double = 10) throws -> Bool {
        try eventually(seconds: limit) { try ResourceSnapshot().driverThreads == 0 }
    }
}
