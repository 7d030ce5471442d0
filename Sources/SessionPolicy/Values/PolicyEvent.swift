/// What happens to the policy: an action and its time.
public struct PolicyEvent: Hashable, Sendable, Codable {
    public var time: EventTime
    public var action: PolicyAction

    public init(_ action: PolicyAction, at time: EventTime) {
        self.time = time
        self.action = action
    }
}

/// Everything that can be asked of the policy, or happen to it.
public enum PolicyAction: Hashable, Sendable, Codable {
    // The life of a session
    /// A new session of an app (CAT-1). Its id must be new.
    case register(SessionID, app: AppID)
    /// The app gives a session up, or it is gone: it leaves with notice (ACT-12).
    case unregister(SessionID)
    /// A process is gone, and all its sessions (ACT-12).
    case appDied(AppID)

    // What an app asks
    case configure(SessionID, ConfigurationChange)
    case activate(SessionID)
    /// Activates, or, refused because of another session, as soon as that interrupts nobody (ACT-14).
    case requestActivation(SessionID)
    case deactivate(SessionID, notifyOthers: Bool)
    case prefer(SessionID, Preference)
    case preferNoInterruptionsFromSystemAlerts(SessionID, Bool)
    case setOutputMuted(SessionID, Bool)
    /// A first player, recorder or callback runs, or none does any more (HINT-1).
    case setRunning(SessionID, Bool)
    /// Live input begins or ends to be taken (PERM-3, INT-10).
    case setInputRunning(SessionID, Bool)
    /// The user asked for it by a remote control: for a while it counts as in the foreground (ACT-16).
    case remotePlay(SessionID)
    /// The session's choice of an input by uid, nil for none (ROUTE-6).
    case preferInput(SessionID, String?)
    /// To the speaker, or back (ROUTE-5).
    case overrideOutput(SessionID, toSpeaker: Bool)
    case preferInterruptionOnRouteDisconnect(SessionID, Bool)
    /// The user, or the assistant, told the app to pause (INT-7).
    case userPaused(SessionID)

    // The system
    /// A session of the system's begins: a call (accepted, or ringing), an alarm, the assistant; or a stand-in app (SIM-1). It is
    /// registered and active at once, or refused. Its id must be new.
    case beginSystemSession(SessionID, rank: Rank, isRinging: Bool)
    /// A ringing call is accepted (INT-6).
    case acceptCall(SessionID)
    /// It is over, or declined: it leaves with notice and is forgotten.
    case endSystemSession(SessionID, shouldResume: Bool)

    // The life of an app
    case setApplicationState(AppID, ApplicationState)
    case setDeclaresBackgroundAudio(AppID, Bool)
    /// The user's answer, or its revocation (PERM-2).
    case setRecordPermission(AppID, RecordPermission)
    /// The app's own switch for all its inputs (PERM-4).
    case setInputMuted(AppID, Bool)

    // The device
    case setScreenLocked(Bool)
    /// The app's media server was lost and is back, and the app is to set everything up again: its sessions are inactive, as new (SRV-2).
    case resetSessions(AppID)
    /// All devices that an app sees on the media server that it uses now, the oldest first: what is new has come, what is missing has gone.
    case setDevices(AppID, server: String, [Device])
    /// A stand-in without a server comes, or has changed. Its uid and those of its ports are its own (ROUTE-2).
    case plug(Device)
    /// A stand-in without a server goes, by uid (ROUTE-4).
    case unplug(String)
    /// The user picks a port by uid, nil: none (ROUTE-8).
    case pick(DevicePort.Direction, String?)
    case setSilentSwitch(Bool)
    /// While on, what begins to ring and the assistant wait (GUIDE-9).
    case setDoNotDisturb(Bool)
    /// The microphone's hardware switch (INT-10).
    case setMicrophoneMuted(Bool)
    case setVolume(Float)
    case setRingVolume(Float)
}
