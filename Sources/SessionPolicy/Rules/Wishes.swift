/// What the hardware is to be asked for, settled among the active sessions (HW-2).
extension PolicyState {
    /// The shortest wish in seconds; nil when nobody asks.
    public var settledIOBufferDuration: Double? {
        // Asked for every client that is told: over the sessions as they lie.
        sessions.lazy.filter { $0.isActive && $0.preferences.ioBufferDuration > 0 }
            .map(\.preferences.ioBufferDuration).min()
    }

    /// The newest primary session's wish in Hz; nil when nobody asks.
    public var settledSampleRate: Double? {
        // Most often nobody asks, which needs no order.
        guard sessions.contains(where: { $0.isActive && $0.preferences.sampleRate > 0 }) else { return nil }
        return active.last { $0.isPrimary && $0.preferences.sampleRate > 0 }?.preferences.sampleRate
    }
}
