public import SessionPolicy

/// How the arbiter's service runs, beside what it decides by: leases, limits, who is trusted.
public struct ServiceSettings: Hashable, Sendable, Codable {
    /// What it decides by; clients are told.
    public var arbiter = ArbiterSettings()
    /// Seconds without a client after which it leaves; 0: never. Default 60. It stays while something of its own goes on, such as a call begun
    /// by the switchboard.
    public var idleExit: Double = 60
    /// Seconds from ping to ping. Default 1.
    public var pingInterval: Double = 1
    /// Seconds without an answer after which a client is cut off (ACT-12). Default 5.
    public var leaseLimit: Double = 5
    /// Seconds that a new arbiter waits for the clients of the one before it (SRV-3). Default 0.5.
    public var rebuildLimit: Double = 0.5
    /// Programs, by absolute path, that may begin calls, alarms and the assistant, and speak for other apps; beside those that come with the
    /// service: `audiosession` and `player` in its own folder.
    public var trustedPrograms: [String] = []
    /// The system volume, 0…1, where no state of an earlier arbiter says another (VOL-1). Default 1.
    public var volume: Float = 1
    /// The volume of ringing, likewise (VOL-2). Default 1.
    public var ringVolume: Float = 1
    /// Answers to programs that want to record, by absolute path; they count where the user was not asked yet (PERM-2).
    public var recordPermissions: [String: RecordPermission] = [:]
    public var limits = Limits()

    public init() {}

    /// What one client, or all, may take of the service.
    public struct Limits: Hashable, Sendable, Codable {
        /// Connections at a time. Default 512.
        public var clients = 512
        /// Of these, connections of one process. Default 32.
        public var clientsPerApp = 32
        /// Sessions of one process. Default 64.
        public var sessionsPerApp = 64
        /// Sessions in all. Default 1,024.
        public var sessions = 1_024
        /// Messages a second of one client, on average; more are refused. Default 2,000.
        public var messagesPerSecond = 2_000
        /// Bytes that wait for a slow reader; more, and it is cut off. Default 262,144.
        public var queuedBytes = 262_144

        public init() {}
    }
}
