internal import Platform
public import SessionPolicy

/// The arbiter of all apps of a user: `audiosessiond`, which is started where none serves.
///
/// What the arbiter pushes is kept here, so that reading is free; register, submit and beginning system sessions are round trips of at most
/// `ArbiterConnection.timeout`. When the arbiter dies the gates keep their last verdict, the next one is found or started, and is told what
/// was held (keeps SRV-3); requests made meanwhile wait for that, 5 s at most. A process that forks must not use it in the child.
public final class RemoteArbiter: SessionArbiter {
    private let mirror = ArbiterMirror()
    private let link: ArbiterLink

    /// Connects, and starts the service if need be. Throws when there is none to be had.
    public init(at address: ArbiterAddress) throws(ArbiterError) {
        link = ArbiterLink(address, mirror)
        try link.open()
        // What the arbiter holds is told before its reply.
        _ = try? link.request(.synchronise)
    }

    /// The arbiter sees the connection end (ACT-12).
    deinit { link.close() }

    /// This process, as the arbiter names it.
    public var app: AppID { mirror.welcome.app }

    public var settings: ArbiterSettings { mirror.welcome.settings }

    public func register(app: AppID, observer: any SessionObserver) throws(ArbiterError) -> SessionRegistration {
        let taken = Answer<Result<SessionRegistration, ArbiterError>>()
        let taking = PendingReply.Taking(
            take: { [mirror] in taken.set(Self.takeIn($0, observer, mirror)) },
            undo: { $0.session.map { .submit(.unregister($0)) } })
        let reply = try request(.register(app: app == self.app ? nil : app), taking: taking)
        do throws(ArbiterError) {
            guard let result = taken.wait(seconds: 0) else { throw .unavailable("its reply to register is none") }
            return try result.get()
        } catch {
            if let id = reply.session { try? submit(.unregister(id)) }
            throw error
        }
    }

    /// On the reading thread: the session is known before anything more is told of it.
    private static func takeIn(
        _ content: PendingReply.Content, _ observer: any SessionObserver, _ mirror: ArbiterMirror
    ) -> Result<SessionRegistration, ArbiterError> {
        Result { () throws(ArbiterError) in
            guard let id = content.reply.session, let descriptor = content.descriptor else {
                throw .unavailable("it gave a session no gate; this process may have as many files open as it may")
            }
            let gate = try SessionGate(mapping: descriptor.number)
            mirror.add(id, gate: gate, observer: observer)
            return SessionRegistration(id: id, gate: gate)
        }
    }

    public func submit(_ action: PolicyAction) throws(ArbiterError) {
        if case .session(let id) = action.subject, mirror.hasExpired(id) {
            throw .refused(
                Refusal(
                    .expiredSession, .act12,
                    "\(id) was addressed, but it was lost with an arbiter that ended; make a new session."))
        }
        switch action {
        case .unregister(let id):
            // Given up whatever comes: the next arbiter is not to be told of it.
            mirror.remove(id)
            // Until the arbiter has let go of it more may be told.
            defer { mirror.remove(id) }
            _ = try request(.submit(action))
        case .endSystemSession(let id, _):
            _ = try request(.submit(action))
            mirror.remove(id)
        case .setDevices(let app, let server, let devices):
            _ = try request(.submit(action))
            if app == self.app { mirror.note(.init(server: server, devices: devices)) }
        default: _ = try request(.submit(action))
        }
    }

    public func beginSystemSession(rank: Rank, isRinging: Bool) throws(ArbiterError) -> SessionID {
        let taking = PendingReply.Taking(
            take: { [mirror] in if let id = $0.reply.session { mirror.add(id, gate: nil, observer: nil) } },
            undo: { $0.session.map { .submit(.endSystemSession($0, shouldResume: true)) } })
        let reply = try request(
            .beginSystemSession(rank: rank, isRinging: isRinging, isKept: false), taking: taking)
        guard let id = reply.session else { throw .unavailable("its reply to beginSystemSession is none") }
        return id
    }

    /// Of this client's sessions; nil of others.
    public func status(of session: SessionID) -> SessionStatus? { mirror.status(of: session) }

    /// Of this process; others' are not told here.
    public func application(_ app: AppID) -> AppState { mirror.application(app) }

    public var devices: [Device] { mirror.devices }

    public var hardware: HardwareWish { mirror.hardware }

    public func keep(_ loan: PeriodLoan?) {
        mirror.keep(loan)
        _ = try? link.request(.loan(loan))
    }

    public func keep(rate loan: RateLoan?) {
        mirror.keep(rate: loan)
        _ = try? link.request(.rateLoan(loan))
    }

    public func whenHardwareChanges(_ body: @escaping @Sendable () -> Void) { mirror.whenHardwareChanges(body) }

    /// Asked of the arbiter; empty when it cannot be asked.
    public var decisions: [Decision] {
        (try? link.request(.log(after: 0, follows: false)))?.decisions ?? []
    }

    public func drain() {
        _ = try? link.request(.synchronise)
        mirror.drain()
    }

    private func request(
        _ request: ClientMessage.Request, taking: PendingReply.Taking? = nil
    ) throws(ArbiterError) -> Reply {
        do throws(RequestError) { return try link.request(request, taking: taking) } catch { throw ArbiterError(error) }
    }
}
