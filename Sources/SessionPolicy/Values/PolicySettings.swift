/// What of the rules is a matter of taste. One value, handed to the policy; defaults are documented here.
public struct PolicySettings: Hashable, Sendable, Codable {
    /// What others fall by while a session ducks them, in dB above 0 (DUCK-3). Default 14: clearly behind a voice, still followed.
    public var duckAttenuation: Double = 14
    /// What an app's playback falls by during a call, in dB above 0 (ACT-5). Default 35: hardly more than a trace.
    public var strongDuckAttenuation: Double = 35
    /// Length of the way down, in seconds. Default 0.05.
    public var duckAttack: Double = 0.05
    /// Length of the way back, in seconds. Default 0.5.
    public var duckRelease: Double = 0.5
    /// The same, of the way down to the strong level. Default 0.05.
    public var strongDuckAttack: Double = 0.05
    /// And of the way back from it. Default 0.5.
    public var strongDuckRelease: Double = 0.5
    /// Length of the fade into and out of silence, in seconds (INT-1). Default 0.005.
    public var fade: Double = 0.005
    /// Length of the way to a new system volume, in seconds. Default 0.02.
    public var volumeRamp: Double = 0.02
    /// Whether a mode that does not go with the category counts as default instead of being refused (MODE-1). Default false.
    public var treatsUnsuitedModeAsDefault = false
    /// Whether deactivating while players run also reports isBusy, as before iOS 26 (ACT-7). Default false.
    public var reportsBusyOnDeactivation = false

    /// Whether an app that was suspended is told so when it is resumed, by an interruption that began (BG-3). Default false.
    public var tellsSuspension = false
    /// How long a session counts as in the foreground after a remote play command, in seconds (ACT-16). Default 10.
    public var remotePlayGrace: Double = 10

    public init() {}
}
