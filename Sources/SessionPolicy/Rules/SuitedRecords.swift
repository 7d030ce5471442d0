/// What of a record can be so. Records come from other processes, and from a file: what no history leads to counts as not said (SRV-3).
extension Arbitration {
    /// The first record of each id: the system's own sessions, and sessions of rank app of the apps.
    func admitted(_ system: SystemRecord, _ sessions: [SessionRecord]) -> [SessionRecord] {
        let own = system.sessions.filter { $0.session.app == .system }
        let others = sessions.filter { $0.session.app != .system && $0.session.rank == .app }
        var seen: Set<SessionID> = []
        return (own + others).filter { seen.insert($0.session.id).inserted }
    }

    /// The device as the arbiter left it.
    mutating func restore(_ system: SystemRecord) {
        // ROUTE-2: the servers' own ports stand behind all others.
        for device in system.devices.filter(\.isServer) + system.devices.filter({ !$0.isServer }) {
            let group = state.devices.filter { $0.server == device.server }
            guard !group.contains(where: { $0.uid == device.uid }), (try? check(device, among: group)) != nil else {
                continue
            }
            state.devices.append(device)
        }
        state.pickedOutput = system.pickedOutput
        state.pickedInput = system.pickedInput
        state.silentSwitch = .init(isOn: system.silentSwitch.isOn, since: min(system.silentSwitch.since, now))
        state.microphoneMute = .init(isOn: system.microphoneMute.isOn, since: min(system.microphoneMute.since, now))
        state.isScreenLocked = system.isScreenLocked
        state.isDoNotDisturbOn = system.isDoNotDisturbOn
        if (try? checkVolume(system.volume)) != nil { state.volume = system.volume }
        if (try? checkVolume(system.ringVolume)) != nil { state.ringVolume = system.ringVolume }
    }

    /// What is known of the apps; the first that says something of an app counts.
    mutating func restoreApps(_ system: SystemRecord, _ records: [SessionRecord]) {
        var seen: Set<AppID> = [.system]
        let apps = records.filter { $0.app.id == $0.session.app }.map(\.app) + system.apps
        for app in apps where seen.insert(app.id).inserted { state.changeApp(app.id) { $0 = app } }
    }
}

extension SessionState {
    /// This session with all that can be so, and the default for what cannot. Its activity is settled elsewhere.
    ///
    /// A chosen input stays: it may be away and come back (ROUTE-6).
    func suited(_ state: PolicyState, _ settings: PolicySettings, at now: EventTime) -> SessionState {
        var session = self
        session.configuration = configuration.suited
        session.preferences = preferences.suited
        session.activity = activity.begun(before: now)
        session.isRinging = isRinging && rank == .call
        session.isHeldBack = isHeldBack && (session.isRinging || rank == .assistant)
        if !session.canMuteOutput { session.isOutputMuted = false }
        if !session.configuration.category.traits.hasInput { session.isInputRunning = false }
        if session.configuration.category != .playAndRecord { session.isOverriddenToSpeaker = false }
        session.foregroundLentUntil = foregroundLentUntil.map { min($0, settings.endOfLentForeground(from: now)) }
        session.wasSuspended = wasSuspended && app != .system && state.app(app).life == .suspended
        return session
    }
}

extension SessionState.Activity {
    fileprivate func begun(before now: EventTime) -> Self {
        switch self {
        case .inactive(let since): return .inactive(since: min(since, now))
        case .active(let since): return .active(since: min(since, now))
        case .waiting(var wait):
            wait.since = min(wait.since, now)
            return .waiting(wait)
        }
    }
}

extension Configuration {
    /// The category with as much of the rest as goes with it (MODE-1, OPT-3, ROUTE-10).
    fileprivate var suited: Configuration {
        for mode in [mode, .default] {
            for options in [requestedOptions, []] {
                for policy in [routeSharingPolicy, .default] {
                    let change = ConfigurationChange.category(
                        category, mode: mode, options: options, routeSharingPolicy: policy)
                    if let suited = try? Configuration().applying(change, PolicySettings()) { return suited }
                }
            }
        }
        return Configuration(category: category)
    }
}

extension Preferences {
    /// These wishes without the absurd ones (HW-4).
    fileprivate var suited: Preferences {
        var suited = Preferences()
        if Self.sampleRates.contains(sampleRate) { suited.sampleRate = sampleRate }
        if Self.ioBufferDurations.contains(ioBufferDuration) { suited.ioBufferDuration = ioBufferDuration }
        if Self.channelCounts.contains(inputChannels) { suited.inputChannels = inputChannels }
        if Self.channelCounts.contains(outputChannels) { suited.outputChannels = outputChannels }
        return suited
    }
}
