/// An action is one flat object in JSON, such as `{"action": "deactivate", "session": 5,
/// "notifyOthers": true}`. An event is the same object with the key `time` added. The value of
/// `action` is the name of the case; keys that do not belong to it are ignored.
///
/// | action | keys |
/// |---|---|
/// | register | session, app |
/// | playSystemSounds, unregister | session |
/// | activate, requestActivation, remotePlay, userPaused, acceptCall | session |
/// | appDied, resetSessions | app |
/// | configure | session, category, [mode], [options], [routeSharingPolicy]; or session, mode |
/// | deactivate | session, notifyOthers |
/// | prefer | session, preference, value |
/// | preferNoInterruptionsFromSystemAlerts | session, prefers |
/// | preferInterruptionOnRouteDisconnect | session, prefers |
/// | setOutputMuted | session, isMuted |
/// | setRunning, setInputRunning | session, isRunning |
/// | setPaused | session, isPaused |
/// | setDucksOnlyWhileAudible | session, isOn |
/// | setAudible | session, isAudible |
/// | releaseIdle | session, release (none, ducking, all) |
/// | setRemoteCommands | session, commands |
/// | setNowPlaying | session, [info] |
/// | remoteCommand | command, [value] |
/// | preferInput | session, [uid] |
/// | overrideOutput | session, toSpeaker |
/// | beginSystemSession | session, rank, isRinging |
/// | endSystemSession | session, shouldResume |
/// | setApplicationState | app, state (foreground, background, suspended) |
/// | setDeclaresBackgroundAudio | app, declares |
/// | setRecordPermission | app, permission |
/// | setInputMuted | app, isMuted |
/// | setScreenLocked | isLocked |
/// | setDevices | app, server, devices |
/// | plug | device |
/// | unplug | uid |
/// | pick | direction, [uid] |
/// | setSilentSwitch, setDoNotDisturb | isOn |
/// | setMicrophoneMuted | isMuted |
/// | setVolume, setRingVolume | value, 0…1 |
///
/// A preference is sampleRate, ioBufferDuration, inputChannels or outputChannels.
extension PolicyAction {
    /// The name of an action, which is the name of its case.
    public enum Name: String, Hashable, Sendable, Codable, CaseIterable {
        case register, playSystemSounds, unregister, appDied
        case configure, activate, requestActivation, deactivate, prefer, preferNoInterruptionsFromSystemAlerts
        case setOutputMuted, setRunning, setPaused, setDucksOnlyWhileAudible, setAudible, setInputRunning, remotePlay,
            preferInput, overrideOutput
        case preferInterruptionOnRouteDisconnect, userPaused, releaseIdle
        case beginSystemSession, acceptCall, endSystemSession
        case setApplicationState, setDeclaresBackgroundAudio, setRecordPermission, setInputMuted
        case setRemoteCommands, setNowPlaying, remoteCommand
        case setScreenLocked, resetSessions, setDevices, plug, unplug, pick, setSilentSwitch, setDoNotDisturb,
            setMicrophoneMuted
        case setVolume, setRingVolume
    }

    public var name: Name { flat.0 }

    private enum Key: String, CodingKey {
        case action, session, app, notifyOthers, prefers, isMuted, isRunning, uid, toSpeaker, rank, isRinging
        case shouldResume, state, declares, permission, isLocked, server, devices, device, direction, isOn, value
        case isPaused, isAudible, release, commands, info
    }

    public init(from decoder: any Decoder) throws {
        let keys = try decoder.object(of: Key.self, "an action, an object with 'action'")
        switch try keys.read(.action, as: Name.self) {
        case .register: self = .register(try keys.read(.session), app: try keys.read(.app))
        case .playSystemSounds: self = .playSystemSounds(try keys.read(.session))
        case .unregister: self = .unregister(try keys.read(.session))
        case .appDied: self = .appDied(try keys.read(.app))

        case .configure: self = .configure(try keys.read(.session), try ConfigurationChange(from: decoder))
        case .activate: self = .activate(try keys.read(.session))
        case .requestActivation: self = .requestActivation(try keys.read(.session))
        case .deactivate: self = .deactivate(try keys.read(.session), notifyOthers: try keys.read(.notifyOthers))
        case .prefer: self = .prefer(try keys.read(.session), try Preference(from: decoder))
        case .preferNoInterruptionsFromSystemAlerts:
            self = .preferNoInterruptionsFromSystemAlerts(try keys.read(.session), try keys.read(.prefers))
        case .setOutputMuted: self = .setOutputMuted(try keys.read(.session), try keys.read(.isMuted))
        case .setRunning: self = .setRunning(try keys.read(.session), try keys.read(.isRunning))
        case .setPaused: self = .setPaused(try keys.read(.session), try keys.read(.isPaused))
        case .setDucksOnlyWhileAudible:
            self = .setDucksOnlyWhileAudible(try keys.read(.session), try keys.read(.isOn))
        case .setAudible: self = .setAudible(try keys.read(.session), try keys.read(.isAudible))
        case .releaseIdle: self = .releaseIdle(try keys.read(.session), try keys.read(.release))
        case .setInputRunning: self = .setInputRunning(try keys.read(.session), try keys.read(.isRunning))
        case .remotePlay: self = .remotePlay(try keys.read(.session))
        case .setRemoteCommands:
            self = .setRemoteCommands(
                try keys.read(.session), Set(try keys.read(.commands, as: [RemoteCommand.Kind].self)))
        case .setNowPlaying:
            self = .setNowPlaying(try keys.read(.session), try keys.readIfPresent(.info))
        case .remoteCommand: self = .remoteCommand(try RemoteCommand(from: decoder))
        case .preferInput: self = .preferInput(try keys.read(.session), try keys.readIfPresent(.uid))
        case .overrideOutput: self = .overrideOutput(try keys.read(.session), toSpeaker: try keys.read(.toSpeaker))
        case .preferInterruptionOnRouteDisconnect:
            self = .preferInterruptionOnRouteDisconnect(try keys.read(.session), try keys.read(.prefers))
        case .userPaused: self = .userPaused(try keys.read(.session))

        case .beginSystemSession:
            self = .beginSystemSession(
                try keys.read(.session), rank: try keys.read(.rank), isRinging: try keys.read(.isRinging))
        case .acceptCall: self = .acceptCall(try keys.read(.session))
        case .endSystemSession:
            self = .endSystemSession(try keys.read(.session), shouldResume: try keys.read(.shouldResume))

        case .setApplicationState: self = .setApplicationState(try keys.read(.app), try keys.read(.state))
        case .setDeclaresBackgroundAudio:
            self = .setDeclaresBackgroundAudio(try keys.read(.app), try keys.read(.declares))
        case .setRecordPermission: self = .setRecordPermission(try keys.read(.app), try keys.read(.permission))
        case .setInputMuted: self = .setInputMuted(try keys.read(.app), try keys.read(.isMuted))

        case .setScreenLocked: self = .setScreenLocked(try keys.read(.isLocked))
        case .resetSessions: self = .resetSessions(try keys.read(.app))
        case .setDevices:
            self = .setDevices(
                try keys.read(.app), server: try keys.read(.server), try keys.read(.devices))
        case .plug: self = .plug(try keys.read(.device))
        case .unplug: self = .unplug(try keys.read(.uid))
        case .pick: self = .pick(try keys.read(.direction), try keys.readIfPresent(.uid))
        case .setSilentSwitch: self = .setSilentSwitch(try keys.read(.isOn))
        case .setDoNotDisturb: self = .setDoNotDisturb(try keys.read(.isOn))
        case .setMicrophoneMuted: self = .setMicrophoneMuted(try keys.read(.isMuted))
        case .setVolume: self = .setVolume(try keys.readFinite(.value))
        case .setRingVolume: self = .setRingVolume(try keys.readFinite(.value))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        let (name, fields) = flat
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(name, forKey: .action)
        for (key, value) in fields { try object.encode(value, forKey: key) }
        switch self {
        case .configure(_, let change): try change.encode(to: encoder)
        case .prefer(_, let preference): try preference.encode(to: encoder)
        case .remoteCommand(let command): try command.encode(to: encoder)
        case .setNowPlaying(_, let info): try object.encodeIfPresent(info, forKey: .info)
        case .preferInput(_, let uid), .pick(_, let uid): try object.encodeIfPresent(uid, forKey: .uid)
        default: break
        }
    }

    /// The name of the action, and its keys and values, except optional ones and those of a
    /// configuration, a preference or a command, which `encode` adds.
    private var flat: (Name, KeyValuePairs<Key, any Encodable>) {
        switch self {
        case .register(let id, let app): (.register, [.session: id, .app: app])
        case .playSystemSounds(let id): (.playSystemSounds, [.session: id])
        case .unregister(let id): (.unregister, [.session: id])
        case .appDied(let app): (.appDied, [.app: app])

        case .configure(let id, _): (.configure, [.session: id])
        case .activate(let id): (.activate, [.session: id])
        case .requestActivation(let id): (.requestActivation, [.session: id])
        case .deactivate(let id, let notifyOthers): (.deactivate, [.session: id, .notifyOthers: notifyOthers])
        case .prefer(let id, _): (.prefer, [.session: id])
        case .preferNoInterruptionsFromSystemAlerts(let id, let prefers):
            (.preferNoInterruptionsFromSystemAlerts, [.session: id, .prefers: prefers])
        case .setOutputMuted(let id, let isMuted): (.setOutputMuted, [.session: id, .isMuted: isMuted])
        case .setRunning(let id, let isRunning): (.setRunning, [.session: id, .isRunning: isRunning])
        case .setPaused(let id, let isPaused): (.setPaused, [.session: id, .isPaused: isPaused])
        case .setDucksOnlyWhileAudible(let id, let isOn):
            (.setDucksOnlyWhileAudible, [.session: id, .isOn: isOn])
        case .setAudible(let id, let isAudible): (.setAudible, [.session: id, .isAudible: isAudible])
        case .releaseIdle(let id, let release): (.releaseIdle, [.session: id, .release: release])
        case .setInputRunning(let id, let isRunning): (.setInputRunning, [.session: id, .isRunning: isRunning])
        case .remotePlay(let id): (.remotePlay, [.session: id])
        case .setRemoteCommands(let id, let kinds):
            (.setRemoteCommands, [.session: id, .commands: RemoteCommand.Kind.allCases.filter(kinds.contains)])
        case .setNowPlaying(let id, _): (.setNowPlaying, [.session: id])
        case .remoteCommand: (.remoteCommand, [:])
        case .preferInput(let id, _): (.preferInput, [.session: id])
        case .overrideOutput(let id, let toSpeaker): (.overrideOutput, [.session: id, .toSpeaker: toSpeaker])
        case .preferInterruptionOnRouteDisconnect(let id, let prefers):
            (.preferInterruptionOnRouteDisconnect, [.session: id, .prefers: prefers])
        case .userPaused(let id): (.userPaused, [.session: id])

        case .beginSystemSession(let id, let rank, let isRinging):
            (.beginSystemSession, [.session: id, .rank: rank, .isRinging: isRinging])
        case .acceptCall(let id): (.acceptCall, [.session: id])
        case .endSystemSession(let id, let resume): (.endSystemSession, [.session: id, .shouldResume: resume])

        case .setApplicationState(let app, let life): (.setApplicationState, [.app: app, .state: life])
        case .setDeclaresBackgroundAudio(let app, let declares):
            (.setDeclaresBackgroundAudio, [.app: app, .declares: declares])
        case .setRecordPermission(let app, let permission):
            (.setRecordPermission, [.app: app, .permission: permission])
        case .setInputMuted(let app, let isMuted): (.setInputMuted, [.app: app, .isMuted: isMuted])

        case .setScreenLocked(let isLocked): (.setScreenLocked, [.isLocked: isLocked])
        case .resetSessions(let app): (.resetSessions, [.app: app])
        case .setDevices(let app, let server, let devices):
            (.setDevices, [.app: app, .server: server, .devices: devices])
        case .plug(let device): (.plug, [.device: device])
        case .unplug(let uid): (.unplug, [.uid: uid])
        case .pick(let direction, _): (.pick, [.direction: direction])
        case .setSilentSwitch(let isOn): (.setSilentSwitch, [.isOn: isOn])
        case .setDoNotDisturb(let isOn): (.setDoNotDisturb, [.isOn: isOn])
        case .setMicrophoneMuted(let isMuted): (.setMicrophoneMuted, [.isMuted: isMuted])
        case .setVolume(let volume): (.setVolume, [.value: volume])
        case .setRingVolume(let volume): (.setRingVolume, [.value: volume])
        }
    }
}

extension PolicyAction.Name: JSONNamed {}

extension PolicyEvent {
    private enum Key: String, CodingKey { case time }

    public init(from decoder: any Decoder) throws {
        let object = try decoder.object(of: Key.self, "an event, an object with 'time' and 'action'")
        self.init(try PolicyAction(from: decoder), at: try object.read(.time))
    }

    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(time, forKey: .time)
        try action.encode(to: encoder)
    }
}
