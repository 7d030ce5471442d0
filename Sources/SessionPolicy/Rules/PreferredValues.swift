/// The values to request from the hardware: the preferred values of the active sessions, resolved
/// into one for each property (HW-2).
extension PolicyState {
    /// The shortest preferred I/O buffer duration in seconds; nil if no active session prefers one.
    public var resolvedIOBufferDuration: Double? {
        // Evaluated for every client that is notified, so this iterates over the sessions in
        // storage order.
        sessions.lazy.filter { $0.isActive && $0.preferences.ioBufferDuration > 0 }
            .map(\.preferences.ioBufferDuration).min()
    }

    /// The preferred sample rate in Hz of the newest primary session that has one; nil if none has.
    public var resolvedSampleRate: Double? {
        // Usually no session prefers a rate; then the order of activation is not needed.
        guard sessions.contains(where: { $0.isActive && $0.preferences.sampleRate > 0 }) else { return nil }
        return active.last { $0.isPrimary && $0.preferences.sampleRate > 0 }?.preferences.sampleRate
    }
}
