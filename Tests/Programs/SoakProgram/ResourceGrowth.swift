import TestSupport

extension ResourceSnapshot {
    /// Threads of drivers and of libjack in drivers; those of the system's queues come and go.
    var driverThreads: Int { threadCount(prefixes: "audio-", "jack") }

    /// What has increased since the warm-up, as text. A library of the server's may keep some descriptors: `keeping`.
    func growth(since warm: ResourceSnapshot, keeping kept: Int) -> [String] {
        var leaks: [String] = []
        if driverThreads > warm.driverThreads {
            leaks.append("\(driverThreads - warm.driverThreads) threads more than after the warm-up")
        }
        if descriptorCount > warm.descriptorCount + kept {
            let kinds = descriptors.filter { $0.value > warm.descriptors[$0.key] ?? 0 }
            leaks.append(
                "\(descriptorCount - warm.descriptorCount) descriptors more than after the warm-up, of \(kinds)")
        }
        if residentKiB > warm.residentKiB + 32_768 {
            leaks.append("\((residentKiB - warm.residentKiB) / 1024) MiB of memory more than after the warm-up")
        }
        return leaks
    }
}
