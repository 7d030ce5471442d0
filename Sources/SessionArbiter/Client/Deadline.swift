internal import Dispatch

/// The time at which an operation must have ended.
struct Deadline: Sendable {
    private let time: DispatchTime

    /// Creates the deadline `seconds` from now. A negative value counts as 0.
    init(seconds: Double) { time = .now() + max(0, seconds) }

    /// Seconds until the deadline, 0 or more.
    var seconds: Double {
        let now = DispatchTime.now()
        return time > now ? Double(time.uptimeNanoseconds - now.uptimeNanoseconds) / 1e9 : 0
    }

    /// Milliseconds until the deadline, for poll; rounded up, so that poll does not return before
    /// it.
    var milliseconds: Int32 { Int32(clamping: Int((seconds * 1_000).rounded(.up))) }

    var hasPassed: Bool { seconds == 0 }
}
