/// The rules of sessions as one pure function: `(state, event) → (state, effects, reasons)`.
///
/// It has no clock, no I/O and no memory of its own: the same events on the same state give the same answer. Where to read on:
/// `Tables/` what categories, modes and options are; `Rules/Precedence.swift` who interrupts whom; `Rules/Activation.swift` and
/// `Rules/Leaving.swift` what follows from that; `Rules/AppLife.swift` what the background may; `Rules/Standings.swift` what each session is
/// granted, and why.
public struct Policy: Sendable {
    public let settings: PolicySettings

    public init(settings: PolicySettings = PolicySettings()) { self.settings = settings }

    /// What an event makes of a state.
    public struct Transition: Hashable, Sendable {
        public var state: PolicyState
        /// What is to be told, in this one order (ACT-11).
        public var effects: [Effect]
        /// Of every session, in the order of `state.sessions`.
        public var standings: [Standing]
    }

    /// Decides an event; throws when it is refused, and then the state stands as it was (keeps ACT-1, MODE-1, OPT-3, HW-4). Who knows the
    /// `standings` of the state, from the transition that led to it, saves asking for them again.
    public func apply(
        _ event: PolicyEvent, to state: PolicyState, standings: [Standing]? = nil
    ) throws(Refusal) -> Transition {
        var arbitration = Arbitration(state: state, settings: settings, now: event.time)
        try arbitration.decide(event.action)
        arbitration.grantPending()
        return conclude(arbitration, from: state, standings ?? self.standings(in: state))
    }

    /// What every session is granted, in the order of `state.sessions`.
    public func standings(in state: PolicyState) -> [Standing] { Standings(state, settings).all() }

    /// Why a session is as it is; empty when it runs at full level, nil when it is unknown.
    public func reasons(for id: SessionID, in state: PolicyState) -> [Reason]? {
        state[id].map { Standings(state, settings).standing(of: $0).reasons }
    }

    /// Adds what follows from the comparison of both states: hints (HINT-2) and who is not as before, or, where it is known what a session
    /// holds, does not hold what it is granted.
    func conclude(
        _ arbitration: Arbitration, from before: PolicyState, _ earlier: [Standing], held: [SessionID: Standing] = [:]
    ) -> Transition {
        let after = arbitration.state
        let standings = self.standings(in: after)
        var effects = arbitration.effects
        let (others, otherThen) = (OtherAudio(after, standings), OtherAudio(before, earlier))
        let isElsewhere = before.devices != after.devices || before.isInCall != after.isInCall
        for id in after.activeOrder {
            let hint = others.isPrimaryPlaying(besides: id)
            guard hint != otherThen.isPrimaryPlaying(besides: id), before[id]?.isActive == true,
                let session = after[id],
                session.rank == .app, after.isForeground(session)
            else { continue }
            effects.append(Effect(id, .silenceSecondaryAudioHint(hint), .hint2))
        }
        for (session, standing) in zip(after.sessions, standings) {
            let (id, place) = (session.id, before.index(of: session.id))
            guard
                isElsewhere || before.app(session.app).server != after.app(session.app).server
                    || place.map({ before.sessions[$0] != session }) ?? true
                    || (held[id] ?? place.map { earlier[$0] }) != standing
                    || otherThen.isPlaying(besides: id) != others.isPlaying(besides: id)
                    || otherThen.isPrimaryPlaying(besides: id) != others.isPrimaryPlaying(besides: id)
            else { continue }
            effects.append(Effect(id, .stateChanged, standing.reasons.first?.rule ?? .act1))
        }
        return Transition(state: after, effects: effects, standings: standings)
    }
}

extension Arbitration {
    /// One line an action; the rules are where the line leads.
    fileprivate mutating func decide(_ action: PolicyAction) throws(Refusal) {
        switch action {
        case .register(let id, let app): try register(id, app: app)
        case .unregister(let id):
            _ = try session(id)
            forget([id])
        case .appDied(let app):
            forget(state.sessions.filter { $0.app == app }.map(\.id))
            state.forgetApp(app)
            forgetUnnamedServers()

        case .configure(let id, let change): try configure(id, change)
        case .activate(let id): try activate(id)
        case .requestActivation(let id): try requestActivation(id)
        case .deactivate(let id, let notifyOthers): try deactivate(id, notifyOthers ? .withNotice : .silent)
        case .prefer(let id, let preference): try prefer(id, preference)
        case .preferNoInterruptionsFromSystemAlerts(let id, let prefers):
            try preferNoInterruptionsFromSystemAlerts(id, prefers)
        case .setOutputMuted(let id, let muted): try setOutputMuted(id, muted)
        case .setRunning(let id, let running): try change(id) { $0.isRunning = running }
        case .setInputRunning(let id, let running): try setInputRunning(id, running)
        case .remotePlay(let id): try lendForeground(id)
        case .preferInput(let id, let uid): try preferInput(id, uid)
        case .overrideOutput(let id, let toSpeaker): try overrideOutput(id, toSpeaker: toSpeaker)
        case .preferInterruptionOnRouteDisconnect(let id, let prefers):
            try change(id) { $0.prefersInterruptionOnRouteDisconnect = prefers }
        case .userPaused(let id): try userPaused(id)

        case .beginSystemSession(let id, let rank, let isRinging):
            try beginSystemSession(id, rank: rank, isRinging: isRinging)
        case .acceptCall(let id): try acceptCall(id)
        case .endSystemSession(let id, let shouldResume): try endSystemSession(id, shouldResume: shouldResume)

        case .setApplicationState(let app, let life): try setApplicationState(app, life)
        case .setDeclaresBackgroundAudio(let app, let declares): try setDeclaresBackgroundAudio(app, declares)
        case .setRecordPermission(let app, let permission): try setRecordPermission(app, permission)
        case .setInputMuted(let app, let muted): try setInputMuted(app, muted)
        case .setScreenLocked(let isLocked): try setScreenLocked(isLocked)

        case .resetSessions(let app): try resetSessions(of: app)
        case .setDevices(let app, let server, let devices): try setDevices(devices, of: server, seenBy: app)
        case .plug(let device): try plug(device)
        case .unplug(let uid): try unplug(uid)
        case .pick(let direction, let uid): try pick(direction, uid)
        case .setSilentSwitch(let isOn):
            if state.silentSwitch.isOn != isOn { state.silentSwitch = .init(isOn: isOn, since: now) }
        case .setDoNotDisturb(let isOn): setDoNotDisturb(isOn)
        case .setMicrophoneMuted(let isMuted): setMicrophoneMuted(isMuted)
        case .setVolume(let volume): try setVolume(volume)
        case .setRingVolume(let volume):
            try checkVolume(volume)
            state.ringVolume = volume
        }
    }
}
