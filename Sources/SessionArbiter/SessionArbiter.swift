public import SessionPolicy

/// An arbiter: it decides for all sessions, controls their gates and notifies them.
///
/// Every call is safe from any thread and bounded in time, and all but `post` are synchronous: when
/// they return, every gate that they changed has been written. Notices follow on a thread of the
/// arbiter, one at a time and in one order for all sessions (keeps ACT-11, INT-1).
public protocol SessionArbiter: AnyObject, Sendable {
    /// The settings on which decisions are based.
    var settings: ArbiterSettings { get }

    /// The id of this process as an app.
    var app: AppID { get }

    /// Whether the arbiter stores the user's answers to requests for record permission itself
    /// (PERM-2).
    var storesPermissions: Bool { get }

    /// Registers a new session of an app. The arbiter retains `observer` and passes it the
    /// session's notices until the session is unregistered.
    func register(app: AppID, observer: any SessionObserver) throws(ArbiterError) -> SessionRegistration

    /// Decides on an action. Throws if it is refused; then nothing has changed (ACT-1).
    func submit(_ action: PolicyAction) throws(ArbiterError)

    /// Submits an action without waiting for the decision. The arbiter decides on it before all
    /// later requests of this process. Calls `whenAccepted`, on any thread, unless the action is
    /// refused or the arbiter is lost before.
    func post(_ action: PolicyAction, whenAccepted: @escaping @Sendable () -> Void)

    /// Begins sleep, a call, an alarm, the assistant or a simulated app. Returns the id with which
    /// the session is accepted and ended (ACT-4, INT-6, SIM-1).
    func beginSystemSession(rank: Rank, isRinging: Bool) throws(ArbiterError) -> SessionID

    /// Returns the current status of a session; nil if the arbiter does not know it.
    func status(of session: SessionID) -> SessionStatus?

    /// Returns the state of an app, such as its life-cycle state and its permission to record.
    func application(_ app: AppID) -> AppState

    /// The devices of all servers, the newest last (ROUTE-2).
    var devices: [AudioDevice] { get }

    /// The values to request from the hardware, resolved among the active sessions (HW-2).
    var hardware: HardwareRequest { get }

    /// Records that the server's own period was replaced by another, or with nil that it was
    /// restored. `hardware` then contains the override (HW-2).
    func setOverride(_ hardwareOverride: BufferSizeOverride?)

    /// Records that the server's own sample rate was replaced by another, or with nil that it was
    /// restored.
    func setOverride(rate hardwareOverride: SampleRateOverride?)

    /// Calls `body` on a thread of the arbiter whenever `hardware` has changed, for as long as the
    /// arbiter lives.
    func whenHardwareChanges(_ body: @escaping @Sendable () -> Void)

    /// Calls `body` on a thread of the arbiter whenever another arbiter has taken over that may
    /// have other settings and may know other devices, for as long as this object lives.
    func whenArbiterChanges(_ body: @escaping @Sendable () -> Void)

    /// The latest decisions, the oldest first (ACT-13).
    var decisions: [Decision] { get }

    /// Calls `body` on the thread of the notices, after those of earlier decisions, without
    /// waiting.
    func afterNotices(_ body: @escaping @Sendable () -> Void)

    /// Returns when every notice of earlier decisions has been delivered. Must not be called from
    /// an observer.
    func drain()
}

/// Receives the notices for a session, on a thread of the arbiter.
public protocol SessionObserver: AnyObject, Sendable {
    func receive(_ notice: SessionNotice)
    /// Replaces the gate, because another arbiter now decides and writes another page. The last
    /// grant holds until the render core reads that page (SRV-3). May be called while `receive`
    /// runs on another thread.
    func replaceGate(_ gate: SessionGate)
}

/// What an arbiter returns for a registered session.
public struct SessionRegistration: Sendable {
    public let id: SessionID
    /// The gate that the arbiter writes and the render core reads.
    public let gate: SessionGate
}

extension SessionArbiter {
    /// For an arbiter in the process, which decides at once.
    public func post(_ action: PolicyAction, whenAccepted: @escaping @Sendable () -> Void) {
        if (try? submit(action)) != nil { whenAccepted() }
    }

    /// By default, no other arbiter takes over.
    public func whenArbiterChanges(_ body: @escaping @Sendable () -> Void) {}

    /// Returns why a session is in its current state, one line for each reason; empty if it runs at
    /// full level (ACT-13). For a session that the arbiter does not know, the one line says so.
    public func explain(_ session: SessionID) -> [String] {
        guard let status = status(of: session) else { return ["\(session) is not known to the arbiter"] }
        return status.resolvedGrant.reasons.map { "\(session) is \($0)" }
    }

    /// Registers a session whose owner needs only notices and never replaces the gate of its one
    /// arbiter.
    public func register(
        app: AppID, observer: @escaping @Sendable (SessionNotice) -> Void
    ) throws(ArbiterError) -> SessionRegistration {
        try register(app: app, observer: NoticeObserver(observer))
    }
}

private final class NoticeObserver: SessionObserver {
    private let body: @Sendable (SessionNotice) -> Void

    init(_ body: @escaping @Sendable (SessionNotice) -> Void) { self.body = body }

    func receive(_ notice: SessionNotice) { body(notice) }
    func replaceGate(_ gate: SessionGate) {}
}
