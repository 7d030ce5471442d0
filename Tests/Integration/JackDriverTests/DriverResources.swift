import TestSupport

/// What drivers, and libjack in them, hold of this process, to tell leaks.
extension ResourceSnapshot {
    /// Told by their names.
    var driverThreads: Int { threadCount(prefixes: "audio-") }
    /// Event counters, sockets, and shared memory.
    var driverDescriptors: Int {
        descriptors.reduce(0) { sum, entry in
            let (kind, count) = entry
            let isDriver = kind.hasPrefix("anon_inode:[eventfd]") || kind.hasPrefix("socket:") || kind.contains("/jack")
            return sum + (isDriver ? count : 0)
        }
    }

    /// Whether all threads of drivers end within `limit` seconds.
    static func driverThreadsEnd(limit: Double = 10) throws -> Bool {
        try eventually(seconds: limit) { try ResourceSnapshot().driverThreads == 0 }
    }
}
