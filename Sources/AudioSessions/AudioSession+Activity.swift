public import Foundation

/// Becoming active and inactive, as sources of 2026 read it: what `interruptionNotification` tells, and the app's own comings and goings.
extension AudioSession {
    /// The session has become active: by the app, by a player that started, or by a delayed grant.
    public class var didBecomeActiveNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionDidBecomeActiveNotification")
    }
    /// The session is not active any longer: `deactivationContextKey` tells by whom.
    public class var didBecomeInactiveNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionDidBecomeInactiveNotification")
    }
    /// An interruption is over: `resumptionContextKey` tells whether to go on (INT-3).
    public class var resumptionRecommendationNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionResumptionRecommendationNotification")
    }
    /// Key of a `DeactivationContext` in `didBecomeInactiveNotification`.
    public class var deactivationContextKey: String { "AVAudioSessionDeactivationContextKey" }
    /// Key of a `ResumptionContext` in `resumptionRecommendationNotification`.
    public class var resumptionContextKey: String { "AVAudioSessionResumptionContextKey" }

    /// Who ended the session's activity. Raw values are ours.
    public enum DeactivationSource: Int, Hashable, Sendable {
        /// The app, by a call or by a limit that it set.
        case app = 0
        /// An interruption, the background, suspension, or a loss of the arbiter.
        case system = 1
    }

    /// Whether to go on after an interruption (INT-3). Raw values are ours.
    public enum ResumptionRecommendation: Int, Hashable, Sendable {
        case shouldResume = 0
        case shouldNotResume = 1
    }

    /// Why the session is not active any longer: more than `DeactivationSource` says.
    public enum DeactivationCause: Hashable, Sendable {
        /// The app asked for it.
        case app
        /// Another session, or the microphone's switch, interrupted it (INT-2).
        case interruption(InterruptionReason)
        /// Its app left the foreground, or the screen was locked (BG-1, BG-2).
        case background
        /// Its app was suspended (BG-3).
        case suspension
        /// The arbiter's service gave the session up: its app had not answered for seconds, or the service that took the place of another one
        /// could not take it over (ACT-12).
        case cutOff
        /// Nothing played for as long as `idleTimeout` allows.
        case idle
        /// It lowered others for as long as `duckLimit` allows.
        case duckLimit

        /// Who ended the activity: limits are the app's own.
        public var source: DeactivationSource {
            switch self {
            case .app, .idle, .duckLimit: .app
            case .interruption, .background, .suspension, .cutOff: .system
            }
        }

        /// What the system says of it; nil where the app ended the activity.
        var interruptionReason: InterruptionReason? {
            switch self {
            case .app, .idle, .duckLimit: nil
            case .interruption(let reason): reason
            case .background, .cutOff: .default
            case .suspension: .appWasSuspended
            }
        }
    }

    /// What an interruption is due to.
    public final class InterruptionContext: NSObject, Sendable {
        public let reason: InterruptionReason

        public init(reason: InterruptionReason) { self.reason = reason }
    }

    /// Value of `deactivationContextKey`.
    public final class DeactivationContext: NSObject, Sendable {
        /// Who ended the activity.
        public let source: DeactivationSource
        /// Set exactly when the system did. Where it did so without an interruption (BG-1, BG-2, ACT-12), the reason is `default`; `cause` tells more.
        public let interruptionContext: InterruptionContext?
        /// Ours: why in full.
        public let cause: DeactivationCause

        public init(cause: DeactivationCause) {
            self.cause = cause
            source = cause.source
            interruptionContext = cause.interruptionReason.map { InterruptionContext(reason: $0) }
        }
    }

    /// Value of `resumptionContextKey`.
    public final class ResumptionContext: NSObject, Sendable {
        public let recommendation: ResumptionRecommendation

        public init(recommendation: ResumptionRecommendation) { self.recommendation = recommendation }
    }

    /// How the session's activity ended, in `DidBecomeInactiveMessage`.
    public enum DeactivationResult: Sendable {
        /// The app ended it, by a call or by a limit that it set.
        case appDeactivated
        /// The system did.
        case systemInterruption(InterruptionContext)
    }
}
