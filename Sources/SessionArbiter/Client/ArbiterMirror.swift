internal import Dispatch
internal import Foundation
internal import Platform
internal import SessionPolicy

/// The client's copy of the arbiter's state, as last reported. Reading it requires no request to
/// the arbiter.
final class ArbiterMirror: Sendable {
    /// A session of this client.
    struct OwnSession {
        var update: SessionUpdate?
        /// Nil for the system's sessions.
        var gate: SessionGate?
        var observer: (any SessionObserver)?
        /// What this client says about the session.
        var description: SessionDescription?
        /// Whether the arbiter's reply has arrived, so that the session is restored if the arbiter
        /// is lost.
        var isKnown = false
    }

    private struct State {
        var welcome: Reply.Welcome
        /// The keys page of the current arbiter; nil if it has none.
        var keys: SessionKeys?
        var sessions: [SessionID: OwnSession] = [:]
        /// Notices for sessions that are not known yet: they arrived before the arbiter's reply to
        /// the registration, or before the sessions of a process that joins were adopted.
        var earlyNotices: [SessionNotice] = []
        /// Sessions that were lost with an arbiter.
        var expired: Set<SessionID> = []
        var application: AppState
        var devices: [AudioDevice] = []
        var seen: SeenDevices?
        var hardware = HardwareRequest()
        var reportedHardware = HardwareRequest()
        /// The number of the connection whose messages are accepted.
        var connection = 0
    }
    private let state: Mutex<State>
    /// The queue on which observers are called. There is only one, so that all notices are
    /// delivered in one order (ACT-11).
    private let notices: DispatchQueue
    private let hardwareChanges = Broadcaster<Void>()

    init(notices: DispatchQueue) {
        self.notices = notices
        let app = AppID(UInt64(ProcessInfo.processInfo.processIdentifier))
        let welcome = Reply.Welcome(arbiter: 0, app: app, isTrusted: false, settings: ArbiterSettings())
        state = Mutex(State(welcome: welcome, application: AppState(id: app)))
    }

    // MARK: Reading

    var welcome: Reply.Welcome { state.withLock { $0.welcome } }
    var keys: SessionKeys? { state.withLock { $0.keys } }
    var devices: [AudioDevice] { state.withLock { $0.devices } }
    var hardware: HardwareRequest { state.withLock { $0.hardware } }

    func status(of id: SessionID) -> SessionStatus? { state.withLock { $0.sessions[id]?.update?.status } }

    func application(_ app: AppID) -> AppState {
        state.withLock { $0.application.id == app ? $0.application : AppState(id: app) }
    }

    /// Returns whether a session was lost with an arbiter.
    func hasExpired(_ id: SessionID) -> Bool { state.withLock { $0.expired.contains(id) } }

    func hasGate(_ id: SessionID) -> Bool { state.withLock { $0.sessions[id]?.gate != nil } }

    func holds(_ id: SessionID) -> Bool { state.withLock { $0.sessions[id] != nil } }

    // MARK: Messages of the arbiter

    /// Accepts only messages of this connection from now on.
    func acceptMessages(of connection: Int) { state.withLock { $0.connection = connection } }

    /// Sets the keys page for the gates that follow.
    func setKeys(_ keys: SessionKeys?) { state.withLock { $0.keys = keys } }

    func setWelcome(_ welcome: Reply.Welcome) {
        state.withLock { state in
            state.welcome = welcome
            if state.application.id != welcome.app { state.application = AppState(id: welcome.app) }
        }
    }

    /// Updates the copy and notifies observers; messages of other connections are ignored. [reading
    /// thread]
    func handle(_ message: ArbiterMessage, over connection: Int) {
        state.withLock { state in
            guard state.connection == connection else { return }
            switch message {
            case .status(let update): state.sessions[update.status.session.id, default: OwnSession()].update = update
            case .notice(let notice): deliver(notice, &state)
            case .application(let app): state.application = app
            case .devices(let devices): state.devices = devices
            case .hardware(let request):
                state.hardware = request
                reportHardware(&state)
            case .reply, .failure, .long, .ping, .decision: break
            }
        }
    }

    /// Queues a notice while the lock is held, so that notices are in the order of the decisions
    /// (keeps ACT-11).
    private func deliver(_ notice: SessionNotice, _ state: inout State) {
        let id = notice.effect.session
        guard let own = state.sessions[id], own.isKnown else {
            state.earlyNotices.append(notice)
            return
        }
        guard let observer = own.observer else { return }
        notices.async { observer.receive(notice) }
    }

    /// Delivers the notices that arrived before some sessions were known, in their order.
    private func deliverEarlyNotices(of ids: Set<SessionID>, _ state: inout State) {
        let early = state.earlyNotices
        state.earlyNotices = early.filter { !ids.contains($0.effect.session) }
        for notice in early where ids.contains(notice.effect.session) { deliver(notice, &state) }
    }

    private func reportHardware(_ state: inout State) {
        guard state.hardware != state.reportedHardware else { return }
        state.reportedHardware = state.hardware
        notices.async { [hardwareChanges] in hardwareChanges.send(()) }
    }

    // MARK: Changes by the client

    /// Adds a session that the arbiter has registered, and delivers the notices that arrived
    /// earlier. Runs on the reading thread, before it handles the next message. [reading thread]
    func add(_ id: SessionID, gate: SessionGate?, observer: (any SessionObserver)?) {
        state.withLock { state in
            var own = state.sessions[id] ?? OwnSession()
            own.gate = gate
            own.observer = observer
            own.isKnown = true
            state.sessions[id] = own
            deliverEarlyNotices(of: [id], &state)
        }
    }

    /// Removes a session that the client has released; later notices for it are discarded.
    func remove(_ id: SessionID) {
        state.withLock { state in
            state.sessions[id] = nil
            state.earlyNotices.removeAll { $0.effect.session == id }
        }
    }

    /// Stores an override that this client has made, without notifying the client's own observers.
    func setOverride(_ hardwareOverride: BufferSizeOverride?) {
        state.withLock { state in
            state.hardware.bufferSizeOverride = hardwareOverride
            state.reportedHardware = state.hardware
        }
    }

    func setOverride(rate hardwareOverride: SampleRateOverride?) {
        state.withLock { state in
            state.hardware.sampleRateOverride = hardwareOverride
            state.reportedHardware = state.hardware
        }
    }

    func whenHardwareChanges(_ body: @escaping @Sendable () -> Void) {
        _ = hardwareChanges.add { _ in body() }
    }

    func afterNotices(_ body: @escaping @Sendable () -> Void) { notices.async(execute: body) }

    /// Returns when everything that has arrived so far has been delivered.
    func drain() { notices.sync {} }

    /// Stores the devices that were reported to the arbiter.
    func setSeenDevices(_ seen: SeenDevices) { state.withLock { $0.seen = seen } }

    /// Stores what this client says about a session, for the next arbiter. Returns false if the
    /// session is not one of this client.
    func describe(_ id: SessionID, as description: SessionDescription?) -> Bool {
        state.withLock { state in
            guard state.sessions[id] != nil else { return false }
            state.sessions[id]?.description = description
            return true
        }
    }

    // MARK: Loss (SRV-3)

    /// What this client says about its sessions.
    var descriptions: [(id: SessionID, description: SessionDescription)] {
        state.withLock { state in
            state.sessions.sorted { $0.key < $1.key }.compactMap { id, own in own.description.map { (id, $0) } }
        }
    }

    /// The device list to report to the next arbiter, in addition to the sessions.
    var seenDevices: PolicyAction? {
        state.withLock { state in
            state.seen.map { .setDevices(state.welcome.app, server: $0.server, $0.devices) }
        }
    }

    /// The sessions to restore with the next arbiter, as they were last reported here, the oldest
    /// first.
    var restorations: [ClientMessage.Restoration] {
        state.withLock { state in
            state.sessions.sorted { $0.key < $1.key }.compactMap { _, own in
                guard own.isKnown, let update = own.update else { return nil }
                let session = update.status.session
                let app = session.app == state.application.id ? state.application : AppState(id: session.app)
                return ClientMessage.Restoration(update, of: app, gate: own.gate)
            }
        }
    }

    /// Removes the sessions whose replies had not arrived before the loss; their requests have
    /// failed or are sent again.
    func forgetUnknown() {
        state.withLock { state in
            state.sessions = state.sessions.filter { $0.value.isKnown }
            state.earlyNotices = []
        }
    }

    /// Adopts the sessions of a process that joins, and delivers the notices that arrived for them,
    /// in one order for all. Then reports to each session what has changed for it only because this
    /// arbiter knows other devices and another volume. Returns false, and changes nothing, if the
    /// state of a session is not known, because the connection was lost.
    func adopt(_ sessions: [JoiningState.Session], _ gates: [SessionID: SessionGate]) -> Bool {
        state.withLock { state in
            guard sessions.allSatisfy({ state.sessions[$0.id]?.update != nil }) else { return false }
            for session in sessions {
                state.sessions[session.id]?.gate = gates[session.id]
                state.sessions[session.id]?.observer = session.observer
                state.sessions[session.id]?.isKnown = true
            }
            let early = state.earlyNotices
            deliverEarlyNotices(of: Set(sessions.map(\.id)), &state)
            for session in sessions {
                guard let now = state.sessions[session.id]?.update?.status else { continue }
                let notified = early.map(\.effect).filter { $0.session == session.id }
                for change in Self.changes(from: session.update.status, to: now) {
                    guard !notified.contains(where: { $0.isSameChange(as: change) }) else { continue }
                    deliver(SessionNotice(decision: 0, effect: change), &state)
                }
            }
            return true
        }
    }

    /// Returns what a session is notified of if another arbiter reports this route and volume.
    private static func changes(from before: SessionStatus, to now: SessionStatus) -> [Effect] {
        let id = now.session.id
        var changes: [Effect] = []
        if before.route != now.route {
            changes.append(Effect(id, .routeChanged(previous: before.route, .routeConfigurationChange), .route3))
        }
        if before.availableInputs != now.availableInputs {
            changes.append(Effect(id, .availableInputsChanged, .route6))
        }
        if before.volume != now.volume { changes.append(Effect(id, .outputVolumeChanged(now.volume), .vol1)) }
        return changes
    }

    /// Replaces a session's page by the one that the next arbiter has sent. Calls the observer
    /// directly, because the render core must not wait behind observers that handle notices.
    func replaceGate(of id: SessionID, by gate: SessionGate) {
        let observer = state.withLock { state in
            state.sessions[id]?.gate = gate
            return state.sessions[id]?.observer
        }
        observer?.replaceGate(gate)
    }

    /// Drops a session that the next arbiter does not accept: closes its gate and notifies its
    /// observer (keeps ACT-12).
    func expire(_ id: SessionID) {
        let own = state.withLock { state in
            state.expired.insert(id)
            return state.sessions.removeValue(forKey: id)
        }
        guard let observer = own?.observer else { return }
        // The old page may still grant something, and no process writes it any longer.
        if let closedGate = try? SessionGate() { observer.replaceGate(closedGate) }
        notices.async { observer.receive(SessionNotice(decision: 0, effect: Effect(id, .deactivatedBySystem, .act12))) }
    }
}

extension Effect {
    /// Whether both report a change of the same value.
    fileprivate func isSameChange(as other: Effect) -> Bool {
        switch (kind, other.kind) {
        case (.routeChanged, .routeChanged), (.availableInputsChanged, .availableInputsChanged),
            (.outputVolumeChanged, .outputVolumeChanged):
            true
        default: false
        }
    }
}
