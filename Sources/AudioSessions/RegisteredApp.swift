internal import SessionArbiter
internal import SessionPolicy

/// An app as the arbiter knows it. Any thread.
final class RegisteredApp: Sendable {
    let arbiter: any SessionArbiter
    let id: AppID

    init(_ id: AppID, at arbiter: any SessionArbiter) {
        self.id = id
        self.arbiter = arbiter
    }

    /// The arbiter's current state of the app.
    var state: AppState { arbiter.application(id) }

    /// Submits an action to the arbiter. Throws its refusal.
    func submit(_ action: PolicyAction) throws {
        do throws(ArbiterError) {
            try arbiter.submit(action)
        } catch {
            throw AudioSessionError(error)
        }
    }
}
