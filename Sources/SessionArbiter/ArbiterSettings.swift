public import SessionPolicy

/// All settings of an arbiter: one value with defaults. Clients are told them in the reply to `hello`.
public struct ArbiterSettings: Hashable, Sendable, Codable {
    /// The settings of the rules.
    public var policy = PolicySettings()
    /// How many decisions the log keeps (ACT-13), at least 1. Default 1,024.
    public var logCapacity = 1_024
    /// What the user says of devices, the first that suits a device counts; at most `DeviceOverride.most`. Default none.
    public var deviceOverrides: [DeviceOverride] = []
    /// Whether a recorder goes on when its input becomes another one, instead of stopping (ROUTE-4). Default false.
    public var recordsThroughInputChange = false
    /// Whether the sessions of an app are reset when its media server was lost and is back, as Apple has it: the app sets everything up
    /// again (SRV-2). Whoever serves the app then says `resetSessions`. Default false: all goes on as it was.
    public var resetsSessionsWithServer = false

    public init() {}

    private enum CodingKeys: String, CodingKey {
        case policy, logCapacity, deviceOverrides, recordsThroughInputChange, resetsSessionsWithServer
    }

    /// What an older arbiter does not say is by default.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        policy = try values.decode(PolicySettings.self, forKey: .policy)
        logCapacity = try values.decode(Int.self, forKey: .logCapacity)
        deviceOverrides = try values.decodeIfPresent([DeviceOverride].self, forKey: .deviceOverrides) ?? []
        recordsThroughInputChange =
            try values.decodeIfPresent(Bool.self, forKey: .recordsThroughInputChange) ?? false
        resetsSessionsWithServer =
            try values.decodeIfPresent(Bool.self, forKey: .resetsSessionsWithServer) ?? false
    }
}
