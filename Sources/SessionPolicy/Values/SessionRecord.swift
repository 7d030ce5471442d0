/// What the client of a session hands the next arbiter when its own has died: the last that it was told (SRV-3).
public struct SessionRecord: Hashable, Sendable, Codable {
    public var session: SessionState
    /// When it was granted last: activations of all sessions in one order, over all arbiters; 0: never.
    public var grant: UInt64
    /// Its place among those who asked to wait (ACT-14), in the same order of numbers; nil: it did not.
    public var pending: UInt64?
    /// What is known of its app; the same in all records of an app.
    public var app: AppState
    /// What it was granted, so that it is told if it is granted something else now; nil when nobody knows.
    public var standing: Standing?

    public init(
        session: SessionState, grant: UInt64, pending: UInt64? = nil, app: AppState, standing: Standing? = nil
    ) {
        self.session = session
        self.grant = grant
        self.pending = pending
        self.app = app
        self.standing = standing
    }
}

/// What belongs to the arbiter itself, and outlives it in its state file (SRV-3).
public struct SystemRecord: Hashable, Sendable, Codable {
    /// The system's sessions, and stand-in apps.
    public var sessions: [SessionRecord] = []
    /// What is known of apps that hold no session; the others' is in their records.
    public var apps: [AppState] = []
    /// In the order in which they were plugged in.
    public var devices: [Device] = []
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
    /// No grant has a higher number: whoever comes late, with a record of then, comes before all that is granted from now on.
    public var reservedGrants: UInt64 = 0

    /// Of an arbiter that has just begun.
    public init() {}
}

extension PolicyState {
    /// What the client of a session is to hold, with the standing that it was told; nil when the session is unknown.
    public func record(of id: SessionID, _ order: GrantOrder, standing: Standing? = nil) -> SessionRecord? {
        guard let session = self[id] else { return nil }
        return SessionRecord(
            session: session, grant: order.grant(of: id), pending: order.pending(of: id), app: app(session.app),
            standing: standing)
    }

    /// What the arbiter itself is to hold.
    public func systemRecord(_ order: GrantOrder) -> SystemRecord {
        var record = SystemRecord()
        record.sessions = sessions.filter { $0.app == .system }.compactMap { self.record(of: $0.id, order) }
        let holders = Set(sessions.map(\.app))
        record.apps = apps.filter { !holders.contains($0.id) }
        record.devices = devices
        record.pickedOutput = pickedOutput
        record.pickedInput = pickedInput
        record.silentSwitch = silentSwitch
        record.microphoneMute = microphoneMute
        record.isScreenLocked = isScreenLocked
        record.isDoNotDisturbOn = isDoNotDisturbOn
        record.volume = volume
        record.ringVolume = ringVolume
        record.reservedGrants = order.reserved
        return record
    }
}
