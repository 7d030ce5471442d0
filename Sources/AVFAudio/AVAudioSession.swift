// Source written for iOS says `import AVFAudio` (or AVFoundation) and finds its session under these names. They are the session
// itself, not a wrapper: what one name does, the other sees.
@_exported public import AudioSessions

public typealias AVAudioSession = AudioSession
public typealias AVAudioApplication = AudioApplication
public typealias AVAudioSessionPortDescription = AudioSessionPortDescription
public typealias AVAudioSessionRouteDescription = AudioSessionRouteDescription
public typealias AVAudioSessionDataSourceDescription = AudioSessionDataSourceDescription
public typealias AVAudioSessionChannelDescription = AudioSessionChannelDescription

/// Keys of the notifications' `userInfo`.
public let AVAudioSessionInterruptionTypeKey = AudioSessionInterruptionTypeKey
public let AVAudioSessionInterruptionOptionKey = AudioSessionInterruptionOptionKey
public let AVAudioSessionInterruptionReasonKey = AudioSessionInterruptionReasonKey
public let AVAudioSessionRouteChangeReasonKey = AudioSessionRouteChangeReasonKey
public let AVAudioSessionRouteChangePreviousRouteKey = AudioSessionRouteChangePreviousRouteKey
public let AVAudioSessionSilenceSecondaryAudioHintTypeKey = AudioSessionSilenceSecondaryAudioHintTypeKey

extension AudioApplication {
    /// iOS spells the type so.
    public typealias recordPermission = RecordPermission
}
