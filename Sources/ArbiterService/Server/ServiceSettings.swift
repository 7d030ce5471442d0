public import SessionArbiter
public import SessionPolicy

/// How the arbiter's service runs, in addition to the settings of its decisions: leases, limits and
/// trusted programs.
public struct ServiceSettings: Hashable, Sendable, Codable {
    /// The settings of the decisions; these are reported to clients.
    public var arbiter = ArbiterSettings()
    /// Seconds without a client after which the service exits; 0 for never. Default 60. It does not
    /// exit while a session that belongs to no client exists, such as a call that was begun by the
    /// `audiosession` command.
    public var idleExit: Double = 60
    /// Seconds between pings. Default 1.
    public var pingInterval: Double = 1
    /// Seconds without an answer after which a client is disconnected (ACT-12). Default 5.
    public var leaseLimit: Double = 5
    /// Seconds that a new arbiter waits for the clients of the previous one (SRV-3). Default 0.5.
    public var rebuildLimit: Double = 0.5
    /// The absolute paths of programs that may begin calls, alarms and the assistant, and act for
    /// other apps. The programs that come with the service are trusted as well: `audiosession`,
    /// `audiosession-adopt`, `audiosession-desktop` and `player` in its own folder.
    public var trustedPrograms: [String] = []
    /// The system volume, 0…1, if the state of an earlier arbiter does not contain one (VOL-1).
    /// Default 1.
    public var volume: Float = 1
    /// The volume of ringing calls, likewise (VOL-2). Default 1.
    public var ringVolume: Float = 1
    /// Permissions to record by absolute path of the program. They apply to programs for which the
    /// user has not been asked yet (PERM-2).
    public var recordPermissions: [String: RecordPermission] = [:]
    /// Whether what plays is shown on the desktop's media control, and its commands are received
    /// (REMOTE-1, REMOTE-3). Default true.
    public var servesMediaControl = true
    /// Which events of the desktop are reported.
    public var desktop = DesktopSettings()
    /// How programs that do not use this library are adopted.
    public var adoption = AdoptionSettings()
    public var limits = Limits()

    public init() {}

    /// The resources of the service that one client, or all clients, may use.
    public struct Limits: Hashable, Sendable, Codable {
        /// Connections at a time. Default 512.
        public var clients = 512
        /// Connections of one process at a time. Default 32.
        public var clientsPerApp = 32
        /// Sessions of one process. Default 64.
        public var sessionsPerApp = 64
        /// Sessions in total. Default 1,024.
        public var sessions = 1_024
        /// Messages per second of one client, on average; further messages are refused. Default
        /// 2,000.
        public var messagesPerSecond = 2_000
        /// Bytes that may be queued for a slow reader; a client that exceeds this is disconnected.
        /// Default 262,144.
        public var queuedBytes = 262_144

        public init() {}
    }
}
