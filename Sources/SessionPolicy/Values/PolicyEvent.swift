/// An action and the time at which it happens.
public struct PolicyEvent: Hashable, Sendable, Codable {
    public var time: EventTime
    public var action: PolicyAction

    public init(_ action: PolicyAction, at time: EventTime) {
        self.time = time
        self.action = action
    }
}

/// Every request to the policy, and every event that it handles.
public enum PolicyAction: Hashable, Sendable, Codable {
    // The life cycle of a session
    /// Registers a new session of an app (CAT-1). The id must be new.
    case register(SessionID, app: AppID)
    /// Makes an inactive session the one in which its app's system sounds play: it is heard without
    /// being activated, and has no settings (PLAY-4).
    case playSystemSounds(SessionID)
    /// Removes a session that its app has released or that is gone. Others are notified (ACT-12).
    case unregister(SessionID)
    /// Removes an app whose process is gone, with all its sessions (ACT-12).
    case appDied(AppID)

    // Requests of an app
    case configure(SessionID, ConfigurationChange)
    case activate(SessionID)
    /// Activates the session. If another session prevents that, activates it as soon as that
    /// interrupts no other session and no call is active (ACT-14).
    case requestActivation(SessionID)
    case deactivate(SessionID, notifyOthers: Bool)
    case prefer(SessionID, Preference)
    case preferNoInterruptionsFromSystemAlerts(SessionID, Bool)
    case setOutputMuted(SessionID, Bool)
    /// Records whether the session plays, by whatever source (HINT-1, HINT-3).
    case setRunning(SessionID, Bool)
    /// Records whether a player of the session is paused part-way (ACT-17).
    case setPaused(SessionID, Bool)
    /// Sets whether the session lowers others only while it is audible, instead of as long as it is
    /// active (DUCK-2).
    case setDucksOnlyWhileAudible(SessionID, Bool)
    /// Records whether such a session is audible: whether its bus exceeds the threshold, or did so
    /// within the hold time (`PolicySettings`). Ignored for other sessions.
    case setAudible(SessionID, Bool)
    /// Records that the session starts or stops taking live input (PERM-3, INT-10). A start first
    /// activates an inactive session (ACT-15).
    case setInputRunning(SessionID, Bool)
    /// Records that the user started playback with a remote control: for a while the session counts
    /// as in the foreground (ACT-16).
    case remotePlay(SessionID)
    /// Sets which remote commands the session handles; none by default (REMOTE-1).
    case setRemoteCommands(SessionID, Set<RemoteCommand.Kind>)
    /// Sets what the session plays, for remote controls (REMOTE-3).
    case setNowPlaying(SessionID, NowPlayingInfo?)
    /// Sets the input that the session prefers, by uid; nil for none (ROUTE-6).
    case preferInput(SessionID, String?)
    /// Overrides the output to the speaker, or ends the override (ROUTE-5).
    case overrideOutput(SessionID, toSpeaker: Bool)
    case preferInterruptionOnRouteDisconnect(SessionID, Bool)
    /// Records that the user or the assistant paused the app (INT-7).
    case userPaused(SessionID)

    // The system
    /// Begins a session of the system: the machine's sleep, a call (accepted or ringing), an alarm,
    /// the assistant, or a simulated app (SIM-1). It is registered and activated at once, waits for
    /// a higher rank (ACT-4), is deferred (GUIDE-9), or refused. The id must be new.
    case beginSystemSession(SessionID, rank: Rank, isRinging: Bool)
    /// Accepts a ringing call (INT-6).
    case acceptCall(SessionID)
    /// Ends a system session, or declines a call. Others are notified, and are asked to resume if
    /// `shouldResume`; the session is forgotten.
    case endSystemSession(SessionID, shouldResume: Bool)

    // The arbiter
    /// Releases others from a silent session; the arbiter submits it when it is due
    /// (`PolicyState.nextIdleRelease`, ACT-17).
    case releaseIdle(SessionID, IdleRelease)

    // The life cycle of an app
    case setApplicationState(AppID, ApplicationState)
    case setDeclaresBackgroundAudio(AppID, Bool)
    /// Records the user's answer, or its revocation (PERM-2).
    case setRecordPermission(AppID, RecordPermission)
    /// Mutes or unmutes all inputs of the app (PERM-4).
    case setInputMuted(AppID, Bool)

    // The device
    case setScreenLocked(Bool)
    /// Sends a command of a remote control to the now-playing session (REMOTE-1, REMOTE-2).
    case remoteCommand(RemoteCommand)
    /// Resets the app's sessions after its audio server was lost and has returned. They become
    /// inactive, as new ones, and the app sets everything up again (SRV-2).
    case resetSessions(AppID)
    /// Reports all devices that an app sees on the audio server that it uses now, the oldest first.
    /// New devices count as plugged in, missing devices as unplugged.
    case setDevices(AppID, server: String, [AudioDevice])
    /// Plugs in or updates a virtual device without a server. Its uid and those of its ports are
    /// unique (ROUTE-2).
    case plug(AudioDevice)
    /// Unplugs a virtual device without a server, by uid (ROUTE-4).
    case unplug(String)
    /// Sets the port that the user picked, by uid; nil for none (ROUTE-8).
    case pick(DevicePort.Direction, String?)
    case setSilentSwitch(Bool)
    /// While on, defers new ringing calls (GUIDE-9).
    case setDoNotDisturb(Bool)
    /// Sets the microphone's hardware switch (INT-10).
    case setMicrophoneMuted(Bool)
    case setVolume(Float)
    case setRingVolume(Float)
}
