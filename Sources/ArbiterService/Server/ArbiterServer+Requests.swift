internal import CSessionSocket
internal import Foundation
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// Handling of packets: decoding, decisions and replies.
extension ArbiterServer {
    /// How many requests of one client are held while the state is rebuilt.
    private static let heldLimit = 64

    /// Handles a packet: decodes and checks the message, then answers it, or holds it while the
    /// state is being rebuilt.
    func take(_ data: Data, from connection: Connection) {
        guard connection.rateLimit.take(Self.cost(ofBytes: data.count), at: Self.now) else {
            let error = RequestError(
                .limit,
                "More than \(settings.limits.messagesPerSecond) messages per second; this one was not read. Send fewer."
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
        if let error = rejection(of: message, from: connection) {
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

    /// Returns the cost of a packet in tokens: one for the message, and one for each KiB, because
    /// reading it takes time.
    static func cost(ofBytes count: Int) -> Double { 1 + Double(count) / 1_024 }

    /// Charges a client for a long reply in addition to its request: the cost grows faster than the
    /// length, because a long reply delays all clients.
    func chargeLongReply(_ count: Int, to connection: Connection) {
        let kibibytes = Double(count) / 1_024
        connection.rateLimit.charge(kibibytes / 16 * (1 + kibibytes / 512))
        connection.yieldsToOthers = true
    }

    /// Returns the serial of a packet that is not decoded, if it is near the beginning; otherwise
    /// 0.
    private static func serial(in data: Data) -> UInt64 {
        let text = String(decoding: data.prefix(1_024), as: UTF8.self)
        guard let name = text.range(of: "\"serial\"") else { return 0 }
        let value = text[name.upperBound...].drop { $0 == " " || $0 == ":" }
        return UInt64(value.prefix { $0.isASCII && $0.isNumber }) ?? 0
    }

    /// Returns why a message is not processed: a wrong serial, no hello before it, or too many held
    /// requests. Nil if it is processed.
    private func rejection(of message: ClientMessage, from connection: Connection) -> RequestError? {
        guard message.serial > connection.lastSerial else {
            return RequestError(
                .malformed,
                "Serial \(message.serial) came after \(connection.lastSerial); each must be greater than the one before."
            )
        }
        if case .hello = message.request {
            return connection.hello == nil ? nil : RequestError(.malformed, "A client sends hello only once.")
        }
        guard connection.hello != nil else {
            return RequestError(.malformed, "A request arrived before hello; send hello first.")
        }
        guard connection.held.count < Self.heldLimit else {
            return RequestError(
                .limit, "\(Self.heldLimit) requests already wait until the arbiter is ready; wait for their replies.")
        }
        return nil
    }

    /// Carries out a request, sends the client the changes that it caused, then replies.
    func answer(_ message: ClientMessage, to connection: Connection) {
        do throws(RequestError) {
            guard let reply = try perform(message, for: connection) else { return }
            send(connection)
            send(.reply(message.serial, reply), to: connection)
        } catch {
            send(connection)
            send(.failure(message.serial, error), to: connection)
        }
    }

    /// Carries out a request and returns its reply. Returns nil if there is no reply or it is sent
    /// elsewhere.
    private func perform(_ message: ClientMessage, for connection: Connection) throws(RequestError) -> Reply? {
        var reply = Reply()
        if message.request.mayTakeLong, connection.hasTooMuchUnread() {
            throw RequestError(.limit, "Too many long replies are unread; read them before you request more.")
        }
        switch message.request {
        case .hello(let hello): reply.welcome = try welcome(hello, connection)
        case .join(let join): try self.join(join, connection)
        case .restore(let restoration):
            try restore(restoration, message.serial, connection)
            return nil
        case .register(let app):
            try register(app: app, message.serial, connection)
            return nil
        case .submit(let action): try submit(action, connection)
        case .beginSystemSession(let rank, let isRinging, let isKept):
            reply.session = try beginSystemSession(rank, isRinging, isKept, connection)
        case .bufferSizeOverride(let hardwareOverride):
            try setOverride(hardwareOverride)
            connection.reportedHardware = core.hardware
            markSharedChanges()
        case .sampleRateOverride(let hardwareOverride):
            try setOverride(rate: hardwareOverride)
            connection.reportedHardware = core.hardware
            markSharedChanges()
        case .permission(let program, let permission):
            reply.permissions = try self.permissions(program, permission, connection)
        case .describe(let id, let description): try describe(id, description, connection)
        case .report:
            reply.report = makeReport()
            pingIdleClients()
        case .log(let after, let follows):
            connection.followsLog = follows
            reply.decisions = core.log.decisions.filter { $0.number > after }
        case .history: reply.history = core.log.history(core.state)
        case .nowPlaying: reply.nowPlaying = nowPlayingReport
        case .keys:
            guard let descriptor = duplicateOfKeys else {
                throw RequestError(.unavailable, "The arbiter has no keys page: the system lacked resources for it.")
            }
            send(connection)
            send(.reply(message.serial, reply), to: connection, descriptor: descriptor)
            return nil
        case .synchronise: break
        case .pong(let number):
            if connection.ping?.number == number { connection.ping = nil }
            return nil
        }
        return reply
    }

    // MARK: Requests of the arbiter

    /// Accepts the client: checks its version and the number of sessions to restore, and returns
    /// what the arbiter reports about itself.
    private func welcome(
        _ hello: ClientMessage.Hello, _ connection: Connection
    ) throws(RequestError) -> Reply.Welcome {
        guard let version = ArbiterProtocol.version(for: hello) else {
            throw RequestError(
                .malformed,
                """
                Version \(hello.version) of the protocol is not supported; this arbiter supports \
                \(ArbiterProtocol.supportedVersions). Install the same version of the library and the service.
                """)
        }
        guard (0...settings.limits.sessions).contains(hello.restoring) else {
            throw RequestError(
                .limit,
                "\(hello.restoring) sessions cannot be restored; the limit is \(settings.limits.sessions).")
        }
        connection.hello = hello
        connection.unrestoredSessions = hello.restoring
        expect(connection)
        applyKnownAppState(connection)
        connection.ping = nil
        return Reply.Welcome(
            version: version, arbiter: number, app: connection.app, isTrusted: connection.peer.isTrusted,
            settings: settings.arbiter)
    }

    /// Registers a session and sends its reply, with which the descriptor of the session's gate is
    /// sent.
    private func register(app: AppID?, _ serial: UInt64, _ connection: Connection) throws(RequestError) {
        let app = app ?? connection.app
        try permit(registering: app, connection)
        try reserveSession()
        let (gate, descriptor) = try makeGate()
        let sent: (id: SessionID, notices: [SessionNotice])
        do throws(ArbiterError) {
            sent = try core.register(app: app, gate: gate)
        } catch {
            close(descriptor)
            throw RequestError(error)
        }
        owners[sent.id] = connection.number
        connection.sessions.insert(sent.id)
        connection.sessionsToReport.insert(sent.id)
        // Stored before the reply: the next arbiter waits for clients that have a session (SRV-3).
        if connection.sessions.count == 1 { persistClientList() }
        queueNotices(sent.notices)
        send(connection)
        var reply = Reply()
        reply.session = sent.id
        send(.reply(serial, reply), to: connection, descriptor: descriptor)
        reserveNumbersAhead()
    }

    func makeGate() throws(RequestError) -> (gate: SessionGate, descriptor: Int32) {
        do throws(ArbiterError) { return try SessionGate.makeShared() } catch { throw RequestError(error) }
    }

    /// Stores the override of the period, so that the next arbiter knows it too (HW-2).
    private func setOverride(_ hardwareOverride: BufferSizeOverride?) throws(RequestError) {
        guard hardwareOverride?.isPossible ?? true else {
            throw RequestError(.malformed, "A period override is out of range; periods are 1 to 8,192 frames.")
        }
        core.bufferSizeOverride = hardwareOverride
        persistOverrides()
    }

    /// Stores the override of the sample rate.
    private func setOverride(rate hardwareOverride: SampleRateOverride?) throws(RequestError) {
        guard hardwareOverride?.isPossible ?? true else {
            throw RequestError(.malformed, "A sample rate override is out of range; rates are 1,000 to 768,000 Hz.")
        }
        core.sampleRateOverride = hardwareOverride
        persistOverrides()
    }

    /// Submits a client's action to the policy. Then removes a session that ended, stores the
    /// user's answer for the programs of an app, and stores the system's state if it may have
    /// changed.
    private func submit(_ action: PolicyAction, _ connection: Connection) throws(RequestError) {
        try permit(action, connection)
        try decide(action)
        switch action {
        case .unregister(let id):
            connection.sessions.remove(id)
            release(id)
            if connection.sessions.isEmpty { persistClientList() }
        case .endSystemSession(let id, _): release(id)
        case .setRecordPermission(let app, let permission):
            for program in Set(connections.values.filter { $0.app == app }.map(\.peer.program)) where !program.isEmpty {
                permissions?.save(permission, for: program)
            }
        default: break
        }
        if action.changesStoredSystemState { persistSystem() }
    }

    private func release(_ id: SessionID) {
        descriptions[id] = nil
        guard let owner = owners.removeValue(forKey: id) else { return }
        connections[owner]?.sessions.remove(id)
        connections[owner]?.systemSessions.remove(id)
    }

    /// Stores what a client says about one of its sessions, until the session ends.
    private func describe(
        _ id: SessionID, _ description: SessionDescription?, _ connection: Connection
    ) throws(RequestError) {
        try permit(describing: id, description, connection)
        descriptions[id] = description
    }

    /// Begins a session of the system. If it is not kept, the client owns it and it ends with the
    /// client.
    private func beginSystemSession(
        _ rank: Rank, _ isRinging: Bool, _ isKept: Bool, _ connection: Connection
    ) throws(RequestError) -> SessionID {
        try permit(beginning: rank, connection)
        try reserveSession()
        let sent: (id: SessionID, notices: [SessionNotice])
        do throws(ArbiterError) {
            sent = try core.beginSystemSession(rank: rank, isRinging: isRinging)
        } catch {
            throw RequestError(error)
        }
        if !isKept {
            owners[sent.id] = connection.number
            connection.systemSessions.insert(sent.id)
        }
        queueNotices(sent.notices)
        persistSystem()
        return sent.id
    }

    /// Makes one decision and queues its notices. A refusal is sent to the clients that follow the
    /// log, and thrown.
    func decide(_ action: PolicyAction) throws(RequestError) {
        let notices: [SessionNotice]
        do throws(ArbiterError) {
            notices = try core.decide(action)
        } catch {
            sendLastDecision()
            throw RequestError(error)
        }
        queueNotices(notices)
    }

    /// Decides the releases of silent sessions that are due (ACT-17): as many as packets of one
    /// client, before the clients have their turn.
    func releaseIdleSessions() {
        for _ in 0..<Self.packetsPerTurn {
            guard let release = core.dueIdleRelease, (try? decide(release)) != nil else { return }
        }
    }

    /// Describes what is wrong with a packet, without quoting the packet.
    private static func explain(_ error: any Error) -> String {
        let reason =
            switch error {
            case DecodingError.keyNotFound(let key, _): "'\(key.stringValue)' is missing"
            case DecodingError.dataCorrupted(let context), DecodingError.valueNotFound(_, let context),
                DecodingError.typeMismatch(_, let context):
                (context.codingPath.map { $0.stringValue + ": " }.joined()) + context.debugDescription
            default: "it is not a JSON object"
            }
        return "A packet is not a message of this protocol: \(reason.prefix(300))"
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

    /// Whether the request is answered while the state is being rebuilt.
    fileprivate var isForRebuilding: Bool {
        switch self {
        case .hello, .keys, .restore, .pong: true
        default: false
        }
    }
}

extension RequestError {
    init(_ error: ArbiterError) {
        switch error {
        case .refused(let refusal): self.init(refusal)
        case .unavailable(let reason): self.init(.unavailable, reason.prefix(1).uppercased() + reason.dropFirst() + ".")
        }
    }
}
