/// The engine's clock while the server does not call the engine: frames pass at the sample rate, as
/// if they were rendered. It stops while the machine sleeps, as a server's clock does.
struct SuspendedClock: Sendable {
    /// The frame at `begin`.
    private var frame: UInt64
    private var begin: SuspendingClock.Instant
    /// In Hz.
    private var rate: Int

    init(frame: UInt64, rate: Int, now: SuspendingClock.Instant = .now) {
        (self.frame, self.rate, begin) = (frame, rate, now)
    }

    /// Returns the frame that begins at `now`, or before it.
    func frame(at now: SuspendingClock.Instant = .now) -> UInt64 {
        let (seconds, attoseconds) = (now - begin).components
        guard seconds >= 0, attoseconds >= 0 else { return frame }
        let fraction = Double(attoseconds) / 1e18 * Double(rate)
        return frame + UInt64(seconds) * UInt64(rate) + UInt64(fraction)
    }

    /// Continues at another rate.
    mutating func setRate(_ rate: Int, now: SuspendingClock.Instant = .now) {
        self = SuspendedClock(frame: frame(at: now), rate: rate, now: now)
    }
}
