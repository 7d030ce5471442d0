/// Decides which audio sessions may play and record, as one pure function: `(state, event) →
/// (state, effects, grants)`.
///
/// The policy has no clock, performs no I/O and keeps no state between calls: the same event on the
/// same state always gives the same result. `Tables/` describes categories, modes and options.
/// `Rules/Precedence.swift` decides which session interrupts which. `Rules/Activation.swift` and
/// `Rules/Deactivation.swift` carry out the consequences. `Rules/AppLife.swift` restricts apps in
/// the background. `Rules/SystemSounds.swift` decides when system sounds are silent.
/// `Rules/GrantResolver.swift` computes the grant of each session and its reasons.
public struct Policy: Sendable {
    public let settings: PolicySettings

    public init(settings: PolicySettings = PolicySettings()) { self.settings = settings }

    /// The result of applying an event to a state.
    public struct Transition: Hashable, Sendable {
        public var state: PolicyState
        /// The notifications to deliver, in this order (ACT-11).
        public var effects: [Effect]
        /// The grants of all sessions, in the order of `state.sessions`.
        public var resolvedGrants: [ResolvedGrant]
    }

    /// Returns the transition that an event causes. Throws if a rule refuses the event; the state
    /// is then unchanged (keeps ACT-1, MODE-1, OPT-3, HW-4). A caller that already has the
    /// `resolvedGrants` of `state`, from the transition that produced it, can pass them to avoid
    /// computing them again.
    public func apply(
        _ event: PolicyEvent, to state: PolicyState, resolvedGrants: [ResolvedGrant]? = nil
    ) throws(Refusal) -> Transition {
        var arbitration = Arbitration(state: state, settings: settings, now: event.time)
        try arbitration.decide(event.action)
        arbitration.grantPending()
        arbitration.updateSilence(since: state)
        arbitration.updateRemoteControl(since: state)
        return conclude(arbitration, from: state, resolvedGrants ?? self.resolvedGrants(in: state))
    }

    /// Returns the grant of every session, in the order of `state.sessions`.
    public func resolvedGrants(in state: PolicyState) -> [ResolvedGrant] { GrantResolver(state, settings).all() }

    /// Returns the reasons why a session does not run at full level with all its input: empty if it
    /// does, nil if the session is unknown.
    public func reasons(for id: SessionID, in state: PolicyState) -> [Reason]? {
        state[id].map { GrantResolver(state, settings).resolvedGrant(of: $0).reasons }
    }

    /// Returns the transition from `before` to the decided state. Appends the effects that follow
    /// from comparing the two: silence hints (HINT-2) for the sessions that were and are active,
    /// and `stateChanged` for every session whose state or grant differs, or around which other
    /// audio, devices or calls differ. `earlier` are the grants in `before`; a grant in `held`,
    /// which a client reports to hold, is used instead.
    func conclude(
        _ arbitration: Arbitration, from before: PolicyState, _ earlier: [ResolvedGrant],
        held: [SessionID: ResolvedGrant] = [:]
    ) -> Transition {
        let after = arbitration.state
        let resolvedGrants = self.resolvedGrants(in: after)
        var effects = arbitration.effects
        let (othersNow, othersBefore) = (OtherAudio(after, resolvedGrants), OtherAudio(before, earlier))
        let devicesOrCallsChanged = before.devices != after.devices || before.isInCall != after.isInCall
        for id in after.activeOrder {
            let hint = othersNow.isPrimaryPlaying(otherThan: id)
            guard hint != othersBefore.isPrimaryPlaying(otherThan: id), before[id]?.isActive == true,
                let session = after[id],
                session.rank == .app, after.isForeground(session)
            else { continue }
            effects.append(Effect(id, .silenceSecondaryAudioHint(hint), .hint2))
        }
        for (session, resolvedGrant) in zip(after.sessions, resolvedGrants) {
            let (id, earlierIndex) = (session.id, before.index(of: session.id))
            guard
                devicesOrCallsChanged || before.app(session.app).server != after.app(session.app).server
                    || earlierIndex.map({ before.sessions[$0] != session }) ?? true
                    || (held[id] ?? earlierIndex.map { earlier[$0] }) != resolvedGrant
                    || othersBefore.isPlaying(otherThan: id) != othersNow.isPlaying(otherThan: id)
                    || othersBefore.isPrimaryPlaying(otherThan: id) != othersNow.isPrimaryPlaying(otherThan: id)
            else { continue }
            effects.append(Effect(id, .stateChanged, resolvedGrant.reasons.first?.rule ?? .act1))
        }
        return Transition(state: after, effects: effects, resolvedGrants: resolvedGrants)
    }
}

extension Arbitration {
    /// Dispatches each action to the function that decides it; decides the shortest ones here.
    fileprivate mutating func decide(_ action: PolicyAction) throws(Refusal) {
        switch action {
        case .register(let id, let app): try register(id, app: app)
        case .playSystemSounds(let id): try playSystemSounds(id)
        case .unregister(let id):
            _ = try session(id)
            forget([id])
        case .appDied(let app):
            forget(state.sessions.filter { $0.app == app }.map(\.id))
            state.forgetApp(app)
            forgetUnnamedServers()
            forgetMissingDevices()

        case .configure(let id, let change): try configure(id, change)
        case .activate(let id): try activate(id)
        case .requestActivation(let id): try requestActivation(id)
        case .deactivate(let id, let notifyOthers): try deactivate(id, notifyOthers ? .withNotice : .silent)
        case .prefer(let id, let preference): try prefer(id, preference)
        case .preferNoInterruptionsFromSystemAlerts(let id, let prefers):
            try preferNoInterruptionsFromSystemAlerts(id, prefers)
        case .setOutputMuted(let id, let muted): try setOutputMuted(id, muted)
        case .setRunning(let id, let running):
            try change(id) { $0.isRunning = running }
            if running { endIdleRelease(of: id) }
        case .setPaused(let id, let paused): try change(id) { $0.isPaused = paused }
        case .setDucksOnlyWhileAudible(let id, let isOn):
            try change(id) {
                $0.ducksOnlyWhileAudible = isOn
                $0.isAudible = $0.isAudible && isOn
            }
        case .setAudible(let id, let isAudible):
            try change(id) { $0.isAudible = isAudible && $0.ducksOnlyWhileAudible }
        case .releaseIdle(let id, let release): try releaseIdle(id, release)
        case .setInputRunning(let id, let running): try setInputRunning(id, running)
        case .remotePlay(let id): try grantTemporaryForeground(id)
        case .setRemoteCommands(let id, let kinds): try change(id) { $0.remoteCommands = kinds }
        case .setNowPlaying(let id, let info): try setNowPlaying(id, info)
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
        case .remoteCommand(let command): try send(command)
        case .setScreenLocked(let isLocked): setScreenLocked(isLocked)

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
