/// A notification for one session, and the rule that caused it. The effects of an event are in the
/// order in which they are delivered.
public struct Effect: Hashable, Sendable, Codable {
    public enum Kind: Hashable, Sendable, Codable {
        case activated
        /// By its own app, or after `deactivatedBySystem`.
        case deactivated
        /// The app left the foreground (BG-1, BG-2), was suspended (BG-3), had its sessions reset
        /// (SRV-2), was disconnected by the arbiter and has returned, or has a session that a new
        /// arbiter does not accept (ACT-12). The session's players stop.
        case deactivatedBySystem
        case interruptionBegan(InterruptionReason)
        case interruptionEnded(shouldResume: Bool)
        /// The session now waits for another interrupter. Not reported to the app.
        case waitMoved
        /// The session's wait ended, and no end of the interruption will be reported (ACT-8). Not
        /// reported to the app.
        case waitLapsed
        /// The route changed, or it now follows another category (ROUTE-3).
        // The reason is the last value: the compiler then stores the tag of the case in its spare
        // bits and leaves the pointers before it unchanged, so that a leak checker recognizes them.
        case routeChanged(previous: Route, RouteChangeReason)
        /// The output in use was disconnected. Players pause before the route changes (ROUTE-4).
        case outputDisconnected
        /// The inputs that the session can choose from changed (ROUTE-6).
        case availableInputsChanged
        /// Another primary session started or stopped playing (HINT-2).
        case silenceSecondaryAudioHint(Bool)
        case outputVolumeChanged(Float)
        /// The session's own output was muted or unmuted (VOL-3).
        case outputMuteChanged(Bool)
        /// The session takes input, and the user has not answered for its app yet: the app should
        /// ask (PERM-3).
        case recordPermissionNeeded
        /// Delivered to every session of the app (PERM-2).
        case recordPermissionChanged(RecordPermission)
        /// Delivered to the active sessions of the app whose category has an input (PERM-4).
        case inputMuteChanged(Bool)
        /// A remote control sent this command to the session (REMOTE-1).
        case remoteCommand(RemoteCommand)
        /// The session's state, grant or reasons changed, or other audio, devices or calls around
        /// it did (HINT-1). In each decision, this is the last effect on a session.
        case stateChanged
    }

    public var session: SessionID
    public var kind: Kind
    public var rule: Rule
    /// The session that caused the effect, if another one did.
    public var by: SessionID?

    public init(_ session: SessionID, _ kind: Kind, _ rule: Rule, by: SessionID? = nil) {
        self.session = session
        self.kind = kind
        self.rule = rule
        self.by = by
    }
}
