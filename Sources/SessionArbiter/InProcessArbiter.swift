internal import Dispatch
internal import Foundation
public import SessionPolicy

/// The arbiter for the sessions of one process.
///
/// Unchecked `Sendable`: everything mutable is in `tower`, reached only under `lock` (a pthread lock, which the thread sanitizer
/// understands). It is held for a decision and the writing of gates, never while an observer runs.
public final class InProcessArbiter: SessionArbiter, @unchecked Sendable {
    private let policy: Policy
    private let lock = NSLock()
    private var tower: Tower
    /// Where observers are told: one queue, hence one order.
    private let notices = DispatchQueue(label: "audio-session.notices")

    public init(settings: ArbiterSettings = ArbiterSettings()) {
        policy = Policy(settings: settings.policy)
        tower = Tower(log: DecisionLog(capacity: settings.logCapacity))
    }

    /// Memory is the only thing that can be short.
    public func register(
        app: AppID, observer: @escaping @Sendable (SessionNotice) -> Void
    ) throws(ArbiterError) -> SessionRegistration {
        let gate = try SessionGate()
        let id = try withTower { tower throws(ArbiterError) in
            let id = tower.nextID()
            tower.parties[id] = Party(gate: gate, observer: observer)
            do throws(ArbiterError) {
                try decide(.register(id, app: app), &tower)
            } catch {
                tower.parties[id] = nil
                throw error
            }
            return id
        }
        return SessionRegistration(id: id, gate: gate)
    }

    public func submit(_ action: PolicyAction) throws(ArbiterError) {
        try withTower { tower throws(ArbiterError) in try decide(action, &tower) }
    }

    public func beginSystemSession(rank: Rank, isRinging: Bool) throws(ArbiterError) -> SessionID {
        try withTower { tower throws(ArbiterError) in
            let id = tower.nextID()
            try decide(.beginSystemSession(id, rank: rank, isRinging: isRinging), &tower)
            return id
        }
    }

    public func status(of id: SessionID) -> SessionStatus? {
        withTower { tower in
            guard let place = tower.state.sessions.firstIndex(where: { $0.id == id }) else { return nil }
            let state = tower.state
            return SessionStatus(
                session: state.sessions[place], standing: tower.standings[place],
                isOtherAudioPlaying: policy.isOtherAudioPlaying(than: id, in: state),
                secondaryAudioShouldBeSilenced: policy.secondaryAudioShouldBeSilenced(for: id, in: state),
                volume: state.volume(of: state.sessions[place]),
                route: state.route(of: state.sessions[place]),
                availableInputs: state.availableInputs(for: state.sessions[place]),
                isInputAvailable: state.devices.contains { $0.ports.contains { $0.direction == .input } },
                isInCall: state.active.contains { $0.rank == .call && !$0.isRinging })
        }
    }

    public func application(_ app: AppID) -> AppState { withTower { $0.state.app(app) } }

    public var devices: [Device] { withTower { $0.state.devices } }

    public var settledIOBufferDuration: Double? { withTower { $0.state.settledIOBufferDuration } }

    public var decisions: [Decision] { withTower { $0.log.decisions } }

    /// The whole state, for tests and for whoever replays the log.
    public var state: PolicyState { withTower { $0.state } }

    /// Returns when every notice of earlier calls has been told. Not from within an observer.
    public func drain() { notices.sync {} }

    private func withTower<Result, Failure: Error>(
        _ body: (inout Tower) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&tower)
    }
}

extension InProcessArbiter {
    /// What the lock guards.
    private struct Tower {
        var state = PolicyState()
        /// In the order of `state.sessions`.
        var standings: [Standing] = []
        var parties: [SessionID: Party] = [:]
        var log: DecisionLog
        private var lastID: UInt64 = 0

        init(log: DecisionLog) { self.log = log }

        mutating func nextID() -> SessionID {
            lastID += 1
            return SessionID(lastID)
        }
    }

    /// An app session's side of the arbiter; the system's own sessions have none.
    private struct Party {
        let gate: SessionGate
        let observer: @Sendable (SessionNotice) -> Void
        /// What the gate says; a new one grants nothing.
        var verdict = Verdict(isPaused: true)
        var volume: Float = 1
    }

    /// One decision, in the order that INT-1 demands: the gates first, then the log, then the notices are sent on their way.
    private func decide(_ action: PolicyAction, _ tower: inout Tower) throws(ArbiterError) {
        let event = PolicyEvent(action, at: EventTime(nanoseconds: DispatchTime.now().uptimeNanoseconds))
        let transition: Policy.Transition
        do throws(Refusal) {
            transition = try policy.apply(event, to: tower.state)
        } catch {
            tower.log.append(event, .refused(error))
            throw .refused(error)
        }
        tower.state = transition.state
        tower.standings = transition.standings
        writeGates(&tower)
        tower.log.append(event, .granted(transition.effects))
        send(transition.effects, &tower)
    }

    /// Writes what differs and nothing else: an untouched page keeps its serial.
    private func writeGates(_ tower: inout Tower) {
        for (session, standing) in zip(tower.state.sessions, tower.standings) {
            guard var party = tower.parties[session.id] else { continue }
            let verdict = standing.verdict
            let volume = tower.state.volume(of: session)
            guard verdict != party.verdict || volume != party.volume else { continue }
            if verdict != party.verdict {
                party.gate.write(verdict, ramp: verdict.ramp(from: party.verdict, policy.settings))
            }
            if volume != party.volume { party.gate.write(volume: volume, ramp: policy.settings.volumeRamp) }
            party.verdict = verdict
            party.volume = volume
            tower.parties[session.id] = party
        }
    }

    /// Queues the notices while the lock is held, so that their order is that of the decisions (keeps ACT-11). Parties of sessions
    /// that are gone go too; their gates are shut for whoever still reads them (ACT-12).
    private func send(_ effects: [Effect], _ tower: inout Tower) {
        let number = tower.log.count
        for effect in effects {
            guard let observer = tower.parties[effect.session]?.observer else { continue }
            notices.async { observer(SessionNotice(decision: number, effect: effect)) }
        }
        for (id, party) in tower.parties where tower.state[id] == nil {
            party.gate.write(Verdict(isPaused: true), ramp: policy.settings.fade)
            tower.parties[id] = nil
        }
    }
}
