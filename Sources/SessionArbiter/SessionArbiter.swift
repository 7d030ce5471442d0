public import SessionPolicy

/// The control tower: decides for all sessions, opens and shuts their gates, and tells them.
///
/// Every call is synchronous, safe from any thread and bounded in time. When it returns, every gate it changed has been written;
/// notices come later, on a thread of the arbiter's, one at a time and in one order for all (keeps ACT-11, INT-1).
public protocol SessionArbiter: AnyObject, Sendable {
    /// The settings it decides by.
    var settings: ArbiterSettings { get }

    /// Takes in a new session of an app; `observer` is told what concerns it until it unregisters, and is held until then.
    func register(app: AppID, observer: any SessionObserver) throws(ArbiterError) -> SessionRegistration

    /// Decides what is asked; throws when refused, and then nothing has changed (ACT-1).
    func submit(_ action: PolicyAction) throws(ArbiterError)

    /// Begins a call, an alarm, the assistant or a stand-in app; the id serves to accept and end it (ACT-4, INT-6, SIM-1).
    func beginSystemSession(rank: Rank, isRinging: Bool) throws(ArbiterError) -> SessionID

    /// A session as it is now; nil when the arbiter does not know it.
    func status(of session: SessionID) -> SessionStatus?

    /// What is known of an app: where it is in its life, and its permission.
    func application(_ app: AppID) -> AppState

    /// What is plugged in, of all servers, the last in last (ROUTE-2).
    var devices: [Device] { get }

    /// What the hardware is to be asked for, settled among the active sessions (HW-2).
    var hardware: HardwareWish { get }

    /// Notes the period that stands in for the server's own, or that it has been given back; whoever sees `hardware` next knows (HW-2).
    func keep(_ loan: PeriodLoan?)

    /// The same of the rate.
    func keep(rate loan: RateLoan?)

    /// Has `body` called on a thread of the arbiter's whenever `hardware` has become another; for as long as the arbiter lives.
    func whenHardwareChanges(_ body: @escaping @Sendable () -> Void)

    /// The latest decisions, the oldest first (ACT-13).
    var decisions: [Decision] { get }

    /// Returns when every notice of earlier decisions has been told. Not from within an observer.
    func drain()
}

/// Whoever a session's news are told to, on a thread of the arbiter's.
public protocol SessionObserver: AnyObject, Sendable {
    func receive(_ notice: SessionNotice)
    /// Another arbiter decides from now on and writes another page; until the render core reads that, the last verdict holds (SRV-3).
    func replaceGate(_ gate: SessionGate)
}

/// What an arbiter hands to a session at registration.
public struct SessionRegistration: Sendable {
    public let id: SessionID
    /// Written by the arbiter, read by the render core.
    public let gate: SessionGate
}

/// A period that stands in for the server's own, to be given back (HW-2).
public struct PeriodLoan: Hashable, Sendable, Codable {
    /// Frames of the server's own period.
    public var before: Int
    /// Frames that it was asked for.
    public var ours: Int

    public init(before: Int, ours: Int) {
        self.before = before
        self.ours = ours
    }
}

/// A rate that stands in for the server's own, to be given back (HW-2).
public struct RateLoan: Hashable, Sendable, Codable {
    /// The server's own, in Hz.
    public var before: Int
    /// Hz that it was asked for.
    public var ours: Int

    public init(before: Int, ours: Int) {
        self.before = before
        self.ours = ours
    }
}

/// What the active sessions wish of the hardware, settled.
public struct HardwareWish: Hashable, Sendable, Codable {
    /// Seconds; nil when nobody asks.
    public var ioBufferDuration: Double?
    /// What was done about it.
    public var loan: PeriodLoan?
    /// Hz; nil when nobody asks.
    public var sampleRate: Double?
    /// What was done about that.
    public var rateLoan: RateLoan?

    public init(
        ioBufferDuration: Double? = nil, loan: PeriodLoan? = nil, sampleRate: Double? = nil, rateLoan: RateLoan? = nil
    ) {
        self.ioBufferDuration = ioBufferDuration
        self.loan = loan
        self.sampleRate = sampleRate
        self.rateLoan = rateLoan
    }
}

extension SessionArbiter {
    /// Why a session is as it is, a line a reason; empty when it runs at full level (ACT-13).
    public func explain(_ session: SessionID) -> [String] {
        guard let status = status(of: session) else { return ["\(session) is not known to the arbiter"] }
        return status.standing.reasons.map { "\(session) is \($0)" }
    }

    /// The same, for who keeps the gate of one arbiter and has only notices to be told.
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
