public import SessionPolicy

/// A message from a client to the arbiter: one JSON object in a packet. Documentation/Protocol.md
/// has an example of each.
///
/// `{"serial": 3, "action": "activate", "session": 5}` requests a decision of the policy;
/// `{"serial": 1, "request": "hello", "version": 1}` requests a service of the arbiter itself.
public struct ClientMessage: Hashable, Sendable, Codable {
    /// Chosen by the client; each serial is greater than the previous one.
    public var serial: UInt64
    public var request: Request

    public init(serial: UInt64, _ request: Request) {
        self.serial = serial
        self.request = request
    }

    public enum Request: Hashable, Sendable {
        case hello(Hello)
        /// Announces the sessions of a client that has arbitrated for itself until now (SRV-3).
        case join(Join)
        /// Restores a session that was granted by an arbiter before this one, or by a client that
        /// joins (SRV-3).
        case restore(Restoration)
        /// Registers a new session. Only trusted programs may register one for another app (SIM-6).
        case register(app: AppID?)
        /// Submits an action, on which the policy decides.
        case submit(PolicyAction)
        /// Begins a session of the system (for trusted programs). If `isKept`, it outlives the
        /// client and the arbiter.
        case beginSystemSession(rank: Rank, isRinging: Bool, isKept: Bool)
        /// Reports the override of the period; nil if the server's own was restored.
        case bufferSizeOverride(BufferSizeOverride?)
        /// Reports the override of the sample rate; nil if the server's own was restored.
        case sampleRateOverride(SampleRateOverride?)
        /// Reads the permissions to record of all programs or of one, or sets one (for trusted
        /// programs).
        case permission(program: String?, RecordPermission?)
        /// Describes a session of the client; nil clears the description.
        case describe(SessionID, SessionDescription?)
        /// Requests everything that the arbiter knows.
        case report
        /// Requests the decisions after the given number, and with `follows` future ones.
        case log(after: UInt64, follows: Bool)
        /// Requests what is needed to replay the log.
        case history
        /// Requests which session receives remote commands, and what it publishes.
        case nowPlaying
        /// Requests the keys page, whose descriptor comes with the reply: the page in which clients
        /// state which sessions are audible (DUCK-2).
        case keys
        /// Requests a reply that the arbiter sends after everything that it has to report.
        case synchronise
        /// Answers a ping; has no reply itself.
        case pong(UInt64)
    }

    public struct Hello: Hashable, Sendable, Codable {
        /// The newest version of the protocol that the client supports.
        public var version = ArbiterProtocol.versions.upperBound
        /// The oldest one; nil if it is the same.
        public var oldestVersion: Int?
        /// The arbiter that reported the sessions to be restored; nil if there are none.
        public var arbiter: UInt64?
        /// The number of `restore` requests that follow.
        public var restoring: Int = 0
        /// The state of the client's app as that arbiter reported it; nil if it reported none.
        public var application: AppState?

        private enum CodingKeys: String, CodingKey { case version, oldestVersion, arbiter, restoring, application }

        public init(arbiter: UInt64? = nil, restoring: Int = 0, application: AppState? = nil) {
            self.arbiter = arbiter
            self.restoring = restoring
            self.application = application
        }

        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            version = try values.decode(Int.self, forKey: .version)
            oldestVersion = try values.decodeIfPresent(Int.self, forKey: .oldestVersion)
            arbiter = try values.decodeIfPresent(UInt64.self, forKey: .arbiter)
            restoring = try values.decodeIfPresent(Int.self, forKey: .restoring) ?? 0
            application = try values.decodeIfPresent(AppState.self, forKey: .application)
        }
    }

    /// What a client that joins knows of its app. Its sessions follow, one `restore` for each.
    public struct Join: Hashable, Sendable, Codable {
        /// The number of `restore` requests that follow.
        public var restoring: Int
        public var application: AppState
        /// The override of the period that this client has made; nil if there is none.
        public var bufferSizeOverride: BufferSizeOverride?
        /// The override of the sample rate that this client has made; nil if there is none.
        public var sampleRateOverride: SampleRateOverride?

        private enum CodingKeys: String, CodingKey {
            case restoring, application
            case bufferSizeOverride = "loan"
            case sampleRateOverride = "rateLoan"
        }

        public init(
            restoring: Int, application: AppState, bufferSizeOverride: BufferSizeOverride? = nil,
            sampleRateOverride: SampleRateOverride? = nil
        ) {
            self.restoring = restoring
            self.application = application
            self.bufferSizeOverride = bufferSizeOverride
            self.sampleRateOverride = sampleRateOverride
        }
    }

    public struct Restoration: Hashable, Sendable, Codable {
        /// The session as it was last reported.
        public var record: SessionRecord
        /// The words in the session's gate.
        public var gate: GateWords

        public init(record: SessionRecord, gate: GateWords) {
            self.record = record
            self.gate = gate
        }
    }
}

/// The values on which both sides agree.
public enum ArbiterProtocol {
    /// The versions of the protocol that this library supports.
    public static let versions = 1...1
    /// The maximum size of a packet in bytes.
    public static let packetLimit = 65_536
    /// Seconds within which an arbiter replies.
    public static let replyTimeout = 2.0

    /// The versions as words: "version 1", "versions 1 to 3".
    public static var supportedVersions: String {
        let (oldest, newest) = (versions.lowerBound, versions.upperBound)
        return oldest == newest ? "version \(newest)" : "versions \(oldest) to \(newest)"
    }

    /// Returns the newest version that a client and an arbiter with these versions have in common;
    /// nil if there is none.
    public static func version(for hello: ClientMessage.Hello, of versions: ClosedRange<Int> = versions) -> Int? {
        let newest = min(hello.version, versions.upperBound)
        let oldest = max(hello.oldestVersion ?? hello.version, versions.lowerBound)
        return newest >= oldest ? newest : nil
    }
}

extension ClientMessage {
    private enum Key: CodingKey {
        case serial, request, action
        case app, rank, isRinging, isKept, loan, program, permission, session, description, after, follows, ping
    }

    private enum Name: String, Codable {
        case hello, join, restore, register, beginSystemSession, loan, rateLoan, permission, describe, report, log,
            history, nowPlaying, keys, synchronise, pong
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        serial = try values.decode(UInt64.self, forKey: .serial)
        guard values.contains(.request) else {
            request = .submit(try PolicyAction(from: decoder))
            return
        }
        switch try values.decode(Name.self, forKey: .request) {
        case .hello: request = .hello(try Hello(from: decoder))
        case .join: request = .join(try Join(from: decoder))
        case .restore: request = .restore(try Restoration(from: decoder))
        case .register: request = .register(app: try values.decodeIfPresent(AppID.self, forKey: .app))
        case .beginSystemSession:
            request = .beginSystemSession(
                rank: try values.decode(Rank.self, forKey: .rank),
                isRinging: try values.decodeIfPresent(Bool.self, forKey: .isRinging) ?? false,
                isKept: try values.decodeIfPresent(Bool.self, forKey: .isKept) ?? false)
        case .loan: request = .bufferSizeOverride(try values.decodeIfPresent(BufferSizeOverride.self, forKey: .loan))
        case .rateLoan:
            request = .sampleRateOverride(try values.decodeIfPresent(SampleRateOverride.self, forKey: .loan))
        case .permission:
            request = .permission(
                program: try values.decodeIfPresent(String.self, forKey: .program),
                try values.decodeIfPresent(RecordPermission.self, forKey: .permission))
        case .describe:
            request = .describe(
                try values.decode(SessionID.self, forKey: .session),
                try values.decodeIfPresent(SessionDescription.self, forKey: .description))
        case .report: request = .report
        case .log:
            request = .log(
                after: try values.decodeIfPresent(UInt64.self, forKey: .after) ?? 0,
                follows: try values.decodeIfPresent(Bool.self, forKey: .follows) ?? false)
        case .history: request = .history
        case .nowPlaying: request = .nowPlaying
        case .keys: request = .keys
        case .synchronise: request = .synchronise
        case .pong: request = .pong(try values.decode(UInt64.self, forKey: .ping))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(serial, forKey: .serial)
        func name(_ name: Name) throws { try values.encode(name, forKey: .request) }
        switch request {
        case .submit(let action): try action.encode(to: encoder)
        case .hello(let hello):
            try name(.hello)
            try hello.encode(to: encoder)
        case .join(let join):
            try name(.join)
            try join.encode(to: encoder)
        case .restore(let restoration):
            try name(.restore)
            try restoration.encode(to: encoder)
        case .register(let app):
            try name(.register)
            try values.encodeIfPresent(app, forKey: .app)
        case .beginSystemSession(let rank, let isRinging, let isKept):
            try name(.beginSystemSession)
            try values.encode(rank, forKey: .rank)
            try values.encode(isRinging, forKey: .isRinging)
            try values.encode(isKept, forKey: .isKept)
        case .bufferSizeOverride(let change):
            try name(.loan)
            try values.encodeIfPresent(change, forKey: .loan)
        case .sampleRateOverride(let change):
            try name(.rateLoan)
            try values.encodeIfPresent(change, forKey: .loan)
        case .permission(let program, let permission):
            try name(.permission)
            try values.encodeIfPresent(program, forKey: .program)
            try values.encodeIfPresent(permission, forKey: .permission)
        case .describe(let session, let description):
            try name(.describe)
            try values.encode(session, forKey: .session)
            try values.encodeIfPresent(description, forKey: .description)
        case .report: try name(.report)
        case .log(let after, let follows):
            try name(.log)
            try values.encode(after, forKey: .after)
            try values.encode(follows, forKey: .follows)
        case .history: try name(.history)
        case .nowPlaying: try name(.nowPlaying)
        case .keys: try name(.keys)
        case .synchronise: try name(.synchronise)
        case .pong(let ping):
            try name(.pong)
            try values.encode(ping, forKey: .ping)
        }
    }
}
