public import Foundation

/// Notifications posted to `NotificationCenter.default`, with the session as object, in the
/// arbiter's order: on the main queue if the program runs it, except route changes, and otherwise
/// on a library thread (`AudioSessionHost.notificationThread`).
extension AudioSession {
    /// Posted when an interruption begins or ends: see `InterruptionType`, `InterruptionReason`,
    /// `InterruptionOptions`.
    public class var interruptionNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionInterruptionNotification")
    }
    /// Posted when the route has changed: see `RouteChangeReason`. Carries the previous route
    /// (ROUTE-3). Always posted on a library thread, as on iOS: the sound moves to the new route
    /// after it (ROUTE-4).
    public class var routeChangeNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionRouteChangeNotification")
    }
    /// Posted when the audio server was lost: it ended, or disconnected this process. Calls throw
    /// `mediaServicesFailed` until it returns (SRV-1).
    public class var mediaServicesWereLostNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionMediaServicesWereLostNotification")
    }
    /// Posted when the audio server has returned and the library has restored everything. A device
    /// that has not returned after 10 s counts as removed (SRV-2).
    public class var mediaServicesWereResetNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionMediaServicesWereResetNotification")
    }
    /// Posted to an active session of a foreground app when another primary session, one that does
    /// not mix with others, starts or stops playing (HINT-2).
    public class var silenceSecondaryAudioHintNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionSilenceSecondaryAudioHintNotification")
    }
    /// Posted when the session's own output is muted or unmuted: see `muteStateKey` (VOL-3).
    public class var outputMuteStateChangeNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionOutputMuteStateChangeNotification")
    }
    /// The key of the new state, a Bool, in `outputMuteStateChangeNotification`.
    public class var muteStateKey: String { "AVAudioSessionMuteStateKey" }

    /// Posted when the available inputs have changed; no `userInfo` (ROUTE-6).
    public class var availableInputsChangeNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionAvailableInputsChangeNotification")
    }

    /// The value of `AudioSessionInterruptionTypeKey`.
    public enum InterruptionType: UInt, Hashable, Sendable {
        case ended = 0
        case began = 1
    }

    /// The value of `AudioSessionInterruptionOptionKey` when an interruption ends.
    public struct InterruptionOptions: OptionSet, Hashable, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The app may resume automatically (INT-3).
        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }
}

/// The keys of the notifications' `userInfo`. Numbers are stored as `NSNumber`, so that both `as?
/// UInt` and `as? Int` succeed.
public let AudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"
public let AudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"
public let AudioSessionInterruptionReasonKey = "AVAudioSessionInterruptionReasonKey"
public let AudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"
public let AudioSessionRouteChangePreviousRouteKey = "AVAudioSessionRouteChangePreviousRouteKey"
public let AudioSessionSilenceSecondaryAudioHintTypeKey = "AVAudioSessionSilenceSecondaryAudioHintTypeKey"
