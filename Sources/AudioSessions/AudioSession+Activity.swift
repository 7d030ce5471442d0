public import Foundation

/// The 2026 notifications of activation and deactivation. They report what
/// `interruptionNotification` reports, and also the activations and deactivations that the app
/// makes itself.
extension AudioSession {
    /// Posted when the session has become active: by the app, by a player that started, or by a
    /// delayed grant.
    public class var didBecomeActiveNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionDidBecomeActiveNotification")
    }
    /// Posted when the session is no longer active; `deactivationContextKey` holds the cause.
    public class var didBecomeInactiveNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionDidBecomeInactiveNotification")
    }
    /// Posted when an interruption has ended; `resumptionContextKey` holds whether to resume
    /// (INT-3).
    public class var resumptionRecommendationNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionResumptionRecommendationNotification")
    }
    /// The key of a `DeactivationContext` in `didBecomeInactiveNotification`.
    public class var deactivationContextKey: String { "AVAudioSessionDeactivationContextKey" }
    /// The key of a `ResumptionContext` in `resumptionRecommendationNotification`.
    public class var resumptionContextKey: String { "AVAudioSessionResumptionContextKey" }

    /// What ended the session's activity. Raw values are specific to this library.
    public enum DeactivationSource: Int, Hashable, Sendable {
        /// The app, by a call or by a limit that it set.
        case app = 0
        /// An interruption, the background, suspension, a reset with the server, or the arbiter
        /// service, which dropped the session.
        case system = 1
    }

    /// Whether to resume after an interruption (INT-3). Raw values are specific to this library.
    public enum ResumptionRecommendation: Int, Hashable, Sendable {
        case shouldResume = 0
        case shouldNotResume = 1
    }

    /// Why the session is no longer active, in more detail than `DeactivationSource`.
    public enum DeactivationCause: Hashable, Sendable {
        /// The app deactivated the session.
        case app
        /// Another session, the microphone's hardware switch or a disconnected output interrupted
        /// it (INT-2).
        case interruption(InterruptionReason)
        /// The app left the foreground or withdrew its declaration of background audio, or the
        /// screen was locked (BG-1, BG-2). Also reported when a setting resets the sessions with
        /// the server (SRV-2).
        case background
        /// The app was suspended (BG-3).
        case suspension
        /// The arbiter service dropped the session: the app had not responded for several seconds,
        /// or a service that replaced another one could not restore the session (ACT-12).
        case cutOff
        /// For the duration of `idleTimeout`, nothing played or recorded in the session.
        case idle
        /// The session ducked others for the duration of `duckLimit`.
        case duckLimit

        /// What ended the activity. The app's own limits count as the app.
        public var source: DeactivationSource {
            switch self {
            case .app, .idle, .duckLimit: .app
            case .interruption, .background, .suspension, .cutOff: .system
            }
        }

        /// The interruption reason to report; nil when the app ended the activity.
        var interruptionReason: InterruptionReason? {
            switch self {
            case .app, .idle, .duckLimit: nil
            case .interruption(let reason): reason
            case .background, .cutOff: .default
            case .suspension: .appWasSuspended
            }
        }
    }

    /// Why an interruption occurred.
    public final class InterruptionContext: NSObject, Sendable {
        public let reason: InterruptionReason

        public init(reason: InterruptionReason) { self.reason = reason }
    }

    /// The value of `deactivationContextKey`.
    public final class DeactivationContext: NSObject, Sendable {
        /// What ended the activity.
        public let source: DeactivationSource
        /// Non-nil exactly when the system ended the activity. If it did so without an interruption
        /// (BG-1, BG-2, ACT-12), the reason is `default`, and `cause` has the details.
        public let interruptionContext: InterruptionContext?
        /// The full cause. Specific to this library.
        public let cause: DeactivationCause

        public init(cause: DeactivationCause) {
            self.cause = cause
            source = cause.source
            interruptionContext = cause.interruptionReason.map { InterruptionContext(reason: $0) }
        }
    }

    /// The value of `resumptionContextKey`.
    public final class ResumptionContext: NSObject, Sendable {
        public let recommendation: ResumptionRecommendation

        public init(recommendation: ResumptionRecommendation) { self.recommendation = recommendation }
    }

    /// How the session's activity ended, in `DidBecomeInactiveMessage`.
    public enum DeactivationResult: Sendable {
        /// The app ended it, by a call or by a limit that it set.
        case appDeactivated
        /// The system ended it.
        case systemInterruption(InterruptionContext)
    }
}
