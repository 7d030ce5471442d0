/// Computes the grant of every session, and its reasons, from the state alone (rules ACT-5, CAT-4,
/// CAT-5, DUCK, INT-8, PERM, PLAY-4, ROUTE-9, VOL-2, VOL-3).
struct GrantResolver {
    let state: PolicyState
    private let settings: PolicySettings
    private let precedence: Precedence
    /// The active sessions that duck others, or only spoken audio (DUCK-4), the newest last,
    /// without those that have been silent for too long (ACT-17). Those that duck only while they
    /// are audible are included, because the newest ducker is exempt also while it is silent.
    private let duckers: [SessionState]
    /// The outputs of each ducker; nil if it lowers sessions on all outputs (DUCK-6).
    private let duckedOutputs: [Set<PolicyState.OutputPort>?]
    /// The active session of category record, which mutes others until its idle release (CAT-4,
    /// ACT-17).
    let recorder: SessionState?
    /// The active call, if it has been accepted, or conversation (ACT-5, ACT-18).
    let call: SessionState?

    init(_ state: PolicyState, _ settings: PolicySettings) {
        self.state = state
        self.settings = settings
        let precedence = Precedence(settings)
        self.precedence = precedence
        let active = state.active
        duckers = active.filter {
            $0.configuration.mayDuck && ($0.ducksOnlyWhileAudible || $0.idleRelease == .none)
        }
        duckedOutputs = duckers.map { settings.ducksAllOutputs ? nil : state.outputPorts(of: $0) }
        recorder = active.last { $0.configuration.category == .record && $0.idleRelease != .all }
        call = active.last(where: precedence.isCall)
    }

    /// Returns the grants of all sessions, in their order.
    func all() -> [ResolvedGrant] { state.sessions.map(resolvedGrant) }

    /// Returns the grant of one session and its reasons. Of two ducks, only the strong one applies.
    /// Only active sessions are muted or receive input.
    func resolvedGrant(of session: SessionState) -> ResolvedGrant {
        if session.playsSystemSounds { return systemSoundGrant(of: session) }
        let duck = duckReason(of: session)
        let strong = strongDuckReason(of: session)
        let mutes = session.isActive ? muteReasons(of: session) : []
        let takesInput =
            session.isActive && session.isInputRunning && session.configuration.category.traits.hasInput
        let silentInputRule = takesInput ? state.ruleForSilentInput(of: session) : nil
        let awaitsOutput = session.isActive && state.awaitsOutput(session)
        let grant = SessionGrant(
            attenuation: strong != nil ? settings.strongDuckAttenuation : duck != nil ? settings.duckAttenuation : 0,
            isPaused: !session.isActive || awaitsOutput, isMuted: !mutes.isEmpty,
            isInputGranted: takesInput && silentInputRule == nil, keys: keys(of: session))
        let input = silentInputRule.map { Reason(.inputSilenced, $0, since: since(session)) }
        var reasons = inactivityReasons(of: session)
        if awaitsOutput { reasons.append(Reason(.suspended, .srv2, since: since(session))) }
        if let ducked = strong ?? duck { reasons.append(ducked) }
        if let input { reasons.append(input) }
        return ResolvedGrant(grant: grant, reasons: mutes.isEmpty ? reasons : reasons + mutes)
    }

    /// Returns the grant of the session of an app's system sounds, which is not active, but heard
    /// unless something silences it (keeps PLAY-4).
    private func systemSoundGrant(of session: SessionState) -> ResolvedGrant {
        let duck = duckReason(of: session)
        let mutes = muteReasons(ofSystemSounds: session)
        let grant = SessionGrant(
            attenuation: duck == nil ? 0 : settings.duckAttenuation, isMuted: !mutes.isEmpty, keys: keys(of: session))
        return ResolvedGrant(grant: grant, reasons: (duck.map { [$0] } ?? []) + mutes)
    }

    /// Returns why a session does not run at all; the gate then pauses it (keeps INT-1, INT-8).
    private func inactivityReasons(of session: SessionState) -> [Reason] {
        switch session.activity {
        case .active: []
        case .inactive(let since): [Reason(.inactive, ruleForInactivity(of: session), since: since)]
        case .waiting(let wait): [Reason(.interrupted, wait.rule, by: wait.interrupter, since: wait.since)]
        }
    }

    /// Returns why a session is inactive: deferred (GUIDE-9), waiting for its activation (ACT-14),
    /// or not activated.
    private func ruleForInactivity(of session: SessionState) -> Rule {
        if session.isDeferred { return .guide9 }
        return state.pendingActivations.contains(session.id) ? .act14 : .act1
    }

    /// Returns why a session is ducked (keeps DUCK-1, DUCK-2, DUCK-3, DUCK-4 and DUCK-6).
    /// Sessions that are not active are ducked as well, so
    /// that playback that starts during a duck starts ducked (DUCK-7).
    private func duckReason(of session: SessionState) -> Reason? {
        guard let ducker = duckers(of: session).first(where: \.isDucking) else {
            return nil
        }
        let isDuckedLater = !session.isActive && !session.playsSystemSounds
        let rule: Rule = isDuckedLater ? .duck7 : ducker.configuration.ducksOthers ? .duck1 : .duck4
        return Reason(.ducked, rule, by: ducker.id, since: later(session, ducker))
    }

    /// Returns the sessions that duck a session, the newest first, with those that do so only while
    /// they are audible.
    private func duckers(of session: SessionState) -> [SessionState] {
        guard session.configuration.mode.allowsProcessing, !duckers.isEmpty else { return [] }
        // DUCK-1: of several duckers, the newest is not ducked. A ducker that is not active is not
        // ducked either, because it would be the newest when it activates.
        if !session.isActive, session.configuration.ducksOthers { return [] }
        let outputs = state.outputPorts(of: session)
        let newer = zip(duckers, duckedOutputs).reversed().prefix { ducker, _ in
            ducker.id != session.id || !ducker.configuration.ducksOthers
        }
        return newer.compactMap { ducker, ducked in
            guard ducker.id != session.id else { return nil }
            // DUCK-6: an unknown output is shared with every session.
            if let ducked, let outputs, ducked.isDisjoint(with: outputs) { return nil }
            return precedence.level(of: ducker) >= precedence.level(of: session) && ducks(ducker, session)
                ? ducker : nil
        }
    }

    /// Returns the sessions by which the render core of a session lowers it as soon as they are
    /// audible: the newest that duck it only while they are. One that claims to be audible, but has
    /// not played for too long, is none (ACT-17).
    private func keys(of session: SessionState) -> [SessionID] {
        let keys = duckers(of: session).lazy.filter {
            $0.ducksOnlyWhileAudible && ($0.idleRelease == .none || !$0.isAudible)
        }
        return keys.prefix(SessionGrant.maximumKeys).map(\.id)
    }

    /// Returns whether `ducker`, which is active, ducks `session`. A session with duckOthers ducks
    /// every other one. A session that interrupts spoken audio ducks only sessions in mode
    /// spokenAudio. These became active after it, because it interrupted the earlier ones (DUCK-4).
    private func ducks(_ ducker: SessionState, _ session: SessionState) -> Bool {
        ducker.configuration.ducksOthers || session.configuration.mode == .spokenAudio
    }

    /// Returns why a session that may play during a call or a conversation is strongly ducked
    /// (keeps ACT-5, ACT-18).
    private func strongDuckReason(of session: SessionState) -> Reason? {
        guard let call, call.id != session.id, precedence.plays(session, during: call),
            session.configuration.mode.allowsProcessing
        else { return nil }
        return Reason(.ducked, call.rank == .app ? .act18 : .act5, by: call.id, since: later(session, call))
    }

    /// Returns why an active session is muted; empty if it is not.
    private func muteReasons(of session: SessionState) -> [Reason] {
        let traits = session.configuration.category.traits
        var reasons: [Reason] = []
        if !traits.hasOutput {
            let rule: Rule = session.configuration.category == .audioProcessing ? .cat5 : .categoryTable
            reasons.append(Reason(.muted, rule, since: since(session)))
        }
        // CAT-4: the recorder mutes every mixable session except those that take precedence
        // (ACT-4).
        if let recorder, session.id != recorder.id, session.isMixable,
            precedence.level(of: session) <= precedence.level(of: recorder)
        {
            reasons.append(Reason(.muted, .cat4, by: recorder.id, since: later(session, recorder)))
        }
        // VOL-2: the silent switch mutes apps by category, and of the system's sessions only
        // ringing calls.
        let isSilenced = session.rank == .app ? traits.obeysSilentSwitch : session.isRinging
        if state.silentSwitch.isOn, isSilenced {
            reasons.append(Reason(.muted, .vol2, since: max(since(session), state.silentSwitch.since)))
        }
        if state.lacksOutput(session) { reasons.append(Reason(.muted, .route9, since: since(session))) }
        if session.isOutputMuted { reasons.append(Reason(.muted, .vol3, since: since(session))) }
        return reasons
    }

    func since(_ session: SessionState) -> EventTime {
        switch session.activity {
        case .active(let since), .inactive(let since): since
        case .waiting(let wait): wait.since
        }
    }

    func later(_ a: SessionState, _ b: SessionState) -> EventTime { max(since(a), since(b)) }
}

extension SessionState {
    /// Whether an active session that may duck others does so now: if it ducks only while it is
    /// audible, it is, and it has not been silent for too long (ACT-17, DUCK-2).
    fileprivate var isDucking: Bool { idleRelease == .none && (!ducksOnlyWhileAudible || isAudible) }
}
