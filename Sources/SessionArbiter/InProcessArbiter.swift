internal import Dispatch
internal import Foundation
internal import Platform
public import SessionPolicy

/// The arbiter for the sessions of one process.
///
/// Unchecked `Sendable`: all mutable state is in `guarded`, which is accessed only under `lock` (a
/// pthread lock, which the thread sanitizer understands). The lock is held for a decision and for
/// writing gates, never while an observer runs.
public final class InProcessArbiter: SessionArbiter, @unchecked Sendable {
    public let settings: ArbiterSettings
    private let lock = NSLock()
    private var guarded: Guarded
    private let keys: SessionKeys?
    /// The queue on which observers are called. There is only one, so that all notices are
    /// delivered in one order.
    private let notices: DispatchQueue
    private let hardwareChanges = Broadcaster<Void>()

    /// The state that the lock guards.
    private struct Guarded {
        var core: ArbiterCore
        var observers: [SessionID: any SessionObserver] = [:]
        var reportedHardware = HardwareRequest()
        /// When the timer ends that releases silent sessions; nil if none runs (ACT-17).
        var timerEnd: EventTime?
    }

    public var app: AppID { AppID(UInt64(ProcessInfo.processInfo.processIdentifier)) }

    public var storesPermissions: Bool { false }

    public convenience init(settings: ArbiterSettings = ArbiterSettings()) {
        self.init(settings: settings, notices: .notices(), lastSessionNumber: 0)
    }

    /// `notices` may be the queue of another arbiter too; `lastSessionNumber` precedes the number
    /// of the first session.
    init(settings: ArbiterSettings, notices: DispatchQueue, lastSessionNumber: UInt64) {
        self.settings = settings
        self.notices = notices
        keys = SessionKeys()
        var core = ArbiterCore(settings: settings, keys: keys)
        core.lastSessionNumber = lastSessionNumber
        guarded = Guarded(core: core)
    }

    /// Throws if memory cannot be allocated.
    public func register(app: AppID, observer: any SessionObserver) throws(ArbiterError) -> SessionRegistration {
        let gate = try SessionGate(keys: keys)
        return try withLock { guarded throws(ArbiterError) in
            let (id, newNotices) = try guarded.core.register(app: app, gate: gate)
            guarded.observers[id] = observer
            send(newNotices, &guarded)
            return SessionRegistration(id: id, gate: gate)
        }
    }

    public func submit(_ action: PolicyAction) throws(ArbiterError) {
        try withLock { guarded throws(ArbiterError) in send(try guarded.core.decide(action), &guarded) }
    }

    public func beginSystemSession(rank: Rank, isRinging: Bool) throws(ArbiterError) -> SessionID {
        try withLock { guarded throws(ArbiterError) in
            let (id, newNotices) = try guarded.core.beginSystemSession(rank: rank, isRinging: isRinging)
            send(newNotices, &guarded)
            return id
        }
    }

    public func status(of id: SessionID) -> SessionStatus? { withLock { $0.core.status(of: id) } }

    public func application(_ app: AppID) -> AppState { withLock { $0.core.state.app(app) } }

    public var devices: [AudioDevice] { withLock { $0.core.state.devices } }

    public var hardware: HardwareRequest { withLock { $0.core.hardware } }

    public func setOverride(_ hardwareOverride: BufferSizeOverride?) {
        withLock { guarded in
            guarded.core.bufferSizeOverride = hardwareOverride
            // The client that made the override need not be notified of it.
            guarded.reportedHardware = guarded.core.hardware
        }
    }

    public func setOverride(rate hardwareOverride: SampleRateOverride?) {
        withLock { guarded in
            guarded.core.sampleRateOverride = hardwareOverride
            guarded.reportedHardware = guarded.core.hardware
        }
    }

    public func whenHardwareChanges(_ body: @escaping @Sendable () -> Void) {
        _ = hardwareChanges.add { _ in body() }
    }

    public var decisions: [Decision] { withLock { $0.core.log.decisions } }

    /// The whole state, for tests and for replaying the log.
    public var state: PolicyState { withLock { $0.core.state } }

    public func afterNotices(_ body: @escaping @Sendable () -> Void) { notices.async(execute: body) }

    public func drain() { notices.sync {} }

    /// What the arbiter that this process joins needs to know.
    var joiningState: JoiningState {
        withLock { guarded in
            let core = guarded.core
            let sessions = core.state.sessions.compactMap { session in
                core.status(of: session.id).map { status in
                    JoiningState.Session(
                        update: SessionUpdate(
                            status: status, grantNumber: core.grants.grant(of: session.id),
                            pending: core.grants.pending(of: session.id)),
                        app: core.state.app(session.app), gate: core.gate(of: session.id),
                        observer: guarded.observers[session.id])
                }
            }
            let application = core.state.app(app)
            let seenDevices = application.server.map { server in
                SeenDevices(server: server, devices: core.state.devices.filter { $0.server == server })
            }
            return JoiningState(
                sessions: sessions, application: application, seenDevices: seenDevices, hardware: core.hardware)
        }
    }

    private func withLock<Result, Failure: Error>(
        _ body: (inout Guarded) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&guarded)
    }

    /// Queues the notices while the lock is held, so that they are in the order of the decisions
    /// (keeps ACT-11). Removes the observers of sessions that are gone.
    private func send(_ newNotices: [SessionNotice], _ guarded: inout Guarded) {
        for notice in newNotices {
            guard let observer = guarded.observers[notice.effect.session] else { continue }
            notices.async { observer.receive(notice) }
        }
        for id in guarded.observers.keys where guarded.core.state[id] == nil { guarded.observers[id] = nil }
        startIdleTimer(&guarded)
        let hardware = guarded.core.hardware
        guard hardware != guarded.reportedHardware else { return }
        guarded.reportedHardware = hardware
        notices.async { [hardwareChanges] in hardwareChanges.send(()) }
    }

    /// Starts a timer for the next release of a silent session, unless one runs that ends before.
    /// One that is no longer needed starts the next (keeps ACT-17).
    private func startIdleTimer(_ guarded: inout Guarded) {
        guard let due = guarded.core.idleReleaseDue, guarded.timerEnd.map({ due < $0 }) ?? true else { return }
        guarded.timerEnd = due
        notices.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: due.nanoseconds)) { [weak self] in
            self?.withLock { guarded in
                guard guarded.timerEnd == due else { return }
                guarded.timerEnd = nil
                // `send` starts the timer again, which ends at once if another one is due.
                guard let release = guarded.core.dueIdleRelease, let notices = try? guarded.core.decide(release) else {
                    self?.startIdleTimer(&guarded)
                    return
                }
                self?.send(notices, &guarded)
            }
        }
    }
}
