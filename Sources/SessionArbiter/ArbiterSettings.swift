public import SessionPolicy

/// All settings of an arbiter: one value with defaults.
public struct ArbiterSettings: Hashable, Sendable, Codable {
    /// The settings of the rules.
    public var policy = PolicySettings()
    /// How many decisions the log keeps (ACT-13), at least 1. Default 1,024.
    public var logCapacity = 1_024

    public init() {}
}
