internal import CSessionSocket
internal import Foundation
internal import SessionPolicy

/// From a packet to a decision and its reply.
extension ArbiterServer {
    /// Requests that one client may have waiting while the state is rebuilt.
    private static let heldLimit = 64

    func take(_ data: Data, from connection: Connection) {
        guard connection.allowance.take(Self.cost(ofBytes: data.count), at: Self.now) else {
            let error = RequestError(
                .limit,
                "More than \(settings.limits.messagesPerSecond) messages a second came; this one was not looked into. Send fewer."
            )
            return send(.failure(Self.serial(in: data), error), to: connection)
        }
        let message: ClientMessage
        do {
            message = try decoder.decode(ClientMessage.self, from: data)
        } catch {
            let serial = (try? decoder.decode(Serial.self, from: data))?.serial ?? 0
            connection.lastSerial = max(connection.lastSerial, serial)
            return send(.failure(serial, RequestError(.malformed, Self.explain(error))), to: connection)
        }
        if let error = misplaced(message, connection) {
            return send(.failure(message.serial, error), to: connection)
        }
        connection.lastSerial = message.serial
        if rebuilding != nil, !message.request.isForRebuilding {
            connection.held.append(message)
        } else {
            answer(message, to: connection)
        }
    }

    private struct Serial: Codable { var serial: UInt64 }

    /// What a packet costs of a client's messages: a KiB as much as a message, since it is to be read.
    static func cost(ofBytes count: Int) -> Double { 1 + Double(count) / 1_024 }

    /// What a long reply costs beyond its request: the longer, the more of everybody's time.
    func chargeLongReply(_ count: Int, to connection: Connection) {
        let kibibytes = Double(count) / 1_024
        connection.allowance.charge(kibibytes / 16 * (1 + kibibytes / 512))
        connection.turnIsOver = true
    }

    /// The serial of a packet that is not looked into, if it stands near its beginning; else 0.
    private static func serial(in data: Data) -> UInt64 {
        let text = String(decoding: data.prefix(1_024), as: UTF8.self)
        guard let name = text.range(of: "\"serial\"") else { return 0 }
        let value = text[name.upperBound...].drop { $0 == " " || $0 == ":" }
        return UInt64(value.prefix { $0.isASCII && $0.isNumber }) ?? 0
    }

    /// Why a message is not to be looked into.
    private func misplaced(_ message: ClientMessage, _ connection: Connection) -> RequestError? {
        guard message.serial > connection.lastSerial else {
            return RequestError(
                .malformed,
                "Serial \(message.serial) came after \(connection.lastSerial); each must be above the one before.")
        }
        if case .hello = message.request {
            return connection.hello == nil ? nil : RequestError(.malformed, "A second hello came; one is enough.")
        }
        guard connection.hello != nil else {
            return RequestError(.malformed, "A request came before hello; say hello first.")
        }
        guard connection.held.count < Self.heldLimit else {
            return RequestError(
                .limit, "\(Self.heldLimit) requests wait for the arbiter to be ready already; wait for their replies.")
        }
        return nil
    }

    /// Does what is asked, tells the client what has changed for it, and replies.
    func answer(_ message: ClientMessage, to connection: Connection) {
        do throws(RequestError) {
            guard let reply = try perform(message, for: connection) else { return }
            tell(connection)
            send(.reply(message.serial, reply), to: connection)
        } catch {
            tell(connection)
            send(.failure(message.serial, error), to: connection)
        }
    }

    /// Nil: not to be replied to, or replied to elsewhere.
    private func perform(_ message: ClientMessage, for connection: Connection) throws(RequestError) -> Reply? {
        var reply = Reply()
        if message.request.mayTakeLong, connection.hasTooMuchUnread() {
            throw RequestError(.limit, "Long replies lie unread; read them, then ask for more.")
        }
        switch message.request {
        case .hello(let hello): reply.welcome = try welcome(hello, connection)
        case .restore(let restoration):
            try restore(restoration, message.serial, connection)
            return nil
        case .register(let app):
            try register(app: app, message.serial, connection)
            return nil
        case .submit(let action): try submit(action, connection)
        case .beginSystemSession(let rank, let isRinging, let isKept):
            reply.session = try beginSystemSession(rank, isRinging, isKept, connection)
        case .loan(let loan):
            try keep(loan)
            connection.toldHardware = tower.hardware
            noteWhatConcernsAll()
        case .rateLoan(let loan):
            try keep(rate: loan)
            connection.toldHardware = tower.hardware
            noteWhatConcernsAll()
        case .permission(let program, let permission):
            reply.permissions = try self.permissions(program, permission, connection)
        case .report: reply.report = makeReport()
        case .log(let after, let follows):
            connection.followsLog = follows
            reply.decisions = tower.log.decisions.filter { $0.number > after }
        case .history: reply.history = tower.log.history(tower.state)
        case .synchronise: break
        case .pong(let number):
            if connection.ping?.number == number { connection.ping = nil }
            return nil
        }
        return reply
    }

    // MARK: Requests of the arbiter

    private func welcome(
        _ hello: ClientMessage.Hello, _ connection: Connection
    ) throws(RequestError) -> Reply.Welcome {
        guard hello.version == ArbiterProtocol.version else {
            throw RequestError(
                .malformed,
                """
                Version \(hello.version) of the protocol was asked for; this arbiter speaks \(ArbiterProtocol.version). Install \
                the library and the service in one version.
                """)
        }
        guard (0...settings.limits.sessions).contains(hello.restoring) else {
            throw RequestError(
                .limit,
                "\(hello.restoring) sessions were to be restored; there is room for \(settings.limits.sessions).")
        }
        connection.hello = hello
        connection.toRestore = hello.restoring
        expect(connection)
        takeOn(connection)
        connection.ping = nil
        return Reply.Welcome(
            arbiter: number, app: connection.app, isTrusted: connection.peer.isTrusted, settings: settings.arbiter)
    }

    private func register(app: AppID?, _ serial: UInt64, _ connection: Connection) throws(RequestError) {
        let app = app ?? connection.app
        try permit(registering: app, connection)
        try reserveSession()
        let (gate, descriptor) = try makeGate()
        let told: (id: SessionID, notices: [SessionNotice])
        do throws(ArbiterError) {
            told = try tower.register(app: app, gate: gate)
        } catch {
            close(descriptor)
            throw RequestError(error)
        }
        owners[told.id] = connection.number
        connection.sessions.insert(told.id)
        connection.staleSessions.insert(told.id)
        // Before the reply: who has it is awaited by the next arbiter (SRV-3).
        if connection.sessions.count == 1 { persistClients() }
        spread(told.notices)
        tell(connection)
        var reply = Reply()
        reply.session = told.id
        send(.reply(serial, reply), to: connection, descriptor: descriptor)
        reserveNumbersAhead()
    }

    func makeGate() throws(RequestError) -> (gate: SessionGate, descriptor: Int32) {
        do throws(ArbiterError) { return try SessionGate.makeShared() } catch { throw RequestError(error) }
    }

    /// What was done about the wish for a period; the next arbiter is to know it, too (HW-2).
    private func keep(_ loan: PeriodLoan?) throws(RequestError) {
        let frames = 1...8_192
        guard loan.map({ frames.contains($0.before) && frames.contains($0.ours) }) ?? true else {
            throw RequestError(.malformed, "A loan of periods came that are not of 1 to 8,192 frames.")
        }
        tower.loan = loan
        persistLoans()
    }

    /// The same of a rate.
    private func keep(rate loan: RateLoan?) throws(RequestError) {
        let rates = 1_000...768_000
        guard loan.map({ rates.contains($0.before) && rates.contains($0.ours) }) ?? true else {
            throw RequestError(.malformed, "A loan of rates came that are not of 1,000 to 768,000 Hz.")
        }
        tower.rateLoan = loan
        persistLoans()
    }

    private func submit(_ action: PolicyAction, _ connection: Connection) throws(RequestError) {
        try permit(action, connection)
        try decide(action)
        switch action {
        case .unregister(let id):
            connection.sessions.remove(id)
            release(id)
            if connection.sessions.isEmpty { persistClients() }
        case .endSystemSession(let id, _): release(id)
        case .setRecordPermission(let app, let permission):
            for program in Set(connections.values.filter { $0.app == app }.map(\.peer.program)) where !program.isEmpty {
                permissions?.keep(permission, for: program)
            }
        default: break
        }
        if action.isOfTheSystem { persistSystem() }
    }

    private func release(_ id: SessionID) {
        guard let owner = owners.removeValue(forKey: id) else { return }
        connections[owner]?.sessions.remove(id)
        connections[owner]?.systemSessions.remove(id)
    }

    private func beginSystemSession(
        _ rank: Rank, _ isRinging: Bool, _ isKept: Bool, _ connection: Connection
    ) throws(RequestError) -> SessionID {
        try permit(beginning: rank, connection)
        try reserveSession()
        let told: (id: SessionID, notices: [SessionNotice])
        do throws(ArbiterError) {
            told = try tower.beginSystemSession(rank: rank, isRinging: isRinging)
        } catch {
            throw RequestError(error)
        }
        if !isKept {
            owners[told.id] = connection.number
            connection.systemSessions.insert(told.id)
        }
        spread(told.notices)
        persistSystem()
        return told.id
    }

    /// One decision; who it concerns is told soon.
    func decide(_ action: PolicyAction) throws(RequestError) {
        let notices: [SessionNotice]
        do throws(ArbiterError) {
            notices = try tower.decide(action)
        } catch {
            followLog()
            throw RequestError(error)
        }
        spread(notices)
    }

    /// What went wrong with a packet, without the packet.
    private static func explain(_ error: any Error) -> String {
        let reason =
            switch error {
            case DecodingError.keyNotFound(let key, _): "'\(key.stringValue)' is missing"
            case DecodingError.dataCorrupted(let context), DecodingError.valueNotFound(_, let context),
                DecodingError.typeMismatch(_, let context):
                (context.codingPath.map { $0.stringValue + ": " }.joined()) + context.debugDescription
            default: "it is no JSON object"
            }
        return "A packet is no message of this protocol: \(reason.prefix(300))"
    }
}

extension ClientMessage.Request {
    /// Whether the reply may be longer than a packet.
    fileprivate var mayTakeLong: Bool {
        switch self {
        case .report, .log, .history, .permission: true
        default: false
        }
    }

    /// Whether it is answered while the state is being rebuilt.
    fileprivate var isForRebuilding: Bool {
        switch self {
        case .hello, .restore, .pong: true
        default: false
        }
    }
}

extension RequestError {
    init(_ error: ArbiterError) {
        switch error {
        case .refused(let refusal): self.init(refusal)
        case .unavailable: self.init(.unavailable, error.description)
        }
    }
}
