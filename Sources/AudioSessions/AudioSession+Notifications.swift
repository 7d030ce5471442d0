public import Foundation

/// What is told through `NotificationCenter.default`, with the session as object, on a thread of the library's, in the arbiter's order.
extension AudioSession {
    /// Began or ended: see `InterruptionType`, `InterruptionReason`, `InterruptionOptions`.
    public class var interruptionNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionInterruptionNotification")
    }
    /// The route is another: see `RouteChangeReason`; carries the previous route (ROUTE-3).
    public class var routeChangeNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionRouteChangeNotification")
    }
    /// The server died; calls throw `mediaServicesFailed` until it is back (SRV-1).
    public class var mediaServicesWereLostNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionMediaServicesWereLostNotification")
    }
    /// The server is back and everything is as it was; a device that has not returned after 2 s is gone (SRV-2).
    public class var mediaServicesWereResetNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionMediaServicesWereResetNotification")
    }
    /// Another primary session began or ceased to play (HINT-2).
    public class var silenceSecondaryAudioHintNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionSilenceSecondaryAudioHintNotification")
    }
    /// The session's own output was muted or unmuted: see `muteStateKey` (VOL-3).
    public class var outputMuteStateChangeNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionOutputMuteStateChangeNotification")
    }
    /// Key of the new state, a Bool, in `outputMuteStateChangeNotification`.
    public class var muteStateKey: String { "AVAudioSessionMuteStateKey" }

    /// Other inputs can be chosen from; no `userInfo` (ROUTE-6).
    public class var availableInputsChangeNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionAvailableInputsChangeNotification")
    }

    /// Value of `AudioSessionInterruptionTypeKey`.
    public enum InterruptionType: UInt, Hashable, Sendable {
        case ended = 0
        case began = 1
    }

    /// Value of `AudioSessionInterruptionOptionKey`, in an end.
    public struct InterruptionOptions: OptionSet, Hashable, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The app may go on by itself (INT-3).
        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }

    /// Value of `AudioSessionInterruptionReasonKey`, in a begin (INT-2).
    public enum InterruptionReason: UInt, Hashable, Sendable {
        case `default` = 0
        case appWasSuspended = 1
        case builtInMicMuted = 2
        case routeDisconnected = 4
    }

    /// Value of `AudioSessionRouteChangeReasonKey` (ROUTE-3).
    public enum RouteChangeReason: UInt, Hashable, Sendable {
        case unknown = 0
        case newDeviceAvailable = 1
        case oldDeviceUnavailable = 2
        case categoryChange = 3
        case override = 4
        case wakeFromSleep = 6
        case noSuitableRouteForCategory = 7
        case routeConfigurationChange = 8
    }

    /// Value of `AudioSessionSilenceSecondaryAudioHintTypeKey`.
    public enum SilenceSecondaryAudioHintType: UInt, Hashable, Sendable {
        case end = 0
        case begin = 1
    }
}

/// Keys of the notifications' `userInfo`. Numbers are stored as `NSNumber`, so that `as? UInt` and `as? Int` both answer.
public let AudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"
public let AudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"
public let AudioSessionInterruptionReasonKey = "AVAudioSessionInterruptionReasonKey"
public let AudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"
public let AudioSessionRouteChangePreviousRouteKey = "AVAudioSessionRouteChangePreviousRouteKey"
public let AudioSessionSilenceSecondaryAudioHintTypeKey = "AVAudioSessionSilenceSecondaryAudioHintTypeKey"
