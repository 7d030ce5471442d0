public import SessionPolicy

/// The control tower: decides for all sessions, opens and shuts their gates, and tells them.
///
/// Every call is synchronous, safe from any thread and bounded in time. When it returns, every gate it changed has been written;
/// notices come later, on a thread of the arbiter's, one at a time and in one order for all (keeps ACT-11, INT-1).
public protocol SessionArbiter: AnyObject, Sendable {
    /// Takes in a new session of an app; `observer` is told what concerns it until it unregisters.
    func register(
        app: AppID, observer: @escaping @Sendable (SessionNotice) -> Void
    ) throws(ArbiterError) -> SessionRegistration

    /// Decides what is asked; throws when refused, and then nothing has changed (ACT-1).
    func submit(_ action: PolicyAction) throws(ArbiterError)

    /// Begins a call, an alarm, the assistant or a stand-in app; the id serves to accept and end it (ACT-4, INT-6, SIM-1).
    func beginSystemSession(rank: Rank, isRinging: Bool) throws(ArbiterError) -> SessionID

    /// A session as it is now; nil when the arbiter does not know it.
    func status(of session: SessionID) -> SessionStatus?

    /// What is known of an app: where it is in its life, and its permission.
    func application(_ app: AppID) -> AppState

    /// What is plugged in, the last in last (ROUTE-2).
    var devices: [Device] { get }

    /// What the hardware is to be asked for, in seconds, settled among the active sessions; nil when nobody asks (HW-2).
    var settledIOBufferDuration: Double? { get }

    /// The latest decisions, the oldest first (ACT-13).
    var decisions: [Decision] { get }
}

/// What an arbiter hands to a session at registration.
public struct SessionRegistration: Sendable {
    public let id: SessionID
    /// Written by the arbiter, read by the render core.
    public let gate: SessionGate
}

extension SessionArbiter {
    /// Why a session is as it is, a line a reason; empty when it runs at full level (ACT-13).
    public func explain(_ session: SessionID) -> [String] {
        guard let status = status(of: session) else { return ["\(session) is not known to the arbiter"] }
        return status.standing.reasons.map { "\(session) is \($0)" }
    }
}
