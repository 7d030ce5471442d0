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

// MARK: Before iOS 17

extension AudioSession {
    /// The type that `recordPermission` had before iOS 17.
    public enum RecordPermission: UInt, Hashable, Sendable {
        case undetermined = 0x756e_6474
        case denied = 0x6465_6e79
        case granted = 0x6772_6e74
    }

    /// Use `AVAudioApplication.shared.recordPermission`.
    public var recordPermission: RecordPermission {
        switch host.application.recordPermission {
        case .undetermined: .undetermined
        case .denied: .denied
        case .granted: .granted
        }
    }

    /// Use `AVAudioApplication.requestRecordPermission`.
    public func requestRecordPermission(_ response: @escaping @Sendable (Bool) -> Void) {
        host.application.requestRecordPermission(completionHandler: response)
    }
}
