/// What every session is granted, and why: a function of the state (rules CAT-4, CAT-5, DUCK, INT-8, VOL).
struct Standings {
    private let state: PolicyState
    private let settings: PolicySettings
    /// Active sessions that lower others, the newest last.
    private let duckers: [SessionState]
    /// An active session of category record, which mutes (CAT-4).
    private let recorder: SessionState?
    /// An accepted, active call.
    private let call: SessionState?

    init(_ state: PolicyState, _ settings: PolicySettings) {
        self.state = state
        self.settings = settings
        let active = state.active
        duckers = active.filter { $0.configuration.ducksOthers || $0.configuration.interruptsSpokenAudio }
        recorder = active.last { $0.configuration.category == .record }
        call = active.last { $0.rank == .call && !$0.isRinging }
    }

    /// Of every session, in their order.
    func all() -> [Standing] { state.sessions.map(standing) }

    func standing(of session: SessionState) -> Standing {
        let duck = duckReason(of: session)
        let strong = strongDuckReason(of: session)
        let mutes = session.isActive ? muteReasons(of: session) : []
        let takesInput =
            session.isActive && session.isInputRunning && session.configuration.category.traits.hasInput
        let silentInput = takesInput ? state.ruleForSilentInput(of: session) : nil
        let verdict = Verdict(
            attenuation: strong != nil ? settings.strongDuckAttenuation : duck != nil ? settings.duckAttenuation : 0,
            isPaused: !session.isActive, isMuted: !mutes.isEmpty,
            isInputGranted: takesInput && silentInput == nil)
        let input = silentInput.map { Reason(.inputSilenced, $0, since: since(session)) }
        var reasons = idleReasons(of: session)
        if let ducked = strong ?? duck { reasons.append(ducked) }
        if let input { reasons.append(input) }
        return Standing(verdict: verdict, reasons: mutes.isEmpty ? reasons : reasons + mutes)
    }

    /// Why it does not run at all: the gate pauses it (keeps INT-1, INT-8).
    private func idleReasons(of session: SessionState) -> [Reason] {
        switch session.activity {
        case .active: []
        case .inactive(let since): [Reason(.inactive, ruleForIdleness(of: session), since: since)]
        case .waiting(let wait): [Reason(.interrupted, wait.rule, by: wait.rival, since: wait.since)]
        }
    }

    private func ruleForIdleness(of session: SessionState) -> Rule {
        if session.isHeldBack { return .guide9 }
        return state.pendingActivations.contains(session.id) ? .act14 : .act1
    }

    /// Keeps DUCK-1, DUCK-2, DUCK-3, DUCK-4 and DUCK-6 (one output: all); sessions that are not active stand ready ducked, so that
    /// what starts during a duck starts ducked (DUCK-7).
    private func duckReason(of session: SessionState) -> Reason? {
        guard session.configuration.mode.allowsProcessing else { return nil }
        // DUCK-1: of several duckers the newest is not lowered; one that is not active would be the newest.
        if !session.isActive, session.configuration.ducksOthers { return nil }
        let newest = duckers.last { ducker in
            ducker.id == session.id
                ? ducker.configuration.ducksOthers : ducker.rank >= session.rank && ducks(ducker, session)
        }
        guard let ducker = newest, ducker.id != session.id else { return nil }
        let rule: Rule = !session.isActive ? .duck7 : ducker.configuration.ducksOthers ? .duck1 : .duck4
        return Reason(.ducked, rule, by: ducker.id, since: later(session, ducker))
    }

    /// A plain ducker lowers all; one that interrupts spoken audio lowers what is spoken and started later (DUCK-4).
    private func ducks(_ ducker: SessionState, _ session: SessionState) -> Bool {
        ducker.configuration.ducksOthers || session.configuration.mode == .spokenAudio
    }

    /// Keeps ACT-5: what may play during a call plays far below it.
    private func strongDuckReason(of session: SessionState) -> Reason? {
        guard let call, session.playsDuring(call), session.configuration.mode.allowsProcessing else { return nil }
        return Reason(.ducked, .act5, by: call.id, since: later(session, call))
    }

    private func muteReasons(of session: SessionState) -> [Reason] {
        let traits = session.configuration.category.traits
        var reasons: [Reason] = []
        if !traits.hasOutput {
            let rule: Rule = session.configuration.category == .audioProcessing ? .cat5 : .categoryTable
            reasons.append(Reason(.muted, rule, since: since(session)))
        }
        // CAT-4: every mixable session, but none of higher rank (ACT-4).
        if let recorder, session.id != recorder.id, session.isMixable, session.rank <= recorder.rank {
            reasons.append(Reason(.muted, .cat4, by: recorder.id, since: later(session, recorder)))
        }
        // VOL-2: by category for apps; of the system's sessions only ringing.
        let obeys = session.rank == .app ? traits.obeysSilentSwitch : session.isRinging
        if state.silentSwitch.isOn, obeys {
            reasons.append(Reason(.muted, .vol2, since: max(since(session), state.silentSwitch.since)))
        }
        if state.lacksOutput(session) { reasons.append(Reason(.muted, .route9, since: since(session))) }
        if session.isOutputMuted { reasons.append(Reason(.muted, .vol3, since: since(session))) }
        return reasons
    }

    private func since(_ session: SessionState) -> EventTime {
        switch session.activity {
        case .active(let since), .inactive(let since): since
        case .waiting(let wait): wait.since
        }
    }

    private func later(_ a: SessionState, _ b: SessionState) -> EventTime { max(since(a), since(b)) }
}
