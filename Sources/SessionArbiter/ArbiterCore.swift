internal import Dispatch
package import SessionPolicy

/// The part that all arbiters share: it applies the policy and keeps its state, the sessions'
/// gates, the session numbers and the log.
///
/// Not thread-safe: its owner must ensure that only one thread at a time uses it.
package struct ArbiterCore {
    package let settings: ArbiterSettings
    package let policy: Policy
    package private(set) var state = PolicyState()
    /// In the order of `state.sessions`.
    private(set) var resolvedGrants: [ResolvedGrant] = []
    /// The sessions that play in `state`, for the hints about other audio.
    private var otherAudio = OtherAudio()
    package private(set) var log: DecisionLog
    /// When the next silent session is due to release others (ACT-17); nil if none is. The owner
    /// then decides `dueIdleRelease`, until that is nil.
    package private(set) var idleReleaseDue: EventTime?
    /// The numbers of the sessions' grants (SRV-3).
    package private(set) var grants = GrantOrder()
    package var bufferSizeOverride: BufferSizeOverride?
    package var sampleRateOverride: SampleRateOverride?
    /// The keys page; nil if memory for it could not be allocated.
    private let keys: SessionKeys?
    /// The sessions that are keys, by number.
    private var keySessions: [Int: SessionID] = [:]
    private var gatedSessions: [SessionID: GatedSession] = [:]
    /// The highest session number assigned so far.
    package var lastSessionNumber: UInt64 = 0

    /// An app session's gate, and the values last written to it. The system's own sessions have no
    /// gate.
    private struct GatedSession {
        let gate: SessionGate
        var grant: SessionGrant
        var volume: Float
        /// The number of the session as a key; nil: it is none, or its detection was not written.
        var key: Int?
        /// A bit for each key that lowers the session.
        var keys: UInt16 = 0
    }

    /// `keys` is the page that the gates' clients have.
    package init(settings: ArbiterSettings, keys: SessionKeys?) {
        self.settings = settings
        self.keys = keys
        policy = Policy(settings: settings.policy)
        log = DecisionLog(capacity: settings.logCapacity)
    }

    /// Registers a new session with its gate, which grants nothing yet. If a rule refuses the
    /// session, throws the refusal and forgets the gate.
    package mutating func register(
        app: AppID, gate: SessionGate
    ) throws(ArbiterError) -> (id: SessionID, notices: [SessionNotice]) {
        let id = nextID()
        gatedSessions[id] = GatedSession(gate: gate, grant: SessionGrant(isPaused: true), volume: 1)
        do throws(ArbiterError) {
            return (id, try decide(.register(id, app: app)))
        } catch {
            gatedSessions[id] = nil
            throw error
        }
    }

    /// Begins a session of the system, which has no gate. Throws if a rule refuses it; its number
    /// is then not used again.
    package mutating func beginSystemSession(
        rank: Rank, isRinging: Bool
    ) throws(ArbiterError) -> (id: SessionID, notices: [SessionNotice]) {
        let id = nextID()
        return (id, try decide(.beginSystemSession(id, rank: rank, isRinging: isRinging)))
    }

    /// Makes one decision: writes the gates first, then the log, as INT-1 requires. The caller then
    /// delivers the returned notices. If a rule refuses the action, logs the refusal and throws it;
    /// nothing else has changed.
    package mutating func decide(_ action: PolicyAction) throws(ArbiterError) -> [SessionNotice] {
        let event = PolicyEvent(action, at: Self.now)
        let transition: Policy.Transition
        do throws(Refusal) {
            transition = try policy.apply(event, to: state, resolvedGrants: resolvedGrants)
        } catch {
            log.append(event, .refused(error), before: state)
            throw .refused(error)
        }
        let before = state
        adopt(transition, cutOff: Self.sessionsToCutOff(by: action, transition.effects))
        log.append(event, .granted(transition.effects), before: before)
        return transition.effects.map { SessionNotice(decision: log.count, effect: $0) }
    }

    /// The release of a silent session that is due now (ACT-17); nil if none is.
    package var dueIdleRelease: PolicyAction? {
        guard let idleReleaseDue, idleReleaseDue <= Self.now else { return nil }
        return state.nextIdleRelease(policy.settings)?.action
    }

    /// Returns the current status of a session; nil if it is unknown.
    package func status(of id: SessionID) -> SessionStatus? {
        guard let index = state.sessions.firstIndex(where: { $0.id == id }) else { return nil }
        return SessionStatus(
            session: state.sessions[index], resolvedGrant: resolvedGrants[index],
            isOtherAudioPlaying: otherAudio.isPlaying(otherThan: id),
            secondaryAudioShouldBeSilenced: otherAudio.isPrimaryPlaying(otherThan: id),
            volume: state.volume(of: state.sessions[index]),
            route: state.route(of: state.sessions[index]),
            availableInputs: state.availableInputs(for: state.sessions[index]),
            isInputAvailable: state.devices(seenBy: state.sessions[index].app).contains {
                $0.ports.contains { $0.direction == .input }
            },
            isInCall: state.isInCall)
    }

    package var hardware: HardwareRequest {
        HardwareRequest(
            ioBufferDuration: state.resolvedIOBufferDuration, bufferSizeOverride: bufferSizeOverride,
            sampleRate: state.resolvedSampleRate,
            sampleRateOverride: sampleRateOverride)
    }

    package static var now: EventTime { EventTime(nanoseconds: DispatchTime.now().uptimeNanoseconds) }

    /// Returns a session number that no session had before.
    private mutating func nextID() -> SessionID {
        lastSessionNumber += 1
        return SessionID(lastSessionNumber)
    }

    /// Returns whether the state contains a session or a property of an app.
    package func knows(_ app: AppID) -> Bool {
        state.sessions.contains { $0.app == app } || state.apps.contains { $0.id == app }
    }

    // MARK: After another arbiter (SRV-3)

    /// Rebuilds the state from what a previous arbiter left and the records that its clients send.
    /// The caller then attaches the gates and delivers the returned notices, which the records do
    /// not yet reflect.
    package mutating func rebuild(_ system: SystemRecord, _ records: [SessionRecord]) -> [SessionNotice] {
        var system = system
        system.sessions += records.filter { $0.session.app == .system }
        let sessions = records.filter { $0.session.app != .system }
        let transition = policy.rebuild(system, sessions, at: Self.now)
        state = transition.state
        resolvedGrants = transition.resolvedGrants
        otherAudio = OtherAudio(state, resolvedGrants)
        idleReleaseDue = state.nextIdleRelease(policy.settings)?.due
        grants = GrantOrder(state, rebuiltFrom: system, sessions)
        let last = state.sessions.last { $0.id.isAssigned }
        lastSessionNumber = max(lastSessionNumber, last?.id.rawValue ?? 0)
        log.beginSection(at: state)
        writeGates()
        return transition.effects.map { SessionNotice(decision: log.count, effect: $0) }
    }

    /// The precedence of sessions that are added to a state.
    package enum Precedence {
        /// By the numbers of their grants, which an earlier arbiter assigned.
        case byNumber
        /// Below all known sessions, in their own order: another arbiter, which did not know those,
        /// assigned the numbers.
        case belowAll
    }

    /// Rebuilds the state again with more sessions, in one decision: those of a client that
    /// returned late, or of one that joins.
    package mutating func rebuildAdding(_ added: [SessionRecord], _ precedence: Precedence) -> [SessionNotice] {
        var system = state.systemRecord(grants)
        var known: [SessionRecord] = []
        for (session, resolvedGrant) in zip(state.sessions, resolvedGrants) where session.app != .system {
            if let record = state.record(of: session.id, grants, resolvedGrant: resolvedGrant) { known.append(record) }
        }
        var added = added
        if precedence == .belowAll { added.rankBelow(&known, &system) }
        return rebuild(system, added + known)
    }

    /// Gives the active sessions that lower others only while they are audible a number each, as
    /// long as there are some left. First takes back those of other sessions: their gates state
    /// that before another session has the number. A client that has ended cannot clear its key.
    private mutating func assignKeys() {
        for (key, id) in keySessions where state[id]?.isKey != true {
            keySessions[key] = nil
            gatedSessions[id]?.gate.write(detectingKey: nil, policy.settings)
            gatedSessions[id]?.key = nil
            keys?.clear(key)
        }
        var isAssigned = Set(keySessions.values)
        for session in state.sessions where session.isKey && isAssigned.insert(session.id).inserted {
            guard let free = (0..<SessionKeys.count).first(where: { keySessions[$0] == nil }) else { return }
            keySessions[free] = session.id
            keys?.clear(free)
        }
    }

    /// Returns the gate of a session; nil for the system's own sessions.
    func gate(of id: SessionID) -> SessionGate? { gatedSessions[id]?.gate }

    /// Returns the state that belongs to no client, to be stored for the next arbiter. `isKept`
    /// selects the system sessions to include.
    package func systemRecord(keeping isKept: (SessionID) -> Bool) -> SystemRecord {
        var record = state.systemRecord(grants)
        record.sessions.removeAll { !isKept($0.session.id) }
        // Clients report the state of their own apps.
        record.apps = []
        return record
    }

    /// Attaches the gate of a rebuilt session. The gate still holds the values of the session's
    /// previous gate; this writes the current ones.
    package mutating func attach(_ gate: SessionGate, to id: SessionID) {
        gatedSessions[id] = GatedSession(gate: gate, grant: gate.grant, volume: gate.volume)
        writeGates()
    }

    /// Returns the sessions to silence without a fade because their output is gone: the fade would
    /// be inaudible there, and the next output must receive no sample of it (keeps ROUTE-4). If a
    /// virtual device that only the policy knows is removed, its sessions fade as usual, because
    /// their sound goes through other ports.
    private static func sessionsToCutOff(by action: PolicyAction, _ effects: [Effect]) -> Set<SessionID> {
        guard case .setDevices = action else { return [] }
        return Set(effects.filter { $0.kind == .interruptionBegan(.routeDisconnected) }.map(\.session))
    }

    private mutating func adopt(_ transition: Policy.Transition, cutOff: Set<SessionID> = []) {
        let before = state
        state = transition.state
        resolvedGrants = transition.resolvedGrants
        otherAudio = OtherAudio(state, resolvedGrants)
        idleReleaseDue = state.nextIdleRelease(policy.settings)?.due
        // The client of a session whose engine has stopped states that it is silent, but no render
        // core clears its key. A core that hears it sets the key again in the next cycle.
        for (key, id) in keySessions where before[id] != state[id] && state[id]?.isAudible != true {
            keys?.clear(key)
        }
        grants.update(to: state)
        writeGates(cutOff)
    }

    /// Writes the gates whose values have changed; an unchanged page keeps its serial. The sessions
    /// in `cutOff` change without a fade. Closes the gates of sessions that are gone, for clients
    /// that still read them (ACT-12).
    private mutating func writeGates(_ cutOff: Set<SessionID> = []) {
        assignKeys()
        let keyNumbers = Dictionary(uniqueKeysWithValues: keySessions.map { ($0.value, $0.key) })
        for (session, resolvedGrant) in zip(state.sessions, resolvedGrants) {
            guard var gated = gatedSessions[session.id] else { continue }
            var grant = resolvedGrant.grant
            let volume = state.volume(of: session)
            let key = keyNumbers[session.id]
            let keys = grant.keys.reduce(UInt16(0)) { bits, id in keyNumbers[id].map { bits | 1 << $0 } ?? bits }
            grant.keys = []
            guard grant != gated.grant || volume != gated.volume || key != gated.key || keys != gated.keys else {
                continue
            }
            // A key that becomes audible when the grant is written already finds what it lowers.
            if keys != gated.keys { gated.gate.write(keys: keys, policy.settings) }
            if key != gated.key { gated.gate.write(detectingKey: key, policy.settings) }
            if grant != gated.grant {
                let ramp = cutOff.contains(session.id) ? 0 : grant.ramp(from: gated.grant, policy.settings)
                gated.gate.write(grant, ramp: ramp)
            }
            if volume != gated.volume { gated.gate.write(volume: volume, ramp: policy.settings.volumeRamp) }
            gated.grant = grant
            gated.volume = volume
            (gated.key, gated.keys) = (key, keys)
            gatedSessions[session.id] = gated
        }
        for (id, gated) in gatedSessions where state[id] == nil {
            gated.gate.write(SessionGrant(isPaused: true), ramp: policy.settings.fade)
            gatedSessions[id] = nil
        }
    }
}

extension SessionState {
    /// Whether the session lowers others only while it is audible, now.
    fileprivate var isKey: Bool { isActive && ducksOnlyWhileAudible }
}
