import SessionPolicy

/// Permutations of app sessions that leave a slice unchanged. States that differ only by one of
/// them are explored once.
///
/// This is sound because no rule reads an id. `ExplorationTests` compares the reduced count with a
/// full one.
struct Symmetry {
    /// For each permutation, the new position of the session at each position.
    let exchanges: [[Int]]

    /// Finds the permutations that map the slice's set of events onto itself.
    init(of slice: Slice) {
        let actions = Set(slice.actions)
        let all = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        exchanges = all.filter { places in
            guard let apps = Self.apps(exchangedBy: places, in: slice) else { return false }
            return Set(actions.map { $0.exchanging(places, apps) }) == actions
        }
    }

    /// No reduction: every state is explored.
    static let none = Symmetry()

    private init() { exchanges = [[0, 1, 2]] }

    /// Returns the app that replaces each app, or nil if the permutation would separate sessions of
    /// one app.
    private static func apps(exchangedBy places: [Int], in slice: Slice) -> [AppID: AppID]? {
        var apps: [AppID: AppID] = [:]
        for (index, id) in Slice.sessions.enumerated() {
            let (old, new) = (slice.app(of: id), slice.app(of: Slice.sessions[places[index]]))
            guard apps.updateValue(new, forKey: old) ?? new == new else { return nil }
        }
        return Set(apps.values).count == apps.count ? apps : nil
    }
}

extension PolicyAction {
    fileprivate func exchanging(_ places: [Int], _ apps: [AppID: AppID]) -> PolicyAction {
        func new(_ id: SessionID) -> SessionID {
            Slice.sessions.firstIndex(of: id).map { Slice.sessions[places[$0]] } ?? id
        }
        func new(_ app: AppID) -> AppID { apps[app] ?? app }
        return switch self {
        case .register(let id, let app): .register(new(id), app: new(app))
        case .playSystemSounds(let id): .playSystemSounds(new(id))
        case .unregister(let id): .unregister(new(id))
        case .appDied(let app): .appDied(new(app))
        case .configure(let id, let change): .configure(new(id), change)
        case .activate(let id): .activate(new(id))
        case .requestActivation(let id): .requestActivation(new(id))
        case .deactivate(let id, let notify): .deactivate(new(id), notifyOthers: notify)
        case .prefer(let id, let preference): .prefer(new(id), preference)
        case .preferNoInterruptionsFromSystemAlerts(let id, let yes):
            .preferNoInterruptionsFromSystemAlerts(new(id), yes)
        case .setOutputMuted(let id, let yes): .setOutputMuted(new(id), yes)
        case .setRunning(let id, let yes): .setRunning(new(id), yes)
        case .setPaused(let id, let yes): .setPaused(new(id), yes)
        case .setDucksOnlyWhileAudible(let id, let yes): .setDucksOnlyWhileAudible(new(id), yes)
        case .setAudible(let id, let yes): .setAudible(new(id), yes)
        case .releaseIdle(let id, let release): .releaseIdle(new(id), release)
        case .setInputRunning(let id, let yes): .setInputRunning(new(id), yes)
        case .remotePlay(let id): .remotePlay(new(id))
        case .setRemoteCommands(let id, let kinds): .setRemoteCommands(new(id), kinds)
        case .setNowPlaying(let id, let info): .setNowPlaying(new(id), info)
        case .userPaused(let id): .userPaused(new(id))
        case .preferInput(let id, let uid): .preferInput(new(id), uid)
        case .overrideOutput(let id, let yes): .overrideOutput(new(id), toSpeaker: yes)
        case .preferInterruptionOnRouteDisconnect(let id, let yes): .preferInterruptionOnRouteDisconnect(new(id), yes)
        case .setApplicationState(let app, let life): .setApplicationState(new(app), life)
        case .setDeclaresBackgroundAudio(let app, let yes): .setDeclaresBackgroundAudio(new(app), yes)
        case .setRecordPermission(let app, let permission): .setRecordPermission(new(app), permission)
        case .setInputMuted(let app, let yes): .setInputMuted(new(app), yes)
        case .resetSessions(let app): .resetSessions(new(app))
        case .setDevices(let app, let server, let devices): .setDevices(new(app), server: server, devices)
        case .beginSystemSession, .acceptCall, .endSystemSession, .setScreenLocked, .setSilentSwitch,
            .setMicrophoneMuted, .setDoNotDisturb, .remoteCommand, .plug, .unplug, .pick, .setVolume, .setRingVolume:
            self
        }
    }
}
