internal import AudioRendering
internal import Foundation
internal import Platform

/// The activity that was last reported to the app, so that each change is reported once, whatever
/// its source.
struct DeliveredActivity {
    var isActive = false
    /// The cause, while the library itself ends the activity.
    var pendingCause: AudioSession.DeactivationCause?
}

/// The 2026 notifications. They are derived from the same notices as the older ones, so both report
/// the same changes, in one order, each once (keeps INT-11).
extension AudioSession {
    /// Reports the start of the session's activity, unless it was already reported.
    func deliverBecameActive() {
        let isNew = deliveredActivity.withLock { delivered in
            defer { delivered = DeliveredActivity(isActive: true) }
            return !delivered.isActive
        }
        guard isNew else { return }
        streams.yield(.becameActive)
        post(Self.didBecomeActiveNotification, nil)
        mainActorNotifier.post(DidBecomeActiveMessage(), of: self)
    }

    /// Reports the end of the session's activity, unless it was already reported. If `cause` is the
    /// app, the actual cause may be a limit that the app set.
    func deliverBecameInactive(_ cause: DeactivationCause) {
        let cause: DeactivationCause? = deliveredActivity.withLock { delivered in
            guard delivered.isActive else { return nil }
            defer { delivered = DeliveredActivity() }
            return cause == .app ? delivered.pendingCause ?? .app : cause
        }
        guard let cause else { return }
        let context = DeactivationContext(cause: cause)
        streams.yield(.becameInactive(cause))
        post(Self.didBecomeInactiveNotification, [Self.deactivationContextKey: context])
        mainActorNotifier.post(DidBecomeInactiveMessage(context), of: self)
    }

    func deliverRecommendation(_ recommendation: ResumptionRecommendation) {
        let context = ResumptionContext(recommendation: recommendation)
        post(Self.resumptionRecommendationNotification, [Self.resumptionContextKey: context])
        mainActorNotifier.post(ResumptionRecommendationMessage(context), of: self)
    }
}
