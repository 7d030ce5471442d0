internal import Dispatch

/// When something must be over.
struct Deadline: Sendable {
    private let time: DispatchTime

    /// `seconds` from now, 0 or more.
    init(seconds: Double) { time = .now() + max(0, seconds) }

    /// Seconds until then, 0 or more.
    var seconds: Double {
        let now = DispatchTime.now()
        return time > now ? Double(time.uptimeNanoseconds - now.uptimeNanoseconds) / 1e9 : 0
    }

    /// The same for poll, rounded up so that it does not end before.
    var milliseconds: Int32 { Int32(clamping: Int((seconds * 1_000).rounded(.up))) }

    var hasPassed: Bool { seconds == 0 }
}
