internal import Dispatch
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// The session of a command that holds it until the command ends. The process is the session's app.
///
/// Requests are made on a queue of their own: an arbiter that hangs or has died must not keep the
/// command from receiving signals. A process that ends without `end` leaves with notice as well
/// (ACT-12).
final class HeldSession: SessionObserver {
    /// A change that concerns the holder.
    enum Change {
        /// The session is active for the first time.
        case began
        case interrupted
        /// The interruption has ended, or nothing will report its end.
        case interruptionEnded
    }

    private struct State {
        /// Retained: with it, the connection ends.
        var arbiter: RemoteArbiter?
        var id: SessionID?
        var hasBegun = false
    }
    private let state = Mutex(State())
    private let configuration: HoldConfiguration
    private let events: HoldEvents
    private let requests = DispatchQueue(label: "audiosession.requests")

    init(_ configuration: HoldConfiguration, _ events: HoldEvents) {
        self.configuration = configuration
        self.events = events
    }

    /// The session's number.
    var id: SessionID? { state.withLock { $0.id } }

    /// Registers and activates the session, without waiting for that. With `waits`, an activation
    /// that another session prevents is granted later (ACT-14). The events report the result.
    func open(waits: Bool) {
        requests.async { [self] in
            do throws(CommandError) {
                events.send(.opened(try register(waits: waits)))
            } catch {
                events.send(.failed(error))
            }
        }
    }

    private func register(waits: Bool) throws(CommandError) -> SessionID {
        do throws(ArbiterError) {
            let arbiter = try RemoteArbiter(at: .standard())
            state.withLock { $0.arbiter = arbiter }
            // ACT-6: a script has no window that could be in the foreground.
            try arbiter.submit(.setDeclaresBackgroundAudio(arbiter.app, true))
            let id = try arbiter.register(app: arbiter.app, observer: self).id
            state.withLock { $0.id = id }
            try configure(arbiter, id)
            try arbiter.submit(waits ? .requestActivation(id) : .activate(id))
            return id
        } catch {
            throw CommandError(error)
        }
    }

    private func configure(_ arbiter: RemoteArbiter, _ id: SessionID) throws(ArbiterError) {
        let change = ConfigurationChange.category(
            configuration.category, mode: configuration.mode, options: configuration.options)
        do throws(ArbiterError) {
            try arbiter.submit(.configure(id, change))
        } catch {
            // What the command line asks for cannot be granted later either.
            guard case .refused(var refusal) = error else { throw error }
            refusal.code = .badParam
            throw .refused(refusal)
        }
    }

    // MARK: Events

    func receive(_ notice: SessionNotice) { events.send(.notice(notice)) }
    func replaceGate(_ gate: SessionGate) {}

    /// Handles a notice for the session, on the main thread: activates again after an interruption
    /// that ended with shouldResume.
    func handle(_ notice: SessionNotice) -> Change? {
        switch notice.effect.kind {
        case .activated: return begin()
        case .interruptionBegan: return .interrupted
        case .interruptionEnded(let shouldResume):
            if shouldResume { submit { .activate($0) } }
            return .interruptionEnded
        case .waitLapsed: return .interruptionEnded
        case .deactivatedBySystem where notice.effect.rule == .act12:
            // The arbiter had disconnected this process, which was stopped for a while.
            submit { .activate($0) }
            return nil
        default: return nil
        }
    }

    /// Handles an activation, which the reply to the request and a notice both report.
    func begin() -> Change? {
        reportUse()
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        return isFirst ? .began : nil
    }

    /// Reports that the session plays and records, so that it keeps others lowered or waiting
    /// (ACT-17): what the command itself plays is not known.
    private func reportUse() {
        if configuration.hasOutput { submit { .setRunning($0, true) } }
        if configuration.hasInput { submit { .setInputRunning($0, true) } }
    }

    /// Submits an action without waiting. A refusal is ignored: the session then stays as it is.
    private func submit(_ action: @escaping @Sendable (SessionID) -> PolicyAction) {
        requests.async { [self] in
            let (arbiter, id) = state.withLock { ($0.arbiter, $0.id) }
            if let arbiter, let id { try? arbiter.submit(action(id)) }
        }
    }

    /// Deactivates the session and notifies others. Waits for that for at most one second.
    func end() {
        let ended = Promise<Void>()
        submit { .deactivate($0, notifyOthers: true) }
        requests.async { ended.set(()) }
        _ = ended.wait(seconds: 1)
    }
}
