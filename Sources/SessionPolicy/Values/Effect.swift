/// What one session is to be told, and by which rule. Effects of one event are in the order in which they are told.
public struct Effect: Hashable, Sendable, Codable {
    public enum Kind: Hashable, Sendable, Codable {
        case activated
        /// By its own app, or after `deactivatedBySystem`.
        case deactivated
        /// Its app left the foreground (BG-1, BG-2) or was suspended (BG-3): its players stop.
        case deactivatedBySystem
        case interruptionBegan(InterruptionReason)
        case interruptionEnded(shouldResume: Bool)
        /// Not told to the app: it waits for another one now.
        case waitMoved
        /// Not told to the app: no end will come (ACT-8).
        case waitLapsed
        /// The route is another one, or follows another category (ROUTE-3).
        // The reason last: the compiler keeps the tag of the case in its spare bits, and the pointers before it as they are, so that a leak
        // checker sees what a log holds.
        case routeChanged(previous: Route, RouteChangeReason)
        /// The output in use was pulled out: players pause before the route changes (ROUTE-4).
        case outputDisconnected
        /// Other inputs can be chosen from (ROUTE-6).
        case availableInputsChanged
        /// Another primary session began or ceased to play (HINT-2).
        case silenceSecondaryAudioHint(Bool)
        case outputVolumeChanged(Float)
        /// The session's own output was muted or unmuted (VOL-3).
        case outputMuteChanged(Bool)
        /// It takes input and nobody was asked whether its app may: ask (PERM-3).
        case recordPermissionNeeded
        /// Told to every session of the app (PERM-2).
        case recordPermissionChanged(RecordPermission)
        /// Told to the sessions of the app that take input (PERM-4).
        case inputMuteChanged(Bool)
        /// Its state, verdict or reasons are others now, or other audio, devices or calls around it (HINT-1); the last effect on a session.
        case stateChanged
    }

    public var session: SessionID
    public var kind: Kind
    public var rule: Rule
    /// The session that caused it, if another one did.
    public var by: SessionID?

    public init(_ session: SessionID, _ kind: Kind, _ rule: Rule, by: SessionID? = nil) {
        self.session = session
        self.kind = kind
        self.rule = rule
        self.by = by
    }
}
