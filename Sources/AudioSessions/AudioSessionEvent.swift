/// What happens to a session, for `events`. The same story as the notifications, in the same order, as values.
public enum AudioSessionEvent: Hashable, Sendable {
    case interruptionBegan(AudioSession.InterruptionReason)
    case interruptionEnded(shouldResume: Bool)
    /// The session is active: by the app, a player that started, or a delayed grant.
    case becameActive
    /// The session is not active any longer, and why.
    case becameInactive(AudioSession.DeactivationCause)
    case routeChanged(AudioSession.RouteChangeReason)
    /// Active, interrupted, ducked, muted, with or without other audio beside it: something of it is new; the state with its reasons.
    case stateChanged(AudioSession.State)
    case outputVolumeChanged(Float)
    case outputMuteChanged(Bool)
    /// Other inputs can be chosen from (ROUTE-6).
    case availableInputsChanged
    /// The user's answer to the app's wish to record, or its revocation (PERM-2).
    case recordPermissionChanged(AudioApplication.RecordPermission)
    /// The app muted or unmuted its inputs (PERM-4).
    case inputMuteChanged(Bool)
    /// An activation that was asked for by `requestActivation` is granted (ACT-14).
    case activationGranted
    /// Another primary session began or ceased to play.
    case silenceSecondaryAudioHint(AudioSession.SilenceSecondaryAudioHintType)
    /// Rate, period, latency or channels of the server are others; read them from the session.
    case hardwareChanged
    /// The server died; it may come back (SRV-1).
    case mediaServicesWereLost
    /// The server is back and sound goes on (SRV-2).
    case mediaServicesWereReset
}
