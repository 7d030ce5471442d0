public import AudioSessions
internal import Dispatch
public import Foundation

/// Features of Apple hardware that are not available here. They are declared so that source code
/// compiles and runs: requests that an app makes in passing are stored and have no effect, others
/// throw or report that nothing is available, values are those of a device without the feature, and
/// the notifications are never posted.
extension AudioSession {
    /// The orientation of a stereo microphone.
    public enum StereoOrientation: Int, Hashable, Sendable {
        case none, portrait, portraitUpsideDown, landscapeRight, landscapeLeft
    }

    /// How sound is rendered spatially.
    public enum RenderingMode: Int, Hashable, Sendable {
        case notApplicable, monoStereo, surround, spatialAudio, dolbyAudio, dolbyAtmos
    }

    /// What an app may inject into the microphone signal of a call.
    public enum MicrophoneInjectionMode: Int, Hashable, Sendable {
        case none, spokenAudio
    }

    /// Whether input and output share one I/O cycle.
    public enum IOType: UInt, Hashable, Sendable {
        case notSpecified, aggregated
    }

    /// The route that the user selected for playback.
    public enum RouteSelection: Int, Hashable, Sendable {
        case none, local, external
    }

    /// Changes nothing: input and output always share one I/O cycle here, which satisfies both
    /// preferences.
    public func setAggregatedIOPreference(_ inIOType: IOType) throws {}

    /// Always `none`: no port has a stereo microphone with an orientation.
    public var inputOrientation: StereoOrientation { .none }
    /// The value that was last set; it has no effect.
    public var preferredInputOrientation: StereoOrientation {
        StereoOrientation(rawValue: appleHardwareRequests.inputOrientation) ?? .none
    }
    public func setPreferredInputOrientation(_ orientation: StereoOrientation) throws {
        appleHardwareRequests.inputOrientation = orientation.rawValue
    }

    /// Always false: the server's ports carry the unprocessed signal of the microphone.
    public var isEchoCancelledInputAvailable: Bool { false }
    public var isEchoCancelledInputEnabled: Bool { false }
    /// The value that was last set; it has no effect. To cancel echo, insert a filter before the
    /// server's input.
    public var prefersEchoCancelledInput: Bool { appleHardwareRequests.prefersEchoCancelledInput }
    public func setPrefersEchoCancelledInput(_ value: Bool) throws {
        appleHardwareRequests.prefersEchoCancelledInput = value
    }

    /// The value that was last set; it has no effect: there are no haptics, and CAT-4 specifies
    /// what recording mutes.
    public var allowHapticsAndSystemSoundsDuringRecording: Bool { appleHardwareRequests.allowsHapticsAndSystemSounds }
    public func setAllowHapticsAndSystemSoundsDuringRecording(_ inValue: Bool) throws {
        appleHardwareRequests.allowsHapticsAndSystemSounds = inValue
    }

    /// Always false.
    public var isMicrophoneInjectionAvailable: Bool { false }
    public var preferredMicrophoneInjectionMode: MicrophoneInjectionMode { .none }
    /// Throws resourceNotAvailable for anything but `none`.
    public func setPreferredMicrophoneInjectionMode(_ inValue: MicrophoneInjectionMode) throws {
        try refuse(
            inValue != .none, "Microphone injection", "connect the sound to the call's input on the server")
    }

    /// Always `notApplicable`: sound is not rendered spatially.
    public var renderingMode: RenderingMode { .notApplicable }

    /// Calls the completion handler with false and `none`, on a library thread: there is no route
    /// picker to show.
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

    private func refuse(_ isRequested: Bool, _ what: String, _ why: String) throws {
        guard isRequested else { return }
        try request {
            throw AudioSessionError(
                .resourceNotAvailable, "\(what) was requested, but is not available here: \(why).")
        }
    }
}

extension AudioApplication {
    /// Whether the app may inject sound into the microphone signal of a call.
    public enum MicrophoneInjectionPermission: Int, Hashable, Sendable {
        case serviceDisabled, undetermined, denied, granted
    }

    /// Always `serviceDisabled`.
    public var microphoneInjectionPermission: MicrophoneInjectionPermission { .serviceDisabled }

    /// Calls `response` with `serviceDisabled`, on a library thread.
    public static func requestMicrophoneInjectionPermission(
        completionHandler response: @escaping @Sendable (MicrophoneInjectionPermission) -> Void
    ) {
        DispatchQueue.global().async { response(.serviceDisabled) }
    }
}

public let AVAudioSessionSpatialAudioEnabledKey = "AVAudioSessionSpatialAudioEnabledKey"
public let AVAudioSessionRenderingModeNewRenderingModeKey = "AVAudioSessionRenderingModeNewRenderingModeKey"
public let AVAudioSessionMicrophoneInjectionIsAvailableKey = "AVAudioSessionMicrophoneInjectionIsAvailableKey"
