internal import Foundation

/// The scheduling of this process and of those that it starts.
package enum Scheduling {
    package static func useRealTime() throws {
        guard set(SCHED_RR, 1) else {
            throw BenchmarkError(
                "Cannot get a real-time priority: \(String(cString: strerror(errno))). Omit --real-time.")
        }
    }

    package static func useNormal() { _ = set(SCHED_OTHER, 0) }

    private static func set(_ policy: Int32, _ priority: Int32) -> Bool {
        var parameters = sched_param()
        parameters.sched_priority = priority
        return sched_setscheduler(0, policy, &parameters) == 0
    }
}
