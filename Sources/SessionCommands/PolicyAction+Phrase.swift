internal import SessionPolicy

extension PolicyAction {
    /// The session that the action concerns; nil if it concerns an app or the device.
    var session: SessionID? {
        switch self {
        case .register(let id, _), .playSystemSounds(let id), .unregister(let id), .configure(let id, _),
            .activate(let id),
            .requestActivation(let id), .deactivate(let id, _), .prefer(let id, _),
            .preferNoInterruptionsFromSystemAlerts(let id, _), .setOutputMuted(let id, _), .setRunning(let id, _),
            .setDucksOnlyWhileAudible(let id, _), .setAudible(let id, _),
            .setPaused(let id, _), .releaseIdle(let id, _), .setInputRunning(let id, _), .remotePlay(let id),
            .setRemoteCommands(let id, _), .setNowPlaying(let id, _),
            .preferInput(let id, _), .overrideOutput(let id, _),
            .preferInterruptionOnRouteDisconnect(let id, _), .userPaused(let id), .beginSystemSession(let id, _, _),
            .acceptCall(let id), .endSystemSession(let id, _):
            id
        case .appDied, .setApplicationState, .setDeclaresBackgroundAudio, .setRecordPermission, .setInputMuted,
            .resetSessions, .setDevices, .setScreenLocked, .plug, .unplug, .pick, .setSilentSwitch, .setDoNotDisturb,
            .setMicrophoneMuted, .setVolume, .setRingVolume, .remoteCommand:
            nil
        }
    }

    /// The app that the action concerns, if it names no session.
    var app: AppID? {
        switch self {
        case .appDied(let app), .setApplicationState(let app, _), .setDeclaresBackgroundAudio(let app, _),
            .setRecordPermission(let app, _), .setInputMuted(let app, _),
            .setDevices(let app, _, _), .resetSessions(let app):
            app
        default: nil
        }
    }

    /// The action without its session or app: "set category playback, duckOthers".
    var phrase: String {
        switch self {
        case .register(_, let app): "register for pid \(app.rawValue)"
        case .playSystemSounds: "play system sounds"
        case .unregister: "unregister"
        case .appDied: "exit"
        case .configure(_, let change): change.phrase
        case .activate: "activate"
        case .requestActivation: "activate, or wait until allowed"
        case .deactivate(_, let notifies): "deactivate" + (notifies ? " and notify others" : "")
        case .prefer(_, let preference): preference.phrase
        case .preferNoInterruptionsFromSystemAlerts(_, let prefers):
            prefers ? "prefer no interruptions by ringing" : "allow interruptions by ringing"
        case .setOutputMuted(_, let isMuted): isMuted ? "mute its output" : "unmute its output"
        case .setRunning(_, let runs): runs ? "start playing" : "stop playing"
        case .setInputRunning(_, let runs): runs ? "start input" : "stop input"
        case .setPaused(_, let isPaused): isPaused ? "pause part-way" : "no longer pause part-way"
        case .setDucksOnlyWhileAudible(_, let isOn):
            isOn ? "duck others only while audible" : "duck others while active"
        case .setAudible(_, let isAudible): isAudible ? "become audible" : "cease to be audible"
        case .releaseIdle(_, let release):
            release == .all ? "is silent: others no longer wait for it" : "is silent: others are no longer ducked by it"
        case .remotePlay: "play by remote command"
        case .setRemoteCommands(_, let kinds):
            kinds.isEmpty
                ? "handle no remote commands"
                : "handle remote commands "
                    + RemoteCommand.Kind.allCases.filter(kinds.contains).map(\.rawValue).joined(separator: ", ")
        case .setNowPlaying(_, let info): info?.phrase ?? "publish nothing as now playing"
        case .remoteCommand(let command): "remote command \(command.phrase)"
        case .preferInput(_, let uid): uid.map { "prefer input '\($0)'" } ?? "prefer no input"
        case .overrideOutput(_, let toSpeaker): toSpeaker ? "override the output to the speaker" : "clear the override"
        case .preferInterruptionOnRouteDisconnect(_, let prefers):
            (prefers ? "" : "do not ") + "interrupt when the output disconnects"
        case .userPaused: "pause by the user"
        case .beginSystemSession(_, let rank, let isRinging):
            isRinging ? "ring" : "begin as \(rank == .app ? "a simulated app" : "\(rank)")"
        case .acceptCall: "accept the call"
        case .endSystemSession(_, let shouldResume): "end" + (shouldResume ? "" : " without resuming others")
        case .setApplicationState(_, let state): "enter state \(state.rawValue)"
        case .setDeclaresBackgroundAudio(_, let declares):
            declares ? "declare background audio" : "declare no background audio"
        case .setRecordPermission(_, let permission): "set record permission \(permission.name)"
        case .setInputMuted(_, let isMuted): isMuted ? "mute its inputs" : "unmute its inputs"
        case .setScreenLocked(let isLocked): isLocked ? "lock the screen" : "unlock the screen"
        case .resetSessions: "reset its sessions after the audio server's return"
        case .setDevices(_, let server, let devices):
            "report devices on server '\(server)': "
                + (devices.isEmpty ? "none" : devices.map { "'\($0.uid)'" }.joined(separator: ", "))
        case .plug(let device): "plug in '\(device.uid)'"
        case .unplug(let uid): "unplug '\(uid)'"
        case .pick(let direction, let uid):
            "pick \(uid.map { "\(direction.rawValue) '\($0)'" } ?? "no \(direction.rawValue)")"
        case .setSilentSwitch(let isOn): "turn the silent switch \(Text.onOff(isOn))"
        case .setDoNotDisturb(let isOn): "turn do-not-disturb \(Text.onOff(isOn))"
        case .setMicrophoneMuted(let isMuted): isMuted ? "mute the microphone" : "unmute the microphone"
        case .setVolume(let volume): "set the volume to \(Text.rounded(Double(volume), 2))"
        case .setRingVolume(let volume): "set the ring volume to \(Text.rounded(Double(volume), 2))"
        }
    }
}

extension ConfigurationChange {
    fileprivate var phrase: String {
        switch self {
        case .category(let category, let mode, let options, let policy):
            (["set category \(category.rawValue)"] + (mode.map { ["mode \($0.rawValue)"] } ?? []) + options.names
                + (policy == .default ? [] : ["\(policy)"])).joined(separator: ", ")
        case .mode(let mode): "set mode \(mode.rawValue)"
        }
    }
}

extension RemoteCommand {
    /// The name of the command, and its value: "seek 12.5".
    var phrase: String {
        switch self {
        case .skip(let value), .seek(let value), .setRate(let value): "\(kind.rawValue) \(Text.rounded(value, 3))"
        case .setShuffled(let isOn): "\(kind.rawValue) \(Text.onOff(isOn))"
        case .setRepeatMode(let mode): "\(kind.rawValue) \(mode.rawValue)"
        default: kind.rawValue
        }
    }
}

extension NowPlayingInfo {
    /// What an app publishes: "publish as playing 'Title' at 12.5 s".
    fileprivate var phrase: String {
        "publish as \(playbackState.rawValue) \(title.map { "'\($0)' " } ?? "")at \(Text.rounded(position, 3)) s"
    }
}

extension Preference {
    fileprivate var phrase: String {
        switch self {
        case .sampleRate(let rate): "prefer a sample rate of \(Text.rounded(rate, 3)) Hz"
        case .ioBufferDuration(let duration): "prefer an I/O buffer of \(Text.milliseconds(duration))"
        case .inputChannels(let count): "prefer \(count) input channels"
        case .outputChannels(let count): "prefer \(count) output channels"
        }
    }
}
