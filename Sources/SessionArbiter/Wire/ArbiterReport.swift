public import SessionPolicy

/// Everything that an arbiter knows at one moment, for tools.
public struct ArbiterReport: Hashable, Sendable, Codable {
    /// Distinguishes this arbiter from those before and after it.
    public var arbiter: UInt64
    public var process: Int32
    /// Seconds since the arbiter started.
    public var uptime: Double
    /// The settings: those read from the file, and the defaults of the others.
    public var settings: ArbiterSettings
    /// The number of the last decision.
    public var decisions: UInt64
    public var clients: [Client]
    public var sessions: [SessionUpdate]
    public var system: SystemRecord
    public var apps: [AppState]
    public var hardware: HardwareRequest
    /// The session that receives remote commands; nil if none does (REMOTE-2).
    public var nowPlaying: SessionID?
    /// The programs for which another one has registered sessions. Nil from an arbiter that does
    /// not report them.
    public var adopted: [Adopted]?
    /// What clients say about their sessions. Nil from an arbiter that does not report it.
    public var descriptions: [Description]?

    package init(
        arbiter: UInt64, process: Int32, uptime: Double, settings: ArbiterSettings, decisions: UInt64,
        clients: [Client], sessions: [SessionUpdate], system: SystemRecord, apps: [AppState],
        hardware: HardwareRequest, nowPlaying: SessionID? = nil, adopted: [Adopted]? = nil,
        descriptions: [Description]? = nil
    ) {
        self.arbiter = arbiter
        self.process = process
        self.uptime = uptime
        self.settings = settings
        self.decisions = decisions
        self.clients = clients
        self.sessions = sessions
        self.system = system
        self.apps = apps
        self.hardware = hardware
        self.nowPlaying = nowPlaying
        self.adopted = adopted
        self.descriptions = descriptions
    }

    /// A program that is no client itself.
    public struct Adopted: Hashable, Sendable, Codable {
        public var app: AppID
        /// The path of its executable; empty if it is not known.
        public var program: String
        /// The client that acts for it.
        public var by: AppID

        public init(app: AppID, program: String, by: AppID) {
            self.app = app
            self.program = program
            self.by = by
        }
    }

    /// A session that its client has described.
    public struct Description: Hashable, Sendable, Codable {
        public var session: SessionID
        public var description: SessionDescription

        public init(session: SessionID, description: SessionDescription) {
            self.session = session
            self.description = description
        }
    }

    public struct Client: Hashable, Sendable, Codable {
        public var app: AppID
        public var process: Int32
        /// The path of the client's executable; empty if it is not known.
        public var program: String
        public var isTrusted: Bool
        /// False if a ping has been unanswered for two ping intervals.
        public var isAnswering: Bool

        public init(app: AppID, process: Int32, program: String, isTrusted: Bool, isAnswering: Bool) {
            self.app = app
            self.process = process
            self.program = program
            self.isTrusted = isTrusted
            self.isAnswering = isAnswering
        }
    }
}

/// Everything that a client keeps about one of its sessions.
public struct SessionUpdate: Hashable, Sendable, Codable {
    public var status: SessionStatus
    /// The number of the session's last grant, and in `pending` the number of its pending request
    /// for activation, nil if none. The next arbiter needs them (SRV-3).
    public var grantNumber: UInt64
    public var pending: UInt64?

    private enum CodingKeys: String, CodingKey {
        case status, pending
        case grantNumber = "grant"
    }

    public init(status: SessionStatus, grantNumber: UInt64, pending: UInt64? = nil) {
        self.status = status
        self.grantNumber = grantNumber
        self.pending = pending
    }
}
