internal import Dispatch

/// The time at which a wait ends.
package struct TimeLimit: Sendable {
    private let time: DispatchTime

    /// Creates the limit `seconds` from now.
    package init(seconds: Double) { time = .now() + max(0, seconds) }

    /// Milliseconds that are left, for poll; rounded up.
    package var milliseconds: Int32 {
        let now = DispatchTime.now()
        guard time > now else { return 0 }
        return Int32(clamping: (time.uptimeNanoseconds - now.uptimeNanoseconds + 999_999) / 1_000_000)
    }

    package var hasPassed: Bool { milliseconds == 0 }
}
