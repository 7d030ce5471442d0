internal import Foundation

/// How this process, and those that it starts, are scheduled.
package enum Scheduling {
    package static func useRealTime() throws {
        guard set(SCHED_RR, 1) else {
            throw BenchmarkError(
                "A real-time priority is not to be had: \(String(cString: strerror(errno))). Leave --real-time out.")
        }
    }

    package static func useNormal() { _ = set(SCHED_OTHER, 0) }

    private static func set(_ policy: Int32, _ priority: Int32) -> Bool {
        var parameters = sched_param()
        parameters.sched_priority = priority
        return sched_setscheduler(0, policy, &parameters) == 0
    }
}
