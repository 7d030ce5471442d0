package import SessionPolicy

/// One dimension of variation in addition to activation and deactivation: the events that it adds
/// to a slice.
package enum Dimension: String, CaseIterable, Comparable, Sendable {
    /// Another configuration, whether the session is active or not (CAT-2, CAT-3).
    case reconfiguration
    /// A call that is accepted at once; a call that rings first; a second call; the other ranks
    /// (ACT-4, INT-6).
    case call, ringing, secondCall, alarm, assistant, sleep
    /// A simulated app that interrupts and ends with or without shouldResume (SIM-1).
    case otherApp
    case alertsPreference
    /// Foreground, background, suspension (BG-1, BG-3).
    case life
    /// Background audio, declared or not, with the background state that it applies to (ACT-6).
    case backgroundAudio
    /// The app is notified of its suspension when it resumes (BG-3).
    case suspensionNotified
    /// Sessions 1 and 2 belong to one app.
    case sharedApp
    case silentSwitch, lock, outputMute
    /// A session that is unregistered, an app that dies, and the return of each (ACT-12).
    case deaths
    /// Players start and stop (HINT-1). Without this dimension all of them run.
    case running
    case userPaused
    /// The microphone's mute switch, and sessions that use input (INT-10).
    case microphone
    case permission, inputMute
    case delayedGrant
    case remotePlay
    /// Ringing calls and alarms wait (GUIDE-9).
    case doNotDisturb
    /// Headphones are plugged in and unplugged (ROUTE-4).
    case headphones
    /// Sessions 1 and 2 use an audio server on which headphones are plugged in and unplugged;
    /// session 1 may move to another server (ROUTE-2, ROUTE-4).
    case servers
    /// Silence releases others, and players pause and sound again (ACT-17).
    case idleRelease
    /// Input starts and stops in chat modes (ACT-18).
    case conversation
    /// A session ducks others only while it is audible (DUCK-2).
    case keyedDuck

    package static func < (a: Dimension, b: Dimension) -> Bool { a.index < b.index }

    private var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// The system session that this dimension adds, if any.
    package var systemSession: SessionID? {
        switch self {
        case .call, .ringing, .doNotDisturb: SessionID(10)
        case .secondCall: SessionID(11)
        case .alarm: SessionID(12)
        case .assistant: SessionID(13)
        case .otherApp: SessionID(14)
        case .sleep: SessionID(15)
        default: nil
        }
    }

    /// The events of this dimension on the given sessions of the slice.
    func actions(on sessions: [SessionID], in slice: Slice) -> [PolicyAction] {
        switch self {
        case .reconfiguration:
            slice.reconfigurations.flatMap { behaviour in sessions.map { .configure($0, behaviour.change) } }
        case .call, .ringing, .secondCall, .alarm, .assistant, .sleep, .otherApp: systemActions
        case .alertsPreference:
            sessions.flatMap { [false, true].map(PolicyAction.preferNoInterruptions(of: $0)) }
        case .life: apps(of: sessions, slice, ApplicationState.allCases, PolicyAction.setApplicationState)
        case .backgroundAudio:
            apps(of: sessions, slice, [.foreground, .background], PolicyAction.setApplicationState)
                + apps(of: sessions, slice, [false, true], PolicyAction.setDeclaresBackgroundAudio)
        case .suspensionNotified:
            apps(of: sessions, slice, [.foreground, .suspended], PolicyAction.setApplicationState)
        case .sharedApp: []
        case .silentSwitch: [.setSilentSwitch(false), .setSilentSwitch(true)]
        case .lock: [.setScreenLocked(false), .setScreenLocked(true)]
        case .outputMute: sessions.flatMap { [.setOutputMuted($0, false), .setOutputMuted($0, true)] }
        case .deaths:
            sessions.flatMap { [.unregister($0), .register($0, app: slice.app(of: $0))] }
                + slice.apps(of: sessions).map { .appDied($0) }
        case .running: sessions.flatMap { [.setRunning($0, false), .setRunning($0, true)] }
        case .userPaused: sessions.map { .userPaused($0) }
        case .microphone: [.setMicrophoneMuted(false), .setMicrophoneMuted(true)] + takingInput(sessions)
        case .permission:
            apps(of: sessions, slice, [.undetermined, .denied, .granted], PolicyAction.setRecordPermission)
                + takingInput(sessions)
        case .inputMute:
            apps(of: sessions, slice, [false, true], PolicyAction.setInputMuted) + takingInput(sessions)
        case .delayedGrant: sessions.map { .requestActivation($0) }
        case .remotePlay:
            apps(of: sessions, slice, [.foreground, .background], PolicyAction.setApplicationState)
                + sessions.map { .remotePlay($0) }
        case .idleRelease:
            sessions.flatMap { id in
                [false, true].flatMap { [.setRunning(id, $0), .setPaused(id, $0)] }
                    + [IdleRelease.ducking, .all].map { .releaseIdle(id, $0) }
            }
        case .conversation: takingInput(sessions)
        case .keyedDuck:
            sessions.flatMap { id in
                [false, true].flatMap { [.setDucksOnlyWhileAudible(id, $0), .setAudible(id, $0)] }
            }
        case .doNotDisturb: [.setDoNotDisturb(false), .setDoNotDisturb(true)] + Dimension.ringing.systemActions
        case .headphones: [.plug(.headphones), .unplug(AudioDevice.headphones.uid)]
        case .servers:
            [AppID(1), slice.app(of: SessionID(2))].flatMap { app in
                [[], [AudioDevice.headphones.of("studio")]].map { Dimension.sees(app, "studio", $0) }
            } + [Dimension.sees(AppID(1), "cellar", [])]
        }
    }

    /// Returns the action that gives an app a server's built-in device and the given devices.
    static func sees(_ app: AppID, _ server: String, _ devices: [AudioDevice]) -> PolicyAction {
        .setDevices(app, server: server, [AudioDevice.machine.of(server)] + devices)
    }

    private var systemActions: [PolicyAction] {
        guard let id = systemSession else { return [] }
        let rank: Rank =
            switch self {
            case .alarm: .alarm
            case .assistant: .assistant
            case .sleep: .sleep
            case .otherApp: .app
            default: .call
            }
        var actions: [PolicyAction] = [.endSystemSession(id, shouldResume: true)]
        if self != .ringing { actions.append(.beginSystemSession(id, rank: rank, isRinging: false)) }
        if self == .ringing || self == .secondCall {
            actions += [.beginSystemSession(id, rank: rank, isRinging: true), .acceptCall(id)]
        }
        if self == .otherApp || self == .sleep { actions.append(.endSystemSession(id, shouldResume: false)) }
        return actions
    }

    private func apps<Value>(
        of sessions: [SessionID], _ slice: Slice, _ values: [Value], _ action: (AppID, Value) -> PolicyAction
    ) -> [PolicyAction] {
        slice.apps(of: sessions).flatMap { app in values.map { action(app, $0) } }
    }

    private func takingInput(_ sessions: [SessionID]) -> [PolicyAction] {
        sessions.flatMap { [.setInputRunning($0, false), .setInputRunning($0, true)] }
    }
}

extension AudioDevice {
    /// The built-in device, present whenever headphones are plugged in and unplugged.
    static let machine = AudioDevice(
        uid: "machine",
        ports: [
            DevicePort(uid: "speaker", name: "speaker", type: .builtInSpeaker, direction: .output, channels: 2),
            DevicePort(uid: "microphone", name: "microphone", type: .builtInMic, direction: .input, channels: 1),
        ])
    static let headphones = AudioDevice(
        uid: "headphones",
        ports: [DevicePort(uid: "plug", name: "headphones", type: .headphones, direction: .output, channels: 2)])
}

extension AudioDevice {
    /// Returns a copy of the device on a server, with port ids prefixed by the server's name.
    func of(_ server: String) -> AudioDevice {
        var device = self
        device.server = server
        for index in device.ports.indices { device.ports[index].uid = server + "-" + ports[index].uid }
        return device
    }
}

extension PolicyAction {
    fileprivate static func preferNoInterruptions(of id: SessionID) -> (Bool) -> PolicyAction {
        { .preferNoInterruptionsFromSystemAlerts(id, $0) }
    }
}
