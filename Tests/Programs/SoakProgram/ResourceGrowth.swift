import TestSupport

extension ResourceSnapshot {
    /// The number of threads of drivers and of libjack in drivers. The number of the system's queue
    /// threads varies.
    var driverThreads: Int { threadCount(prefixes: "audio-", "jack") }

    /// Describes what has increased since the warm-up. The server's library may keep `kept`
    /// descriptors.
    func growth(since warm: ResourceSnapshot, keeping kept: Int) -> [String] {
        var leaks: [String] = []
        if driverThreads > warm.driverThreads {
            leaks.append("\(driverThreads - warm.driverThreads) more threads than after the warm-up")
        }
        if descriptorCount > warm.descriptorCount + kept {
            let kinds = descriptors.filter { $0.value > warm.descriptors[$0.key] ?? 0 }
            leaks.append(
                "\(descriptorCount - warm.descriptorCount) more descriptors than after the warm-up, of \(kinds)")
        }
        if residentKiB > warm.residentKiB + 32_768 {
            leaks.append("\((residentKiB - warm.residentKiB) / 1024) MiB more memory than after the warm-up")
        }
        return leaks
    }
}
