extension UInt64? {
    /// The time of a command for the core: a frame of the engine's clock, and 0, the next period,
    /// for nil. The core takes times from 2^63 on for beats, so later frames become the last one
    /// before.
    var commandTime: UInt64 { min(self ?? 0, UInt64(Int64.max)) }
}
