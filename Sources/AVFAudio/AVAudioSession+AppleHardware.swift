internal import Dispatch
public import Foundation

/// What only Apple's hardware does. It is here so that source compiles, and says that there is none of it: wishes for it throw, values are
/// those of a device without it, and the notifications are never posted.
extension AudioSession {
    /// How a stereo microphone is held.
    public enum StereoOrientation: Int, Hashable, Sendable {
        case none, portrait, portraitUpsideDown, landscapeRight, landscapeLeft
    }

    /// How sound is rendered in space.
    public enum RenderingMode: Int, Hashable, Sendable {
        case notApplicable, monoStereo, surround, spatialAudio, dolbyAudio, dolbyAtmos
    }

    /// What an app may put into the microphone of a call.
    public enum MicrophoneInjectionMode: Int, Hashable, Sendable {
        case none, spokenAudio
    }

    /// Whether input and output share one cycle.
    public enum IOType: UInt, Hashable, Sendable {
        case notSpecified, aggregated
    }

    /// Where the user chose to play.
    public enum RouteSelection: Int, Hashable, Sendable {
        case none, local, external
    }

    /// Input and output always share one cycle here, so that both wishes are granted.
    public func setAggregatedIOPreference(_ inIOType: IOType) throws {}

    /// Always `none`: no port has a stereo microphone that can be turned.
    public var inputOrientation: StereoOrientation { .none }
    public var preferredInputOrientation: StereoOrientation { .none }
    /// Throws resourceNotAvailable for anything but `none`.
    public func setPreferredInputOrientation(_ orientation: StereoOrientation) throws {
        try refuse(
            orientation != .none, "An orientation of the stereo microphone", "ports have none that can be turned")
    }

    /// Always false: the server's ports carry what the microphone hears.
    public var isEchoCancelledInputAvailable: Bool { false }
    public var isEchoCancelledInputEnabled: Bool { false }
    public var prefersEchoCancelledInput: Bool { false }
    /// Throws resourceNotAvailable for true.
    public func setPrefersEchoCancelledInput(_ value: Bool) throws {
        try refuse(value, "Input without echo", "the server does not cancel echo; put a filter before its input")
    }

    /// Always false: there are no haptics; CAT-4 says what recording mutes.
    public var allowHapticsAndSystemSoundsDuringRecording: Bool { false }
    /// Throws resourceNotAvailable for true.
    public func setAllowHapticsAndSystemSoundsDuringRecording(_ inValue: Bool) throws {
        try refuse(inValue, "Haptics and system sounds during recording", "recording mutes system sounds (CAT-4)")
    }

    /// Always false.
    public var isMicrophoneInjectionAvailable: Bool { false }
    public var preferredMicrophoneInjectionMode: MicrophoneInjectionMode { .none }
    /// Throws resourceNotAvailable for anything but `none`.
    public func setPreferredMicrophoneInjectionMode(_ inValue: MicrophoneInjectionMode) throws {
        try refuse(
            inValue != .none, "Sound in the microphone of a call", "connect it to the call's input at the server")
    }

    /// Always `notApplicable`: nothing is rendered in space.
    public var renderingMode: RenderingMode { .notApplicable }

    /// Always answers false and `none`, on a thread of the library's: there is no picker to show.
    public func prepareRouteSelectionForPlayback(
        completionHandler: @escaping @Sendable (Bool, RouteSelection) -> Void
    ) {
        DispatchQueue.global().async { completionHandler(false, .none) }
    }

    public class var renderingModeChangeNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionRenderingModeChangeNotification")
    }
    public class var renderingCapabilitiesChangeNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionRenderingCapabilitiesChangeNotification")
    }
    public class var spatialPlaybackCapabilitiesChangedNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionSpatialPlaybackCapabilitiesChangedNotification")
    }
    public class var microphoneInjectionCapabilitiesChangeNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionMicrophoneInjectionCapabilitiesChangeNotification")
    }

    private func refuse(_ isWished: Bool, _ what: String, _ why: String) throws {
        guard isWished else { return }
        try request {
            throw AudioSessionError(
                .resourceNotAvailable, "\(what) was asked for, which is not to be had here: \(why).")
        }
    }
}

extension AudioApplication {
    /// Whether the app may put sound into the microphone of a call.
    public enum MicrophoneInjectionPermission: Int, Hashable, Sendable {
        case serviceDisabled, undetermined, denied, granted
    }

    /// Always `serviceDisabled`.
    public var microphoneInjectionPermission: MicrophoneInjectionPermission { .serviceDisabled }

    /// Always answers `serviceDisabled`, on a thread of the library's.
    public static func requestMicrophoneInjectionPermission(
        completionHandler response: @escaping @Sendable (MicrophoneInjectionPermission) -> Void
    ) {
        DispatchQueue.global().async { response(.serviceDisabled) }
    }
}

extension AudioSessionPortDescription {
    /// Always false: the server's ports carry what the device does.
    public var hasHardwareVoiceCallProcessing: Bool { false }
    /// Always false.
    public var isSpatialAudioEnabled: Bool { false }
}

public let AVAudioSessionSpatialAudioEnabledKey = "AVAudioSessionSpatialAudioEnabledKey"
public let AVAudioSessionRenderingModeNewRenderingModeKey = "AVAudioSessionRenderingModeNewRenderingModeKey"
public let AVAudioSessionMicrophoneInjectionIsAvailableKey = "AVAudioSessionMicrophoneInjectionIsAvailableKey"
