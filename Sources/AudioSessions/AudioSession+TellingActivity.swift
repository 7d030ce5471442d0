internal import AudioRendering
internal import Foundation

/// What the app was told last of the session's activity, so that each change is told once, whatever it came from.
struct ToldActivity {
    var isActive = false
    /// The library ends the activity itself: why.
    var leaving: AudioSession.DeactivationCause?
}

/// The newer notifications, fed by the notices that feed the older one: one story, one order, each once (keeps INT-11).
extension AudioSession {
    func tellBecameActive() {
        let isNew = told.withLock { told in
            defer { told = ToldActivity(isActive: true) }
            return !told.isActive
        }
        guard isNew else { return }
        streams.yield(.becameActive)
        post(Self.didBecomeActiveNotification, nil)
        mail.post(DidBecomeActiveMessage(), of: self)
    }

    /// A session that its app deactivates may be one that a limit of the app's ends.
    func tellBecameInactive(_ cause: DeactivationCause) {
        let cause: DeactivationCause? = told.withLock { told in
            guard told.isActive else { return nil }
            defer { told = ToldActivity() }
            return cause == .app ? told.leaving ?? .app : cause
        }
        guard let cause else { return }
        let context = DeactivationContext(cause: cause)
        streams.yield(.becameInactive(cause))
        post(Self.didBecomeInactiveNotification, [Self.deactivationContextKey: context])
        mail.post(DidBecomeInactiveMessage(context), of: self)
    }

    func tellRecommendation(_ recommendation: ResumptionRecommendation) {
        let context = ResumptionContext(recommendation: recommendation)
        post(Self.resumptionRecommendationNotification, [Self.resumptionContextKey: context])
        mail.post(ResumptionRecommendationMessage(context), of: self)
    }
}
