package import SessionPolicy

/// What an action concerns.
package enum ActionSubject {
    case session(SessionID)
    case app(AppID)
    case device
    /// Only the arbiter decides on this action.
    case arbiter
}

extension PolicyAction {
    package var subject: ActionSubject {
        switch self {
        case .register, .appDied, .beginSystemSession, .releaseIdle: .arbiter
        case .playSystemSounds(let id), .unregister(let id), .configure(let id, _), .activate(let id),
            .requestActivation(let id),
            .deactivate(let id, _), .prefer(let id, _), .preferNoInterruptionsFromSystemAlerts(let id, _),
            .setOutputMuted(let id, _), .setRunning(let id, _), .setPaused(let id, _), .setInputRunning(let id, _),
            .setDucksOnlyWhileAudible(let id, _), .setAudible(let id, _),
            .remotePlay(let id), .setRemoteCommands(let id, _), .setNowPlaying(let id, _),
            .preferInput(let id, _), .overrideOutput(let id, _), .preferInterruptionOnRouteDisconnect(let id, _),
            .userPaused(let id), .acceptCall(let id), .endSystemSession(let id, _):
            .session(id)
        case .setApplicationState(let app, _), .setDeclaresBackgroundAudio(let app, _),
            .setRecordPermission(let app, _),
            .setInputMuted(let app, _), .setDevices(let app, _, _), .resetSessions(let app):
            .app(app)
        case .setScreenLocked, .plug, .unplug, .pick, .setSilentSwitch, .setDoNotDisturb, .setMicrophoneMuted,
            .setVolume, .setRingVolume, .remoteCommand:
            .device
        }
    }
}
