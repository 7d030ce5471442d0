public import SessionPolicy

/// A message from the arbiter to a client: one JSON object in a packet. Documentation/Protocol.md
/// has an example of each.
public enum ArbiterMessage: Hashable, Sendable {
    /// The reply to the request with this serial. After `register` and `restore`, a gate's
    /// descriptor comes with it, and after `keys` that of the keys page.
    case reply(UInt64, Reply)
    /// The request with this serial failed and has changed nothing. Serial 0 stands for a packet
    /// without a readable serial, and for a connection that is refused.
    case failure(UInt64, RequestError)
    /// The reply to the request with this serial is in the file whose descriptor comes with this
    /// message.
    case long(UInt64)
    case notice(SessionNotice)
    /// The state of one of the client's sessions from now on.
    case status(SessionUpdate)
    /// The state of the client's own app.
    case application(AppState)
    case devices([AudioDevice])
    case hardware(HardwareRequest)
    /// A request to answer with `pong`.
    case ping(UInt64)
    /// A decision, for clients that follow the log.
    case decision(Decision)
}

/// The reply to a request; the request determines which fields are present.
public struct Reply: Hashable, Sendable, Codable {
    public var welcome: Welcome?
    /// The number of a new session.
    public var session: SessionID?
    public var report: ArbiterReport?
    public var decisions: [Decision]?
    public var history: DecisionHistory?
    public var nowPlaying: NowPlayingReport?
    /// By program.
    public var permissions: [String: RecordPermission]?

    public init() {}

    /// The reply to `nowPlaying`.
    public struct NowPlayingReport: Hashable, Sendable, Codable {
        /// Whether any session handles remote commands.
        public var isUsed: Bool
        /// The session that receives them; nil if none does (REMOTE-2).
        public var session: SessionState?
        /// The path of that session's program; nil if it is not known.
        public var program: String?

        public init(isUsed: Bool, session: SessionState? = nil, program: String? = nil) {
            self.isUsed = isUsed
            self.session = session
            self.program = program
        }
    }

    /// The reply to `hello`.
    public struct Welcome: Hashable, Sendable, Codable {
        /// The version of the protocol in which both sides continue.
        public var version: Int
        /// Distinguishes this arbiter from those before and after it.
        public var arbiter: UInt64
        /// The client's id as an app.
        public var app: AppID
        /// Whether the client may act for the system and for other apps.
        public var isTrusted: Bool
        public var settings: ArbiterSettings

        public init(
            version: Int = ArbiterProtocol.versions.upperBound, arbiter: UInt64, app: AppID, isTrusted: Bool,
            settings: ArbiterSettings
        ) {
            self.version = version
            self.arbiter = arbiter
            self.app = app
            self.isTrusted = isTrusted
            self.settings = settings
        }
    }
}

/// Why a request was not carried out.
public struct RequestError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    public enum Code: String, Hashable, Sendable, Codable {
        /// A rule refused: see `refusal`.
        case refused
        /// Not a message of this protocol, or a message out of order.
        case malformed
        /// The client may not request this.
        case notPermitted
        /// Too many sessions, messages or bytes.
        case limit
        /// The system lacks resources.
        case unavailable
    }

    public var code: Code
    /// States what was requested, why it failed, and what to do.
    public var message: String
    public var refusal: Refusal?

    public init(_ code: Code, _ message: String, refusal: Refusal? = nil) {
        self.code = code
        self.message = message
        self.refusal = refusal
    }

    private enum CodingKeys: String, CodingKey { case code, message, refusal }

    /// Decodes an error that may be of a later version: a code that is not known counts as
    /// `unavailable`, and of a refusal that is not known only the message remains.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        code = Code(rawValue: try values.decode(String.self, forKey: .code)) ?? .unavailable
        message = try values.decode(String.self, forKey: .message)
        refusal = try? values.decodeIfPresent(Refusal.self, forKey: .refusal)
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
        case .status: self = .status(try SessionUpdate(from: decoder))
        case .application: self = .application(try values.decode(AppState.self, forKey: .application))
        case .devices: self = .devices(try values.decode([AudioDevice].self, forKey: .devices))
        case .hardware: self = .hardware(try values.decode(HardwareRequest.self, forKey: .hardware))
        case .ping: self = .ping(try values.decode(UInt64.self, forKey: .ping))
        case .decision: self = .decision(try values.decode(Decision.self, forKey: .decision))
        case .reply, .error, .long, nil:
            throw DecodingError.dataCorrupted(
                .init(codingPath: values.codingPath, debugDescription: "This is not a message of an arbiter."))
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
        case .status(let update): try update.encode(to: encoder)
        case .application(let app): try values.encode(app, forKey: .application)
        case .devices(let devices): try values.encode(devices, forKey: .devices)
        case .hardware(let request): try values.encode(request, forKey: .hardware)
        case .ping(let number): try values.encode(number, forKey: .ping)
        case .decision(let decision): try values.encode(decision, forKey: .decision)
        }
    }
}
