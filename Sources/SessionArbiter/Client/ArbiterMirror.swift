internal import Dispatch
internal import Foundation
internal import Platform
internal import SessionPolicy

/// What a client keeps of the arbiter's state, as it was last told: reading it costs no round trip.
final class ArbiterMirror: Sendable {
    /// A session of this client's.
    struct Own {
        var news: SessionNews?
        /// Nil for the system's sessions.
        var gate: SessionGate?
        var observer: (any SessionObserver)?
        /// The arbiter's reply has come: it is to be restored when the arbiter is lost.
        var isKnown = false
        /// What came before the reply that says whose it is.
        var early: [SessionNotice] = []
    }

    /// What this process sees on the media server that it uses: the next arbiter is told too.
    struct SeenDevices {
        var server: String
        var devices: [Device]
    }

    private struct State {
        var welcome: Reply.Welcome
        var sessions: [SessionID: Own] = [:]
        /// Lost with an arbiter.
        var expired: Set<SessionID> = []
        var application: AppState
        var devices: [Device] = []
        var seen: SeenDevices?
        var hardware = HardwareWish()
        var toldHardware = HardwareWish()
        var hardwareObservers: [@Sendable () -> Void] = []
        /// Which connection is heard.
        var connection = 0
    }
    private let state: Locked<State>
    /// Where observers are told: one queue, hence one order (ACT-11).
    private let notices = DispatchQueue(label: "audio-session.notices")

    init() {
        let app = AppID(UInt64(ProcessInfo.processInfo.processIdentifier))
        let welcome = Reply.Welcome(arbiter: 0, app: app, isTrusted: false, settings: ArbiterSettings())
        state = Locked(State(welcome: welcome, application: AppState(id: app)))
    }

    // MARK: Reading

    var welcome: Reply.Welcome { state.withLock { $0.welcome } }
    var devices: [Device] { state.withLock { $0.devices } }
    var hardware: HardwareWish { state.withLock { $0.hardware } }

    func status(of id: SessionID) -> SessionStatus? { state.withLock { $0.sessions[id]?.news?.status } }

    func application(_ app: AppID) -> AppState {
        state.withLock { $0.application.id == app ? $0.application : AppState(id: app) }
    }

    /// Whether a session was lost with an arbiter.
    func hasExpired(_ id: SessionID) -> Bool { state.withLock { $0.expired.contains(id) } }

    func hasGate(_ id: SessionID) -> Bool { state.withLock { $0.sessions[id]?.gate != nil } }

    func holds(_ id: SessionID) -> Bool { state.withLock { $0.sessions[id] != nil } }

    // MARK: What the arbiter says

    /// Only what comes over this connection counts from now on.
    func listen(to connection: Int) { state.withLock { $0.connection = connection } }

    func note(_ welcome: Reply.Welcome) {
        state.withLock { state in
            state.welcome = welcome
            if state.application.id != welcome.app { state.application = AppState(id: welcome.app) }
        }
    }

    /// On the reading thread.
    func take(_ message: ArbiterMessage, over connection: Int) {
        state.withLock { state in
            guard state.connection == connection else { return }
            switch message {
            case .status(let news): state.sessions[news.status.session.id, default: Own()].news = news
            case .notice(let notice): tell(notice, &state)
            case .application(let app): state.application = app
            case .devices(let devices): state.devices = devices
            case .hardware(let wish):
                state.hardware = wish
                tellHardware(&state)
            case .reply, .failure, .long, .ping, .decision: break
            }
        }
    }

    /// Queued while the lock is held, so that the order is that of the decisions (keeps ACT-11).
    private func tell(_ notice: SessionNotice, _ state: inout State) {
        let id = notice.effect.session
        guard let own = state.sessions[id], own.isKnown else {
            state.sessions[id, default: Own()].early.append(notice)
            return
        }
        guard let observer = own.observer else { return }
        notices.async { observer.receive(notice) }
    }

    private func tellHardware(_ state: inout State) {
        guard state.hardware != state.toldHardware else { return }
        state.toldHardware = state.hardware
        for observer in state.hardwareObservers { notices.async(execute: observer) }
    }

    // MARK: What the client does

    /// A session that the arbiter has taken in. On the reading thread: whatever comes next finds it.
    func add(_ id: SessionID, gate: SessionGate?, observer: (any SessionObserver)?) {
        state.withLock { state in
            var own = state.sessions[id] ?? Own()
            own.gate = gate
            own.observer = observer
            own.isKnown = true
            let early = own.early
            own.early = []
            state.sessions[id] = own
            for notice in early { tell(notice, &state) }
        }
    }

    /// A session that is given up; what is still told of it reaches nobody.
    func remove(_ id: SessionID) { state.withLock { $0.sessions[id] = nil } }

    /// The keeper of a loan knows of it.
    func keep(_ loan: PeriodLoan?) {
        state.withLock { state in
            state.hardware.loan = loan
            state.toldHardware = state.hardware
        }
    }

    func keep(rate loan: RateLoan?) {
        state.withLock { state in
            state.hardware.rateLoan = loan
            state.toldHardware = state.hardware
        }
    }

    func whenHardwareChanges(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.hardwareObservers.append(body) }
    }

    /// Returns when all that came so far has been told.
    func drain() { notices.sync {} }

    /// What the arbiter was told of devices.
    func note(_ seen: SeenDevices) { state.withLock { $0.seen = seen } }

    // MARK: Loss (SRV-3)

    /// What the next arbiter is to be told of devices, beside the sessions.
    var seenDevices: PolicyAction? {
        state.withLock { state in
            state.seen.map { .setDevices(state.welcome.app, server: $0.server, $0.devices) }
        }
    }

    /// What the next arbiter is to be told: the sessions as they were last told here, the oldest first.
    var restorations: [ClientMessage.Restoration] {
        state.withLock { state in
            state.sessions.sorted { $0.key < $1.key }.compactMap { _, own in
                guard own.isKnown, let news = own.news else { return nil }
                let session = news.status.session
                let app = session.app == state.application.id ? state.application : AppState(id: session.app)
                return ClientMessage.Restoration(
                    record: SessionRecord(
                        session: session, grant: news.grant, pending: news.pending, app: app,
                        standing: news.status.standing),
                    gate: own.gate?.words ?? GateWords(verdict: 0, volume: 0))
            }
        }
    }

    /// What came half-way before the loss is forgotten: nobody knows of it.
    func forgetUnknown() { state.withLock { state in state.sessions = state.sessions.filter { $0.value.isKnown } } }

    /// The next arbiter has sent a new page for a session. The observer is called here: the render core is not to wait for who is told news.
    func replaceGate(of id: SessionID, by gate: SessionGate) {
        let observer = state.withLock { state in
            state.sessions[id]?.gate = gate
            return state.sessions[id]?.observer
        }
        observer?.replaceGate(gate)
    }

    /// The next arbiter does not take a session: it is shut, and whoever holds it is told (keeps ACT-12).
    func expire(_ id: SessionID) {
        let own = state.withLock { state in
            state.expired.insert(id)
            return state.sessions.removeValue(forKey: id)
        }
        guard let observer = own?.observer else { return }
        // Nobody writes the old page any longer, and it may be open.
        if let shut = try? SessionGate() { observer.replaceGate(shut) }
        notices.async { observer.receive(SessionNotice(decision: 0, effect: Effect(id, .deactivatedBySystem, .act12))) }
    }
}
