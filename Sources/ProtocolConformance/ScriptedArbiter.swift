internal import Foundation
internal import SessionArbiter
internal import SessionPolicy

/// The arbiter of one trial: decides by the rules, for one client. It also serves as the next
/// arbiter after a loss, because it keeps the sessions.
final class ScriptedArbiter {
    /// Distinguishes this arbiter from the next one. Above 2^63: clients need all 64 bits.
    private(set) var number: UInt64 = 0xFEDC_BA98_7654_3211
    /// The number that it gave the client's last session; nil if there is none.
    private(set) var session: SessionID?
    /// What was last sent of each session, and of the app.
    private(set) var updates: [SessionID: SessionUpdate] = [:]
    private(set) var application: AppState?
    /// All requests that have been answered.
    private(set) var requests: [ClientMessage.Request] = []

    private var core = ArbiterCore(settings: ArbiterSettings(), keys: nil)
    private var gates: [SessionID: SessionGate] = [:]
    private var sessions: Set<SessionID> = []
    private var app = AppID(0)
    private var interrupter: SessionID?

    /// Above 2^32, and below the numbers that clients assign themselves.
    init() { core.lastSessionNumber = 900_000_000_000 }

    var state: SessionState? { session.flatMap { core.state[$0] } }
    var gateWords: GateWords? { session.flatMap { gates[$0]?.words } }

    /// Becomes the next arbiter, which `forgets` all sessions or not.
    func succeed(forgets: Bool = false) {
        number -= 1
        if forgets { forget() }
    }

    private func forget() {
        for id in sessions { _ = try? core.decide(.unregister(id)) }
        (sessions, gates, session) = ([], [:], nil)
    }

    /// Writes a grant whose word needs 64 bits, but which means the same. The client reads it when
    /// it restores the session. `serial` is that of the grant, of 24 bits.
    func fillGate(serial: UInt64) {
        guard let session, let gate = gates[session] else { return }
        let words = gate.words
        // Flags remain. The attenuation is 1/256 dB, so that the lowest bit counts, too.
        let grant = words.grant & 0x7_0000_0000 | 0xFA_0001 | serial << 40
        gate.write(GateWords(grant: grant, volume: words.volume & 0xFFFF_FFFF | 0x25_0000_0000))
    }

    // MARK: Answers

    /// Answers a message as an arbiter does. Returns false if the client does not read.
    func answer(_ message: ClientMessage, on connection: ClientConnection) -> Bool {
        requests.append(message.request)
        let serial = message.serial
        switch message.request {
        case .pong: return true
        case .hello(let hello): return welcome(hello, serial, connection)
        case .register: return register(serial, connection)
        case .restore(let restoration): return restore(restoration, serial, connection)
        case .submit(let action): return submit(action, serial, connection)
        case .synchronise, .describe, .bufferSizeOverride, .sampleRateOverride, .join:
            return connection.send(.reply(serial, Reply()))
        case .beginSystemSession, .permission:
            return refuse(serial, .notPermitted, "A client that is tested is not trusted.", connection)
        case .keys, .report, .log, .history, .nowPlaying:
            return refuse(serial, .malformed, "This arbiter does not know the request.", connection)
        }
    }

    func refuse(
        _ serial: UInt64, _ code: RequestError.Code, _ text: String, _ connection: ClientConnection
    ) -> Bool {
        connection.send(.failure(serial, RequestError(code, text)))
    }

    private func welcome(_ hello: ClientMessage.Hello, _ serial: UInt64, _ connection: ClientConnection) -> Bool {
        if hello.restoring == 0 { forget() }
        app = AppID(connection.peer)
        let state = core.state.app(app)
        application = state
        var reply = Reply()
        reply.welcome = Reply.Welcome(
            version: 1, arbiter: number, app: app, isTrusted: false, settings: core.settings)
        return connection.send(.application(state)) && connection.send(.devices(core.state.devices))
            && connection.send(.hardware(core.hardware)) && connection.send(.reply(serial, reply))
    }

    private func register(_ serial: UInt64, _ connection: ClientConnection) -> Bool {
        guard let (gate, descriptor) = try? SessionGate.makeShared() else {
            return refuse(serial, .unavailable, "There is no memory for a gate.", connection)
        }
        defer { close(descriptor) }
        do throws(ArbiterError) {
            let (id, notices) = try core.register(app: app, gate: gate)
            gates[id] = gate
            sessions.insert(id)
            session = id
            var reply = Reply()
            reply.session = id
            return report(notices, connection) && connection.send(.reply(serial, reply), descriptor: descriptor)
        } catch {
            return refuse(serial, .limit, "\(error)", connection)
        }
    }

    private func restore(
        _ restoration: ClientMessage.Restoration, _ serial: UInt64, _ connection: ClientConnection
    ) -> Bool {
        let id = restoration.record.session.id
        guard sessions.contains(id), let (gate, descriptor) = try? SessionGate.makeShared() else {
            return refuse(serial, .malformed, "Session \(id) is unknown; create a new one.", connection)
        }
        defer { close(descriptor) }
        gate.write(restoration.gate)
        core.attach(gate, to: id)
        gates[id] = gate
        updates[id] = nil
        var reply = Reply()
        reply.session = id
        return report([], connection) && connection.send(.reply(serial, reply), descriptor: descriptor)
    }

    private func submit(_ action: PolicyAction, _ serial: UInt64, _ connection: ClientConnection) -> Bool {
        do throws(ArbiterError) {
            let notices = try core.decide(action)
            if case .unregister(let id) = action { sessions.remove(id) }
            return report(notices, connection) && connection.send(.reply(serial, Reply()))
        } catch {
            guard case .refused(let refusal) = error else {
                return refuse(serial, .unavailable, "\(error)", connection)
            }
            return connection.send(.failure(serial, RequestError(refusal)))
        }
    }

    // MARK: Events

    /// Begins a call, which interrupts the client.
    func beginInterruption(_ connection: ClientConnection) -> Bool {
        guard let (id, notices) = try? core.beginSystemSession(rank: .call, isRinging: false) else { return false }
        interrupter = id
        return report(notices, connection)
    }

    /// Ends the call; the client should resume.
    func endInterruption(_ connection: ClientConnection) -> Bool {
        guard let interrupter, let notices = try? core.decide(.endSystemSession(interrupter, shouldResume: true))
        else { return false }
        return report(notices, connection)
    }

    /// Sends what has changed, then the notices.
    private func report(_ notices: [SessionNotice], _ connection: ClientConnection) -> Bool {
        var isRead = true
        let state = core.state.app(app)
        if state != application {
            application = state
            isRead = connection.send(.application(state)) && isRead
        }
        for id in sessions.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let status = core.status(of: id) else { continue }
            let update = SessionUpdate(
                status: status, grantNumber: core.grants.grant(of: id), pending: core.grants.pending(of: id))
            guard update != updates[id] else { continue }
            updates[id] = update
            isRead = connection.send(.status(update)) && isRead
        }
        for notice in notices where sessions.contains(notice.effect.session) {
            isRead = connection.send(.notice(notice)) && isRead
        }
        return isRead
    }
}
