internal import Dispatch
internal import Foundation
internal import Platform
package import SessionPolicy

/// The arbiter of a process that found none: it arbitrates within the process until the arbiter of
/// all apps can be reached, joins that one, and from then on forwards to it (SRV-3).
///
///     alone ── move succeeds ──▶ joined
///       ▲ │
///       └─┘ move fails
///
/// `ArbiterSearch` connects, on a thread of its own and however long that takes, while calls are
/// decided here. Only then does the move begin. It takes the sessions as they are, has the arbiter
/// restore them in one decision, and then exchanges their gates; it holds `calls`, so that no call
/// changes a session meanwhile, for at most `ArbiterProtocol.replyTimeout`. Until the exchange the
/// gates keep their grants, and reading continues. A move that fails changes nothing here.
///
/// Both arbiters deliver notices on one queue, in one order. It is suspended during the exchange,
/// so that a handler sees the state to which its notice belongs.
package final class JoiningArbiter: SessionArbiter, @unchecked Sendable {
    private enum Phase {
        case alone(InProcessArbiter)
        case joined(RemoteArbiter)

        var arbiter: any SessionArbiter {
            switch self {
            case .alone(let arbiter): arbiter
            case .joined(let arbiter): arbiter
            }
        }
    }
    private let phase: Mutex<Phase>
    /// Held while a call changes the state of `alone`, and during a move. Unlike a `Mutex`, it may
    /// be held while the arbiter is asked and while observers adopt their gates.
    private let calls = NSLock()
    private let notices: DispatchQueue
    private let hardwareChanges = Broadcaster<Void>()
    private let arbiterChanges = Broadcaster<Void>()
    private let search: ArbiterSearch

    /// Starts to look for the arbiter at `address`, which is asked again before each attempt: it
    /// throws while the folder of the socket cannot be used. `pauses` are in seconds. Calls
    /// `whenJoined` once, with the arbiter's address.
    package init(
        at address: @escaping ArbiterSearch.Address, pauses: ClosedRange<Double> = ArbiterSearch.pauses,
        whenJoined: @escaping @Sendable (ArbiterAddress) -> Void = { _ in }
    ) {
        notices = .notices()
        let first = SessionID.own(ofProcess: ProcessInfo.processInfo.processIdentifier).lowerBound
        let alone = InProcessArbiter(
            settings: ArbiterSettings(), notices: notices, lastSessionNumber: first - min(1, first))
        phase = Mutex(.alone(alone))
        search = ArbiterSearch(at: address, pauses: pauses)
        alone.whenHardwareChanges { [hardwareChanges] in hardwareChanges.send(()) }
        search.start { [weak self, notices] address, attempt in
            // This may take long, during which the process may release this object.
            let remote = try? RemoteArbiter(at: address, attempt, notices: notices)
            guard let self else { return .end }
            guard let remote, (try? move(to: remote)) != nil else { return .goOn }
            whenJoined(address)
            return .end
        }
    }

    deinit { search.end() }

    // MARK: Moving

    /// Moves the sessions to an arbiter that has been reached, and reports the change. [search
    /// thread]
    private func move(to remote: RemoteArbiter) throws(ArbiterError) {
        try exchange(for: remote)
        remote.whenHardwareChanges { [hardwareChanges] in hardwareChanges.send(()) }
        notices.async { [hardwareChanges, arbiterChanges] in
            arbiterChanges.send(())
            hardwareChanges.send(())
        }
    }

    private func exchange(for remote: RemoteArbiter) throws(ArbiterError) {
        calls.lock()
        defer { calls.unlock() }
        guard case .alone(let alone) = phase.withLock({ $0 }) else { return }
        let joined = try remote.join(alone.joiningState, before: Deadline(seconds: ArbiterProtocol.replyTimeout))
        notices.suspend()
        defer { notices.resume() }
        try remote.adopt(joined)
        phase.withLock { $0 = .joined(remote) }
    }

    // MARK: Forwarding

    /// The arbiter that decides now, for reading.
    private var current: any SessionArbiter { phase.withLock { $0.arbiter } }

    /// Makes a call that may change the state: at the arbiter in this process, or, if a move is in
    /// progress, after it.
    private func change<Result>(
        _ body: (any SessionArbiter) throws(ArbiterError) -> Result
    ) throws(ArbiterError) -> Result {
        if case .joined(let remote) = phase.withLock({ $0 }) { return try body(remote) }
        calls.lock()
        guard case .alone(let alone) = phase.withLock({ $0 }) else {
            calls.unlock()
            return try body(current)
        }
        defer { calls.unlock() }
        return try body(alone)
    }

    package func register(app: AppID, observer: any SessionObserver) throws(ArbiterError) -> SessionRegistration {
        try change { arbiter throws(ArbiterError) in try arbiter.register(app: app, observer: observer) }
    }

    package func submit(_ action: PolicyAction) throws(ArbiterError) {
        try change { arbiter throws(ArbiterError) in try arbiter.submit(action) }
    }

    package func post(_ action: PolicyAction, whenAccepted: @escaping @Sendable () -> Void) {
        try? change { arbiter throws(ArbiterError) in arbiter.post(action, whenAccepted: whenAccepted) }
    }

    package func beginSystemSession(rank: Rank, isRinging: Bool) throws(ArbiterError) -> SessionID {
        try change { arbiter throws(ArbiterError) in
            try arbiter.beginSystemSession(rank: rank, isRinging: isRinging)
        }
    }

    package func setOverride(_ hardwareOverride: BufferSizeOverride?) {
        try? change { arbiter throws(ArbiterError) in arbiter.setOverride(hardwareOverride) }
    }

    package func setOverride(rate hardwareOverride: SampleRateOverride?) {
        try? change { arbiter throws(ArbiterError) in arbiter.setOverride(rate: hardwareOverride) }
    }

    package func afterNotices(_ body: @escaping @Sendable () -> Void) { notices.async(execute: body) }

    package var settings: ArbiterSettings { current.settings }
    package var app: AppID { current.app }
    package var storesPermissions: Bool { current.storesPermissions }
    package func status(of session: SessionID) -> SessionStatus? { current.status(of: session) }
    package func application(_ app: AppID) -> AppState { current.application(app) }
    package var devices: [AudioDevice] { current.devices }
    package var hardware: HardwareRequest { current.hardware }
    package var decisions: [Decision] { current.decisions }
    package func drain() { current.drain() }

    package func whenHardwareChanges(_ body: @escaping @Sendable () -> Void) {
        _ = hardwareChanges.add { _ in body() }
    }

    package func whenArbiterChanges(_ body: @escaping @Sendable () -> Void) {
        _ = arbiterChanges.add { _ in body() }
    }
}
