public import AudioSessionTypes

/// The types of a session's values, under their iOS names.
extension AudioSession {
    /// Options that refine a category (group OPT).
    public typealias CategoryOptions = AudioSessionTypes.CategoryOptions
    /// Whether the route is shared with other long-form audio (ROUTE-10).
    public typealias RouteSharingPolicy = AudioSessionTypes.RouteSharingPolicy
    /// The kind of a port's device.
    public typealias Port = AudioSessionPort
    /// The value of `AudioSessionInterruptionReasonKey` when an interruption begins (INT-2).
    public typealias InterruptionReason = AudioSessionTypes.InterruptionReason
    /// The value of `AudioSessionRouteChangeReasonKey` (ROUTE-3).
    public typealias RouteChangeReason = AudioSessionTypes.RouteChangeReason
    /// The value of `AudioSessionSilenceSecondaryAudioHintTypeKey`.
    public typealias SilenceSecondaryAudioHintType = AudioSessionSilenceSecondaryAudioHintType
    /// What ended the session's activity.
    public typealias DeactivationSource = AudioSessionDeactivationSource
    /// Why the session is no longer active.
    public typealias DeactivationCause = AudioSessionDeactivationCause
    /// The arbiter's grant to the session at one moment.
    public typealias State = AudioSessionState
    /// Remote commands, and what the session publishes.
    public typealias RemoteControl = AudioSessionRemoteControl
    /// A refused request.
    public typealias Refusal = AudioSessionRefusal
    /// The code of an `AudioSessionError`.
    public typealias ErrorCode = AudioSessionErrorCode
}
