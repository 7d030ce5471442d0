// Source code written for iOS uses `import AVFAudio` (or AVFoundation) and finds the session under
// these names. They are aliases and not wrappers: both names refer to the same object.
//
// As Apple's modules do, this one also provides Foundation. It provides nothing else: names without
// the prefix, such as AudioSession, could be the app's own.
public import AudioSessions
@_exported public import Foundation

public typealias AVAudioSession = AudioSession
public typealias AVAudioApplication = AudioApplication
public typealias AVAudioSessionPortDescription = AudioSessionPortDescription
public typealias AVAudioSessionRouteDescription = AudioSessionRouteDescription
public typealias AVAudioSessionDataSourceDescription = AudioSessionDataSourceDescription
public typealias AVAudioSessionChannelDescription = AudioSessionChannelDescription

/// The keys of the notifications' `userInfo`.
public let AVAudioSessionInterruptionTypeKey = AudioSessionInterruptionTypeKey
public let AVAudioSessionInterruptionOptionKey = AudioSessionInterruptionOptionKey
public let AVAudioSessionInterruptionReasonKey = AudioSessionInterruptionReasonKey
public let AVAudioSessionRouteChangeReasonKey = AudioSessionRouteChangeReasonKey
public let AVAudioSessionRouteChangePreviousRouteKey = AudioSessionRouteChangePreviousRouteKey
public let AVAudioSessionSilenceSecondaryAudioHintTypeKey = AudioSessionSilenceSecondaryAudioHintTypeKey

extension AudioApplication {
    /// The type's name as iOS spells it.
    public typealias recordPermission = RecordPermission
}
