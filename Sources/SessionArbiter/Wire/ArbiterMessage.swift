public import SessionPolicy

/// What the arbiter says to a client: one JSON object a packet. Documentation/Protocol.md has an example of each.
public enum ArbiterMessage: Hashable, Sendable {
    /// To the request of this serial. With a gate's descriptor after `register` and `restore`.
    case reply(UInt64, Reply)
    /// Nothing has changed by the request of this serial.
    case failure(UInt64, RequestError)
    /// The reply to the request of this serial is in the file of the descriptor that comes with it.
    case long(UInt64)
    case notice(SessionNotice)
    /// A session of the client's is as told from now on.
    case status(SessionNews)
    /// The client's own app.
    case application(AppState)
    case devices([Device])
    case hardware(HardwareWish)
    /// To be answered with `pong`.
    case ping(UInt64)
    /// To who follows the log.
    case decision(Decision)
}

/// All that a client keeps of a session of its own.
public struct SessionNews: Hashable, Sendable, Codable {
    public var status: SessionStatus
    /// When it was granted, and its place among those who wait to be: for the next arbiter (SRV-3).
    public var grant: UInt64
    public var pending: UInt64?

    public init(status: SessionStatus, grant: UInt64, pending: UInt64? = nil) {
        self.status = status
        self.grant = grant
        self.pending = pending
    }
}

/// What a request is answered with; which fields there are depends on the request.
public struct Reply: Hashable, Sendable, Codable {
    public var welcome: Welcome?
    /// The number of a new session.
    public var session: SessionID?
    public var report: ArbiterReport?
    public var decisions: [Decision]?
    public var history: DecisionHistory?
    /// By program.
    public var permissions: [String: RecordPermission]?

    public init() {}

    /// To `hello`.
    public struct Welcome: Hashable, Sendable, Codable {
        /// Of the protocol.
        public var version = ArbiterProtocol.version
        /// Tells this arbiter from those before and after it.
        public var arbiter: UInt64
        /// The client, as an app.
        public var app: AppID
        /// Whether it may speak for the system and for other apps.
        public var isTrusted: Bool
        public var settings: ArbiterSettings

        public init(arbiter: UInt64, app: AppID, isTrusted: Bool, settings: ArbiterSettings) {
            self.arbiter = arbiter
            self.app = app
            self.isTrusted = isTrusted
            self.settings = settings
        }
    }
}

/// Why a request was not done.
public struct RequestError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    public enum Code: String, Hashable, Sendable, Codable {
        /// A rule says no: see `refusal`.
        case refused
        /// Not a message of this protocol, or one out of its turn.
        case malformed
        /// Not this client's to ask.
        case notPermitted
        /// Too many sessions, messages, bytes.
        case limit
        /// The machine cannot serve.
        case unavailable
    }

    public var code: Code
    /// What was asked, what is so, what to do.
    public var message: String
    public var refusal: Refusal?

    public init(_ code: Code, _ message: String, refusal: Refusal? = nil) {
        self.code = code
        self.message = message
        self.refusal = refusal
    }

    public init(_ refusal: Refusal) { self.init(.refused, refusal.description, refusal: refusal) }

    public var description: String { message }
}

extension ArbiterMessage: Codable {
    private enum Key: CodingKey {
        case reply, error, long, notice, status, application, devices, hardware, ping, decision
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        if values.contains(.reply) {
            let serial = try values.decode(UInt64.self, forKey: .reply)
            if let error = try values.decodeIfPresent(RequestError.self, forKey: .error) {
                self = .failure(serial, error)
            } else if values.contains(.long) {
                self = .long(serial)
            } else {
                self = .reply(serial, try Reply(from: decoder))
            }
            return
        }
        switch values.allKeys.first {
        case .notice: self = .notice(try values.decode(SessionNotice.self, forKey: .notice))
        case .status: self = .status(try SessionNews(from: decoder))
        case .application: self = .application(try values.decode(AppState.self, forKey: .application))
        case .devices: self = .devices(try values.decode([Device].self, forKey: .devices))
        case .hardware: self = .hardware(try values.decode(HardwareWish.self, forKey: .hardware))
        case .ping: self = .ping(try values.decode(UInt64.self, forKey: .ping))
        case .decision: self = .decision(try values.decode(Decision.self, forKey: .decision))
        case .reply, .error, .long, nil:
            throw DecodingError.dataCorrupted(
                .init(codingPath: values.codingPath, debugDescription: "This is no message of an arbiter's."))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        switch self {
        case .reply(let serial, let reply):
            try values.encode(serial, forKey: .reply)
            try reply.encode(to: encoder)
        case .failure(let serial, let error):
            try values.encode(serial, forKey: .reply)
            try values.encode(error, forKey: .error)
        case .long(let serial):
            try values.encode(serial, forKey: .reply)
            try values.encode(true, forKey: .long)
        case .notice(let notice): try values.encode(notice, forKey: .notice)
        case .status(let news): try news.encode(to: encoder)
        case .application(let app): try values.encode(app, forKey: .application)
        case .devices(let devices): try values.encode(devices, forKey: .devices)
        case .hardware(let wish): try values.encode(wish, forKey: .hardware)
        case .ping(let number): try values.encode(number, forKey: .ping)
        case .decision(let decision): try values.encode(decision, forKey: .decision)
        }
    }
}
