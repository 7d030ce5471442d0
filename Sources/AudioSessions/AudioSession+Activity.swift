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

    /// Whether to resume after an interruption (INT-3). Raw values are specific to this library.
    public enum ResumptionRecommendation: Int, Hashable, Sendable {
        case shouldResume = 0
        case shouldNotResume = 1
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
