/// Validation of records. Records come from other processes and from a file. A claim that no
/// sequence of events can produce is ignored (SRV-3).
extension Arbitration {
    /// Returns the records to restore: those of the system's own sessions and of apps' sessions of
    /// rank `app`, and of several with the same id the first.
    func firstValidRecords(_ system: SystemRecord, _ sessions: [SessionRecord]) -> [SessionRecord] {
        let systemRecords = system.sessions.filter { $0.session.app == .system }
        let appRecords = sessions.filter { $0.session.app != .system && $0.session.rank == .app }
        var seen: Set<SessionID> = []
        return (systemRecords + appRecords).filter { seen.insert($0.session.id).inserted }
    }

    /// Restores the state of the device as the arbiter left it, without invalid devices and
    /// volumes.
    mutating func restore(_ system: SystemRecord) {
        // ROUTE-2: the servers' own ports rank behind all other devices.
        for device in system.devices.filter(\.isServer) + system.devices.filter({ !$0.isServer }) {
            let known = state.devices.filter { $0.server == device.server }
            guard !known.contains(where: { $0.uid == device.uid }), (try? check(device, among: known)) != nil else {
                continue
            }
            state.devices.append(device)
            state.devices[state.devices.count - 1].isAwaited = false  // apps report that again
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

    /// Restores what is known of the apps. The records of sessions precede `system`; the first
    /// record of an app counts, and a session's record of another app is ignored.
    mutating func restoreApps(_ system: SystemRecord, _ records: [SessionRecord]) {
        var seen: Set<AppID> = [.system]
        let apps = records.filter { $0.app.id == $0.session.app }.map(\.app) + system.apps
        for app in apps where seen.insert(app.id).inserted { state.changeApp(app.id) { $0 = app } }
    }
}

extension SessionState {
    /// Returns this session with each invalid value replaced by its default. `resolve` then decides
    /// whether the session is active.
    ///
    /// A preferred input is kept: the device may be absent and return (ROUTE-6).
    func sanitized(_ state: PolicyState, _ settings: PolicySettings, at now: EventTime) -> SessionState {
        var session = self
        session.playsSystemSounds = playsSystemSounds && app != .system && rank == .app
        session.configuration = session.playsSystemSounds ? Configuration() : configuration.sanitized
        session.preferences = preferences.sanitized
        session.activity = activity.notLater(than: now)
        session.isAudible = isAudible && ducksOnlyWhileAudible
        session.isRinging = isRinging && rank == .call
        session.isDeferred = isDeferred && session.isRinging
        if !session.canMuteOutput { session.isOutputMuted = false }
        if !session.configuration.category.traits.hasInput { session.isInputRunning = false }
        if session.configuration.category != .playAndRecord { session.isOverriddenToSpeaker = false }
        if let silence, app != .system, rank == .app, isActive, !isRunning, !session.isInputRunning {
            let unusedSince = isPaused ? nil : silence.unusedSince.map { min($0, now) }
            session.silence = Silence(
                since: min(silence.since, now), unusedSince: unusedSince, release: silence.release)
        } else {
            session.silence = nil
        }
        session.temporaryForegroundUntil = temporaryForegroundUntil.map {
            min($0, now.advanced(by: settings.remotePlayGrace))
        }
        session.lastPlayed = lastPlayed.map { min($0, now) }
        session.nowPlaying = nowPlaying.flatMap { $0.info.fault == nil ? $0 : nil }
        session.wasSuspended = wasSuspended && app != .system && state.app(app).life == .suspended
        return session
    }
}

extension SessionState.Activity {
    /// Returns this activity, with a time that is not in the future.
    fileprivate func notLater(than now: EventTime) -> Self {
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
    /// The category, with as much of the rest of the configuration as it allows (MODE-1, OPT-3,
    /// ROUTE-10).
    fileprivate var sanitized: Configuration {
        for mode in [mode, .default] {
            for options in [requestedOptions, []] {
                for policy in [routeSharingPolicy, .default] {
                    let change = ConfigurationChange.category(
                        category, mode: mode, options: options, routeSharingPolicy: policy)
                    if let sanitized = try? Configuration().applying(change, PolicySettings()) { return sanitized }
                }
            }
        }
        return Configuration(category: category)
    }
}

extension Preferences {
    /// These preferred values, without those that are out of range (HW-4).
    fileprivate var sanitized: Preferences {
        var sanitized = Preferences()
        if Self.sampleRates.contains(sampleRate) { sanitized.sampleRate = sampleRate }
        if Self.ioBufferDurations.contains(ioBufferDuration) { sanitized.ioBufferDuration = ioBufferDuration }
        if Self.channelCounts.contains(inputChannels) { sanitized.inputChannels = inputChannels }
        if Self.channelCounts.contains(outputChannels) { sanitized.outputChannels = outputChannels }
        return sanitized
    }
}
