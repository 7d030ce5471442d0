import SessionArbiter
import SessionPolicy
import TestSupport

/// An app with one active session, in the test's process.
final class AppSession {
    let id: SessionID
    private let connection: ArbiterConnection
    private let statuses: EventLog<SessionStatus>
    private let notices: EventLog<Effect.Kind>

    /// Activates a playback session with these options.
    init(_ audiosession: AudiosessionRun, _ options: CategoryOptions = []) throws {
        let (statuses, notices) = (EventLog<SessionStatus>(), EventLog<Effect.Kind>())
        connection = try ArbiterConnection(
            try ArbiterAddress(path: audiosession.socket),
            receive: { message in
                switch message {
                case .status(let update): statuses.note(update.status)
                case .notice(let notice): notices.note(notice.effect.kind)
                default: break
                }
            })
        guard let id = try connection.request(.register(app: nil)).session else {
            throw TestFailure("The arbiter's reply has no session number.")
        }
        self.id = id
        (self.statuses, self.notices) = (statuses, notices)
        try submit(.configure(id, .category(.playback, options: options)))
        try submit(.activate(id))
        try submit(.setRunning(id, true))
    }

    deinit { connection.close() }

    func submit(_ action: PolicyAction) throws { _ = try connection.request(.submit(action)) }

    /// Waits until the session is lowered, or again at full level.
    func isLowered(_ lowered: Bool) -> Bool {
        statuses.wait { [id] statuses in
            statuses.last { $0.session.id == id }.map { ($0.resolvedGrant.grant.attenuation > 0) == lowered } ?? false
        }
    }

    /// Waits for a notice.
    func isNotified(_ kind: Effect.Kind) -> Bool { notices.wait { $0.contains(kind) } }

    /// Whether such a notice has arrived so far.
    func wasNotified(_ kind: Effect.Kind) -> Bool { notices.noted.contains(kind) }
}
