public import SessionPolicy

/// All settings of an arbiter: one value with defaults. The reply to `hello` reports them to
/// clients.
public struct ArbiterSettings: Hashable, Sendable, Codable {
    /// The settings of the rules.
    public var policy = PolicySettings()
    /// How many decisions the log keeps (ACT-13), at least 1. Default 1,024.
    public var logCapacity = 1_024
    /// The user's descriptions of devices. The first that matches a device counts; there are at
    /// most `DeviceOverride.maximumCount`. Default none.
    public var deviceOverrides: [DeviceOverride] = []
    /// Whether recording continues when the recorder's input changes, instead of stopping
    /// (ROUTE-4). Default false.
    public var recordsThroughInputChange = false
    /// Whether the sessions of an app are reset when its audio server was lost and has returned, as
    /// on Apple's systems: the library in the app's process then submits `resetSessions`, and the
    /// app sets everything up again (SRV-2). Default false: the sessions continue as before.
    public var resetsSessionsWithServer = false
    /// How long all sessions of an app must be inactive before its engine is suspended, in seconds;
    /// 0: never. Default 5.
    public var suspendOnIdle: Double = 5

    public init() {}

    private enum CodingKeys: String, CodingKey {
        case policy, logCapacity, deviceOverrides, recordsThroughInputChange, resetsSessionsWithServer, suspendOnIdle
    }

    /// Values that an older arbiter does not send have their defaults.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        policy = try values.decode(PolicySettings.self, forKey: .policy)
        logCapacity = try values.decode(Int.self, forKey: .logCapacity)
        deviceOverrides = try values.decodeIfPresent([DeviceOverride].self, forKey: .deviceOverrides) ?? []
        recordsThroughInputChange =
            try values.decodeIfPresent(Bool.self, forKey: .recordsThroughInputChange) ?? false
        resetsSessionsWithServer =
            try values.decodeIfPresent(Bool.self, forKey: .resetsSessionsWithServer) ?? false
        suspendOnIdle = try values.decodeIfPresent(Double.self, forKey: .suspendOnIdle) ?? suspendOnIdle
    }
}
