public import AudioSessionTypes

/// An event of a session, as `events` delivers it. Events report the same changes as the
/// notifications, in the same order, as values.
public enum AudioSessionEvent: Hashable, Sendable {
    case interruptionBegan(InterruptionReason)
    case interruptionEnded(shouldResume: Bool)
    /// The session became active: by the app, by a player that started, or by a delayed grant.
    case becameActive
    /// The session is no longer active; carries the cause.
    case becameInactive(AudioSessionDeactivationCause)
    case routeChanged(RouteChangeReason)
    /// The session's `state` changed, or the state of other audio did. Carries the new state with
    /// its reasons.
    case stateChanged(AudioSessionState)
    case outputVolumeChanged(Float)
    case outputMuteChanged(Bool)
    /// The available inputs changed (ROUTE-6).
    case availableInputsChanged
    /// The user answered the app's request to record, or revoked the answer (PERM-2).
    case recordPermissionChanged(RecordPermission)
    /// The app muted or unmuted its inputs (PERM-4).
    case inputMuteChanged(Bool)
    /// A pending request of `requestActivation` was granted, and audio has started (ACT-14).
    case activationGranted
    /// Another primary session started or stopped playing.
    case silenceSecondaryAudioHint(AudioSessionSilenceSecondaryAudioHintType)
    /// A remote control sent a command to this session, which is the now-playing one (REMOTE-1).
    case remoteCommand(RemoteCommand)
    /// The server's sample rate, I/O buffer duration, latency or channels changed; read the values
    /// from the session.
    case hardwareChanged
    /// The server could not finish a cycle in time, so a gap is likely to be heard. `count` is the
    /// number of xruns since the server was reached; several in short succession may be reported as
    /// one event. Only an active session receives it. Has no notification.
    case xrun(count: Int)
    /// The audio server was lost; it may return (SRV-1).
    case mediaServicesWereLost
    /// The audio server has returned and playback continues (SRV-2).
    case mediaServicesWereReset
}

/// What other primary sessions do; `AudioSession.SilenceSecondaryAudioHintType` is an alias. The
/// value of `AudioSessionSilenceSecondaryAudioHintTypeKey`.
public enum AudioSessionSilenceSecondaryAudioHintType: UInt, Hashable, Sendable {
    /// No other primary session plays any longer.
    case end = 0
    /// Another primary session plays: silence secondary audio.
    case begin = 1
}
