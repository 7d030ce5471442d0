/// The adjustable values of the rules, passed to the policy as one value. Each default is
/// documented here.
public struct PolicySettings: Hashable, Sendable, Codable {
    /// The attenuation of other sessions while a session ducks them, in dB, as a positive number
    /// (DUCK-3). Default 14: clearly behind a voice, but still easy to follow.
    public var duckAttenuation: Double = 14
    /// The attenuation of an app's playback during a call, in dB, as a positive number (ACT-5).
    /// Default 35: barely audible.
    public var strongDuckAttenuation: Double = 35
    /// Length of the ramp down to the ducked level, in seconds. Default 0.05.
    public var duckAttack: Double = 0.05
    /// Length of the ramp back from the ducked level, in seconds. Default 0.5.
    public var duckRelease: Double = 0.5
    /// Length of the ramp down to the strongly ducked level, in seconds. Default 0.05.
    public var strongDuckAttack: Double = 0.05
    /// Length of the ramp back from the strongly ducked level, in seconds. Default 0.5.
    public var strongDuckRelease: Double = 0.5
    /// The level above which a session is audible, if it lowers others only while it is, in dB
    /// below full scale, as a positive number (DUCK-2). Default 50: below quiet speech, and above
    /// noise.
    public var audibleThreshold: Double = 50
    /// How long such a session remains audible after its last sample above the threshold, in
    /// seconds. Default 0.8: longer than the pauses between words.
    public var audibleHold: Double = 0.8
    /// Whether a ducking session lowers all sessions, also those that share no output with it
    /// (DUCK-6). Default false.
    public var ducksAllOutputs = false
    /// Length of the fade into and out of silence, in seconds (INT-1). Default 0.005.
    public var fade: Double = 0.005
    /// Length of the ramp to a new system volume, in seconds. Default 0.02.
    public var volumeRamp: Double = 0.02
    /// Whether a mode that the category does not allow counts as default instead of being refused
    /// (MODE-1). Default false.
    public var treatsUnsuitedModeAsDefault = false
    /// Whether deactivating while players run also reports isBusy, as before iOS 26 (ACT-7).
    /// Default false.
    public var reportsBusyOnDeactivation = false

    /// Whether an app that was suspended is notified when it is resumed, by the beginning of an
    /// interruption (BG-3). Default false.
    public var notifiesSuspension = false
    /// Whether a muted microphone interrupts the sessions that take input, as a closed lid does.
    /// Otherwise it gives zeros to all inputs, as a mute key does (INT-10). Default false.
    public var mutedMicrophoneInterrupts = false
    /// How long a session counts as in the foreground after a remote play command, in seconds
    /// (ACT-16). Default 10.
    public var remotePlayGrace: Double = 10
    /// Whether a session in mode voiceChat or videoChat whose input runs takes precedence over the
    /// other sessions of apps, as a call does (ACT-18). Default true.
    public var conversationsOutrankApps = true
    /// How long an active session may be silent before it keeps no other session waiting, in
    /// seconds; 0: without limit (ACT-17). Default 60.
    public var idleRelease: Double = 60
    /// The same for a session that lowers others, which it then also stops. Default 10.
    public var idleDuckRelease: Double = 10

    enum CodingKeys: String, CodingKey {
        case duckAttenuation, strongDuckAttenuation, duckAttack, duckRelease, strongDuckAttack, strongDuckRelease
        case audibleThreshold, audibleHold
        case fade, volumeRamp, treatsUnsuitedModeAsDefault, reportsBusyOnDeactivation
        case notifiesSuspension = "tellsSuspension"
        case remotePlayGrace
        case ducksAllOutputs, mutedMicrophoneInterrupts, conversationsOutrankApps, idleRelease, idleDuckRelease
    }

    public init() {}
}
