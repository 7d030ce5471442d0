public import SessionPolicy

/// What a client says to the arbiter: one JSON object a packet. Documentation/Protocol.md has an example of each.
///
/// `{"serial": 3, "action": "activate", "session": 5}` asks for a decision of the policy; `{"serial": 1, "request": "hello", "version": 1}`
/// for something of the arbiter itself.
public struct ClientMessage: Hashable, Sendable, Codable {
    /// Chosen by the client, each above the last.
    public var serial: UInt64
    public var request: Request

    public init(serial: UInt64, _ request: Request) {
        self.serial = serial
        self.request = request
    }

    public enum Request: Hashable, Sendable {
        case hello(Hello)
        /// A session that was granted by an arbiter before this one (SRV-3).
        case restore(Restoration)
        /// A new session; of another app than the client's own only for trusted programs (SIM-6).
        case register(app: AppID?)
        /// The policy decides.
        case submit(PolicyAction)
        /// A session of the system's begins; `isKept`: it outlives the client, and the arbiter (for trusted programs).
        case beginSystemSession(rank: Rank, isRinging: Bool, isKept: Bool)
        /// What was done about the wish for a period; nil: it was given back.
        case loan(PeriodLoan?)
        /// The same of the rate.
        case rateLoan(RateLoan?)
        /// A program's permission to record: reads all, or sets one (for trusted programs).
        case permission(program: String?, RecordPermission?)
        /// All that the arbiter knows.
        case report
        /// Decisions after the number given, and with `follows` those to come.
        case log(after: UInt64, follows: Bool)
        /// What is needed to replay the log.
        case history
        /// Answered once all that was told before has been sent.
        case synchronise
        /// The answer to a ping; itself not answered.
        case pong(UInt64)
    }

    public struct Hello: Hashable, Sendable, Codable {
        /// Of the protocol.
        public var version = ArbiterProtocol.version
        /// The arbiter of whom the sessions to be restored were told; nil: none are.
        public var arbiter: UInt64?
        /// How many `restore` follow.
        public var restoring: Int = 0
        /// What that arbiter told of the client's app; nil: nothing.
        public var application: AppState?

        public init(arbiter: UInt64? = nil, restoring: Int = 0, application: AppState? = nil) {
            self.arbiter = arbiter
            self.restoring = restoring
            self.application = application
        }

        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            version = try values.decode(Int.self, forKey: .version)
            arbiter = try values.decodeIfPresent(UInt64.self, forKey: .arbiter)
            restoring = try values.decodeIfPresent(Int.self, forKey: .restoring) ?? 0
            application = try values.decodeIfPresent(AppState.self, forKey: .application)
        }
    }

    public struct Restoration: Hashable, Sendable, Codable {
        /// As it was last told.
        public var record: SessionRecord
        /// The words in its gate.
        public var gate: GateWords

        public init(record: SessionRecord, gate: GateWords) {
            self.record = record
            self.gate = gate
        }
    }
}

/// What holds for both sides.
public enum ArbiterProtocol {
    public static let version = 1
    /// Bytes of a packet.
    public static let packetLimit = 65_536
}

/// Both words of a gate's page, as they are in memory.
public struct GateWords: Hashable, Sendable, Codable {
    public var verdict: UInt64
    public var volume: UInt64

    public init(verdict: UInt64, volume: UInt64) {
        self.verdict = verdict
        self.volume = volume
    }
}

extension ClientMessage {
    private enum Key: CodingKey {
        case serial, request, action
        case app, rank, isRinging, isKept, loan, program, permission, after, follows, ping
    }

    private enum Name: String, Codable {
        case hello, restore, register, beginSystemSession, loan, rateLoan, permission, report, log, history,
            synchronise, pong
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
        case .restore: request = .restore(try Restoration(from: decoder))
        case .register: request = .register(app: try values.decodeIfPresent(AppID.self, forKey: .app))
        case .beginSystemSession:
            request = .beginSystemSession(
                rank: try values.decode(Rank.self, forKey: .rank),
                isRinging: try values.decodeIfPresent(Bool.self, forKey: .isRinging) ?? false,
                isKept: try values.decodeIfPresent(Bool.self, forKey: .isKept) ?? false)
        case .loan: request = .loan(try values.decodeIfPresent(PeriodLoan.self, forKey: .loan))
        case .rateLoan: request = .rateLoan(try values.decodeIfPresent(RateLoan.self, forKey: .loan))
        case .permission:
            request = .permission(
                program: try values.decodeIfPresent(String.self, forKey: .program),
                try values.decodeIfPresent(RecordPermission.self, forKey: .permission))
        case .report: request = .report
        case .log:
            request = .log(
                after: try values.decodeIfPresent(UInt64.self, forKey: .after) ?? 0,
                follows: try values.decodeIfPresent(Bool.self, forKey: .follows) ?? false)
        case .history: request = .history
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
        case .loan(let loan):
            try name(.loan)
            try values.encodeIfPresent(loan, forKey: .loan)
        case .rateLoan(let loan):
            try name(.rateLoan)
            try values.encodeIfPresent(loan, forKey: .loan)
        case .permission(let program, let permission):
            try name(.permission)
            try values.encodeIfPresent(program, forKey: .program)
            try values.encodeIfPresent(permission, forKey: .permission)
        case .report: try name(.report)
        case .log(let after, let follows):
            try name(.log)
            try values.encode(after, forKey: .after)
            try values.encode(follows, forKey: .follows)
        case .history: try name(.history)
        case .synchronise: try name(.synchronise)
        case .pong(let ping):
            try name(.pong)
            try values.encode(ping, forKey: .ping)
        }
    }
}
