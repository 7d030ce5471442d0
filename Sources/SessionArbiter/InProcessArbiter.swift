internal import Dispatch
internal import Foundation
public import SessionPolicy

/// The arbiter for the sessions of one process.
///
/// Unchecked `Sendable`: everything mutable is in `kept`, reached only under `lock` (a pthread lock, which the thread sanitizer
/// understands). It is held for a decision and the writing of gates, never while an observer runs.
public final class InProcessArbiter: SessionArbiter, @unchecked Sendable {
    public let settings: ArbiterSettings
    private let lock = NSLock()
    private var kept: Kept
    /// Where observers are told: one queue, hence one order.
    private let notices = DispatchQueue(label: "audio-session.notices")

    /// What the lock guards.
    private struct Kept {
        var tower: ControlTower
        var observers: [SessionID: any SessionObserver] = [:]
        var hardwareObservers: [@Sendable () -> Void] = []
        var toldHardware = HardwareWish()
    }

    public init(settings: ArbiterSettings = ArbiterSettings()) {
        self.settings = settings
        kept = Kept(tower: ControlTower(settings: settings))
    }

    /// Memory is the only thing that can be short.
    public func register(app: AppID, observer: any SessionObserver) throws(ArbiterError) -> SessionRegistration {
        let gate = try SessionGate()
        return try withLock { kept throws(ArbiterError) in
            let (id, told) = try kept.tower.register(app: app, gate: gate)
            kept.observers[id] = observer
            send(told, &kept)
            return SessionRegistration(id: id, gate: gate)
        }
    }

    public func submit(_ action: PolicyAction) throws(ArbiterError) {
        try withLock { kept throws(ArbiterError) in send(try kept.tower.decide(action), &kept) }
    }

    public func beginSystemSession(rank: Rank, isRinging: Bool) throws(ArbiterError) -> SessionID {
        try withLock { kept throws(ArbiterError) in
            let (id, told) = try kept.tower.beginSystemSession(rank: rank, isRinging: isRinging)
            send(told, &kept)
            return id
        }
    }

    public func status(of id: SessionID) -> SessionStatus? { withLock { $0.tower.status(of: id) } }

    public func application(_ app: AppID) -> AppState { withLock { $0.tower.state.app(app) } }

    public var devices: [Device] { withLock { $0.tower.state.devices } }

    public var hardware: HardwareWish { withLock { $0.tower.hardware } }

    public func keep(_ loan: PeriodLoan?) {
        withLock { kept in
            kept.tower.loan = loan
            // Who keeps it knows.
            kept.toldHardware = kept.tower.hardware
        }
    }

    public func keep(rate loan: RateLoan?) {
        withLock { kept in
            kept.tower.rateLoan = loan
            kept.toldHardware = kept.tower.hardware
        }
    }

    public func whenHardwareChanges(_ body: @escaping @Sendable () -> Void) {
        withLock { $0.hardwareObservers.append(body) }
    }

    public var decisions: [Decision] { withLock { $0.tower.log.decisions } }

    /// The whole state, for tests and for whoever replays the log.
    public var state: PolicyState { withLock { $0.tower.state } }

    public func drain() { notices.sync {} }

    private func withLock<Result, Failure: Error>(
        _ body: (inout Kept) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&kept)
    }

    /// Queues the notices while the lock is held, so that their order is that of the decisions (keeps ACT-11). Observers of sessions that
    /// are gone go too.
    private func send(_ told: [SessionNotice], _ kept: inout Kept) {
        for notice in told {
            guard let observer = kept.observers[notice.effect.session] else { continue }
            notices.async { observer.receive(notice) }
        }
        for id in kept.observers.keys where kept.tower.state[id] == nil { kept.observers[id] = nil }
        let hardware = kept.tower.hardware
        guard hardware != kept.toldHardware else { return }
        kept.toldHardware = hardware
        for observer in kept.hardwareObservers { notices.async(execute: observer) }
    }
}
