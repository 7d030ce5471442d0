/// The last reported state of a session, which its client passes to the next arbiter after its own
/// has died (SRV-3).
public struct SessionRecord: Hashable, Sendable, Codable {
    public var session: SessionState
    /// The number of the session's last grant; 0 if it was never granted. The activations of all
    /// sessions are numbered in one order, across all arbiters.
    public var grantNumber: UInt64
    /// The number of the session's pending request for activation (ACT-14), from the same sequence;
    /// nil if it has none.
    public var pending: UInt64?
    /// The state of the session's app; the same in all records of an app.
    public var app: AppState
    /// The grant that the session held, so that it is notified if its grant differs now; nil if
    /// that is not known.
    public var resolvedGrant: ResolvedGrant?

    private enum CodingKeys: String, CodingKey {
        case session, pending, app
        case grantNumber = "grant"
        case resolvedGrant = "standing"
    }

    public init(
        session: SessionState, grantNumber: UInt64, pending: UInt64? = nil, app: AppState,
        resolvedGrant: ResolvedGrant? = nil
    ) {
        self.session = session
        self.grantNumber = grantNumber
        self.pending = pending
        self.app = app
        self.resolvedGrant = resolvedGrant
    }
}

/// The state that belongs to the arbiter itself and outlives it in its state file (SRV-3).
public struct SystemRecord: Hashable, Sendable, Codable {
    /// The system's sessions, and simulated apps.
    public var sessions: [SessionRecord] = []
    /// The state of apps without sessions; the state of the others is in their records.
    public var apps: [AppState] = []
    /// In the order in which they were plugged in.
    public var devices: [AudioDevice] = []
    public var pickedOutput: String?
    public var pickedInput: String?
    public var silentSwitch = PolicyState.Switch()
    public var microphoneMute = PolicyState.Switch()
    public var isScreenLocked = false
    public var isDoNotDisturbOn = false
    /// 0…1.
    public var volume: Float = 1
    /// 0…1.
    public var ringVolume: Float = 1
    /// No earlier grant has a higher number. The next arbiter continues above it, so that a client
    /// that returns late counts as granted before all sessions that are granted from then on.
    public var reservedGrants: UInt64 = 0

    /// Creates the record of an arbiter that has just started.
    public init() {}
}
