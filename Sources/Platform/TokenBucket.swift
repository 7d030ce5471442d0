/// A rate limit: a bucket that holds up to `capacity` tokens, is full at first, and is refilled at
/// a constant rate.
package struct TokenBucket: Sendable {
    private let perSecond: Double
    private let capacity: Double
    private var left: Double
    private var since: Double?

    /// Adds `perSecond` tokens a second, up to `capacity`.
    package init(perSecond: Double, capacity: Double) {
        self.perSecond = perSecond
        self.capacity = capacity
        left = capacity
    }

    /// Takes `cost` tokens at `time`, in seconds. Returns false, and takes none, if less than one
    /// token is left. More than all may be taken: the bucket then stays empty for longer.
    package mutating func take(_ cost: Double, at time: Double) -> Bool {
        left = min(capacity, left + (time - (since ?? time)) * perSecond)
        since = time
        guard left >= 1 else { return false }
        left -= cost
        return true
    }

    /// Takes a cost that is known only afterwards, even if it exceeds the tokens left; the debt is
    /// limited to `capacity`.
    package mutating func charge(_ cost: Double) { left = max(left - cost, -capacity) }
}
