internal import Dispatch
internal import SessionPolicy

/// The host of the policy: its state, the sessions' gates, the numbers and the log. What the arbiters have in common.
///
/// Of one thread at a time: whoever owns it sees to that.
struct ControlTower {
    let settings: ArbiterSettings
    let policy: Policy
    private(set) var state = PolicyState()
    /// In the order of `state.sessions`.
    private(set) var standings: [Standing] = []
    /// Who plays in `state`.
    private var otherAudio = OtherAudio()
    private(set) var log: DecisionLog
    /// When each session was granted (SRV-3).
    private(set) var grants = GrantOrder()
    var loan: PeriodLoan?
    var rateLoan: RateLoan?
    private var parties: [SessionID: Party] = [:]
    /// The highest number that a session has had.
    var lastNumber: UInt64 = 0

    /// An app session's gate, and what it says; the system's own sessions have none.
    private struct Party {
        let gate: SessionGate
        var verdict: Verdict
        var volume: Float
    }

    init(settings: ArbiterSettings) {
        self.settings = settings
        policy = Policy(settings: settings.policy)
        log = DecisionLog(capacity: settings.logCapacity)
    }

    /// Takes in a new session behind its gate, which grants nothing as yet.
    mutating func register(
        app: AppID, gate: SessionGate
    ) throws(ArbiterError) -> (id: SessionID, notices: [SessionNotice]) {
        let id = nextID()
        parties[id] = Party(gate: gate, verdict: Verdict(isPaused: true), volume: 1)
        do throws(ArbiterError) {
            return (id, try decide(.register(id, app: app)))
        } catch {
            parties[id] = nil
            throw error
        }
    }

    mutating func beginSystemSession(
        rank: Rank, isRinging: Bool
    ) throws(ArbiterError) -> (id: SessionID, notices: [SessionNotice]) {
        let id = nextID()
        return (id, try decide(.beginSystemSession(id, rank: rank, isRinging: isRinging)))
    }

    /// One decision, in the order that INT-1 demands: the gates first, then the log; what is returned is to be told after that.
    mutating func decide(_ action: PolicyAction) throws(ArbiterError) -> [SessionNotice] {
        let event = PolicyEvent(action, at: Self.now)
        let transition: Policy.Transition
        do throws(Refusal) {
            transition = try policy.apply(event, to: state, standings: standings)
        } catch {
            log.append(event, .refused(error), before: state)
            throw .refused(error)
        }
        let before = state
        take(transition, cutOff: Self.cutOff(by: action, transition.effects))
        log.append(event, .granted(transition.effects), before: before)
        return transition.effects.map { SessionNotice(decision: log.count, effect: $0) }
    }

    /// A session as it is now.
    func status(of id: SessionID) -> SessionStatus? {
        guard let place = state.sessions.firstIndex(where: { $0.id == id }) else { return nil }
        return SessionStatus(
            session: state.sessions[place], standing: standings[place],
            isOtherAudioPlaying: otherAudio.isPlaying(besides: id),
            secondaryAudioShouldBeSilenced: otherAudio.isPrimaryPlaying(besides: id),
            volume: state.volume(of: state.sessions[place]),
            route: state.route(of: state.sessions[place]),
            availableInputs: state.availableInputs(for: state.sessions[place]),
            isInputAvailable: state.devices(seenBy: state.sessions[place].app).contains {
                $0.ports.contains { $0.direction == .input }
            },
            isInCall: state.isInCall)
    }

    var hardware: HardwareWish {
        HardwareWish(
            ioBufferDuration: state.settledIOBufferDuration, loan: loan, sampleRate: state.settledSampleRate,
            rateLoan: rateLoan)
    }

    static var now: EventTime { EventTime(nanoseconds: DispatchTime.now().uptimeNanoseconds) }

    /// The number of a session that none had before it.
    private mutating func nextID() -> SessionID {
        lastNumber += 1
        return SessionID(lastNumber)
    }

    /// Whether anything is known of an app.
    func knows(_ app: AppID) -> Bool {
        state.sessions.contains { $0.app == app } || state.apps.contains { $0.id == app }
    }

    // MARK: After another arbiter (SRV-3)

    /// Takes over what an arbiter before left, and what its clients say of their sessions; gates are attached after that. What is returned is to be
    /// told beyond that.
    mutating func rebuild(_ system: SystemRecord, _ records: [SessionRecord]) -> [SessionNotice] {
        var system = system
        system.sessions += records.filter { $0.session.app == .system }
        let sessions = records.filter { $0.session.app != .system }
        let transition = policy.rebuild(system, sessions, at: Self.now)
        state = transition.state
        standings = transition.standings
        otherAudio = OtherAudio(state, standings)
        grants = GrantOrder(state, rebuiltFrom: system, sessions)
        lastNumber = max(lastNumber, state.sessions.last?.id.rawValue ?? 0)
        log.beginAnew(with: state)
        writeGates()
        return transition.effects.map { SessionNotice(decision: log.count, effect: $0) }
    }

    /// The same, of one session that comes late.
    mutating func rebuildAdding(_ record: SessionRecord) -> [SessionNotice] {
        var records = [record]
        for (session, standing) in zip(state.sessions, standings) where session.app != .system {
            if let known = state.record(of: session.id, grants, standing: standing) { records.append(known) }
        }
        return rebuild(state.systemRecord(grants), records)
    }

    /// What is not a client's, for the next arbiter; `keeping` says which system sessions.
    func systemRecord(keeping isKept: (SessionID) -> Bool) -> SystemRecord {
        var record = state.systemRecord(grants)
        record.sessions.removeAll { !isKept($0.session.id) }
        // Apps are their clients' to tell.
        record.apps = []
        return record
    }

    /// Gives a session that was rebuilt its gate, which says as yet what its old one said.
    mutating func attach(_ gate: SessionGate, to id: SessionID) {
        parties[id] = Party(gate: gate, verdict: gate.verdict, volume: gate.volume)
        writeGates()
    }

    /// Those whose output is gone: nobody hears a fade there, and the next output is to get no sample of it (keeps ROUTE-4). A stand-in of the policy
    /// alone moves no sound: what played on goes on fading.
    private static func cutOff(by action: PolicyAction, _ effects: [Effect]) -> Set<SessionID> {
        guard case .setDevices = action else { return [] }
        return Set(effects.filter { $0.kind == .interruptionBegan(.routeDisconnected) }.map(\.session))
    }

    private mutating func take(_ transition: Policy.Transition, cutOff: Set<SessionID> = []) {
        state = transition.state
        standings = transition.standings
        otherAudio = OtherAudio(state, standings)
        grants.follow(state)
        writeGates(cutOff)
    }

    /// Writes what differs and nothing else: an untouched page keeps its serial. Gates of sessions that are gone are shut for whoever still
    /// reads them (ACT-12).
    private mutating func writeGates(_ cutOff: Set<SessionID> = []) {
        for (session, standing) in zip(state.sessions, standings) {
            guard var party = parties[session.id] else { continue }
            let verdict = standing.verdict
            let volume = state.volume(of: session)
            guard verdict != party.verdict || volume != party.volume else { continue }
            if verdict != party.verdict {
                let ramp = cutOff.contains(session.id) ? 0 : verdict.ramp(from: party.verdict, policy.settings)
                party.gate.write(verdict, ramp: ramp)
            }
            if volume != party.volume { party.gate.write(volume: volume, ramp: policy.settings.volumeRamp) }
            party.verdict = verdict
            party.volume = volume
            parties[session.id] = party
        }
        for (id, party) in parties where state[id] == nil {
            party.gate.write(Verdict(isPaused: true), ramp: policy.settings.fade)
            parties[id] = nil
        }
    }
}
