public import AudioSessions
public import Foundation

// Names from before Swift 4.2, when categories were strings. Here they have the current types:
// source code that only passes and compares them compiles.

extension AudioSession {
    @available(*, deprecated, renamed: "setCategory(_:options:)")
    public func setCategory(_ category: Category, with options: CategoryOptions) throws {
        try setCategory(category, options: options)
    }

    @available(*, deprecated, renamed: "setActive(_:options:)")
    public func setActive(_ active: Bool, with options: SetActiveOptions) throws {
        try setActive(active, options: options)
    }
}

@available(*, deprecated, renamed: "AVAudioSession.CategoryOptions")
public typealias AVAudioSessionCategoryOptions = AudioSession.CategoryOptions
@available(*, deprecated, renamed: "AVAudioSession.InterruptionType")
public typealias AVAudioSessionInterruptionType = AudioSession.InterruptionType
@available(*, deprecated, renamed: "AVAudioSession.InterruptionOptions")
public typealias AVAudioSessionInterruptionOptions = AudioSession.InterruptionOptions
@available(*, deprecated, renamed: "AVAudioSession.RouteChangeReason")
public typealias AVAudioSessionRouteChangeReason = AudioSession.RouteChangeReason
@available(*, deprecated, renamed: "AVAudioSession.PortOverride")
public typealias AVAudioSessionPortOverride = AudioSession.PortOverride
@available(*, deprecated, renamed: "AVAudioSession.SetActiveOptions")
public typealias AVAudioSessionSetActiveOptions = AudioSession.SetActiveOptions
@available(*, deprecated, renamed: "AVAudioSession.SilenceSecondaryAudioHintType")
public typealias AVAudioSessionSilenceSecondaryAudioHintType = AudioSession.SilenceSecondaryAudioHintType
@available(*, deprecated, renamed: "AVAudioSession.RouteSharingPolicy")
public typealias AVAudioSessionRouteSharingPolicy = AudioSession.RouteSharingPolicy
@available(*, deprecated, renamed: "AVAudioSession.RecordPermission")
public typealias AVAudioSessionRecordPermission = AudioSession.RecordPermission
@available(*, deprecated, renamed: "AVAudioSession.IOType")
public typealias AVAudioSessionIOType = AudioSession.IOType

extension NSNotification.Name {
    @available(*, deprecated, renamed: "AVAudioSession.interruptionNotification")
    public static var AVAudioSessionInterruption: NSNotification.Name { AudioSession.interruptionNotification }
    @available(*, deprecated, renamed: "AVAudioSession.routeChangeNotification")
    public static var AVAudioSessionRouteChange: NSNotification.Name { AudioSession.routeChangeNotification }
    @available(*, deprecated, renamed: "AVAudioSession.mediaServicesWereLostNotification")
    public static var AVAudioSessionMediaServicesWereLost: NSNotification.Name {
        AudioSession.mediaServicesWereLostNotification
    }
    @available(*, deprecated, renamed: "AVAudioSession.mediaServicesWereResetNotification")
    public static var AVAudioSessionMediaServicesWereReset: NSNotification.Name {
        AudioSession.mediaServicesWereResetNotification
    }
    @available(*, deprecated, renamed: "AVAudioSession.silenceSecondaryAudioHintNotification")
    public static var AVAudioSessionSilenceSecondaryAudioHint: NSNotification.Name {
        AudioSession.silenceSecondaryAudioHintNotification
    }
}

@available(*, deprecated, renamed: "AVAudioSession.Category.ambient")
public let AVAudioSessionCategoryAmbient = AudioSession.Category.ambient
@available(*, deprecated, renamed: "AVAudioSession.Category.soloAmbient")
public let AVAudioSessionCategorySoloAmbient = AudioSession.Category.soloAmbient
@available(*, deprecated, renamed: "AVAudioSession.Category.playback")
public let AVAudioSessionCategoryPlayback = AudioSession.Category.playback
@available(*, deprecated, renamed: "AVAudioSession.Category.record")
public let AVAudioSessionCategoryRecord = AudioSession.Category.record
@available(*, deprecated, renamed: "AVAudioSession.Category.playAndRecord")
public let AVAudioSessionCategoryPlayAndRecord = AudioSession.Category.playAndRecord
@available(*, deprecated, renamed: "AVAudioSession.Category.multiRoute")
public let AVAudioSessionCategoryMultiRoute = AudioSession.Category.multiRoute
@available(*, deprecated, renamed: "AVAudioSession.Category.audioProcessing")
public let AVAudioSessionCategoryAudioProcessing = AudioSession.Category.audioProcessing

@available(*, deprecated, renamed: "AVAudioSession.Mode.default")
public let AVAudioSessionModeDefault = AudioSession.Mode.`default`
@available(*, deprecated, renamed: "AVAudioSession.Mode.voiceChat")
public let AVAudioSessionModeVoiceChat = AudioSession.Mode.voiceChat
@available(*, deprecated, renamed: "AVAudioSession.Mode.gameChat")
public let AVAudioSessionModeGameChat = AudioSession.Mode.gameChat
@available(*, deprecated, renamed: "AVAudioSession.Mode.videoRecording")
public let AVAudioSessionModeVideoRecording = AudioSession.Mode.videoRecording
@available(*, deprecated, renamed: "AVAudioSession.Mode.measurement")
public let AVAudioSessionModeMeasurement = AudioSession.Mode.measurement
@available(*, deprecated, renamed: "AVAudioSession.Mode.moviePlayback")
public let AVAudioSessionModeMoviePlayback = AudioSession.Mode.moviePlayback
@available(*, deprecated, renamed: "AVAudioSession.Mode.videoChat")
public let AVAudioSessionModeVideoChat = AudioSession.Mode.videoChat
@available(*, deprecated, renamed: "AVAudioSession.Mode.spokenAudio")
public let AVAudioSessionModeSpokenAudio = AudioSession.Mode.spokenAudio

@available(*, deprecated, renamed: "AVAudioSession.Port.lineIn")
public let AVAudioSessionPortLineIn = AudioSession.Port.lineIn
@available(*, deprecated, renamed: "AVAudioSession.Port.builtInMic")
public let AVAudioSessionPortBuiltInMic = AudioSession.Port.builtInMic
@available(*, deprecated, renamed: "AVAudioSession.Port.headsetMic")
public let AVAudioSessionPortHeadsetMic = AudioSession.Port.headsetMic
@available(*, deprecated, renamed: "AVAudioSession.Port.lineOut")
public let AVAudioSessionPortLineOut = AudioSession.Port.lineOut
@available(*, deprecated, renamed: "AVAudioSession.Port.headphones")
public let AVAudioSessionPortHeadphones = AudioSession.Port.headphones
@available(*, deprecated, renamed: "AVAudioSession.Port.bluetoothA2DP")
public let AVAudioSessionPortBluetoothA2DP = AudioSession.Port.bluetoothA2DP
@available(*, deprecated, renamed: "AVAudioSession.Port.builtInReceiver")
public let AVAudioSessionPortBuiltInReceiver = AudioSession.Port.builtInReceiver
@available(*, deprecated, renamed: "AVAudioSession.Port.builtInSpeaker")
public let AVAudioSessionPortBuiltInSpeaker = AudioSession.Port.builtInSpeaker
@available(*, deprecated, renamed: "AVAudioSession.Port.HDMI")
public let AVAudioSessionPortHDMI = AudioSession.Port.HDMI
@available(*, deprecated, renamed: "AVAudioSession.Port.airPlay")
public let AVAudioSessionPortAirPlay = AudioSession.Port.airPlay
@available(*, deprecated, renamed: "AVAudioSession.Port.bluetoothLE")
public let AVAudioSessionPortBluetoothLE = AudioSession.Port.bluetoothLE
@available(*, deprecated, renamed: "AVAudioSession.Port.bluetoothHFP")
public let AVAudioSessionPortBluetoothHFP = AudioSession.Port.bluetoothHFP
@available(*, deprecated, renamed: "AVAudioSession.Port.usbAudio")
public let AVAudioSessionPortUSBAudio = AudioSession.Port.usbAudio
@available(*, deprecated, renamed: "AVAudioSession.Port.carAudio")
public let AVAudioSessionPortCarAudio = AudioSession.Port.carAudio
