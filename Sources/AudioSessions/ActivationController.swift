internal import AudioRendering
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// Activates and deactivates a session (group ACT): asks the arbiter, starts audio after its grant,
/// and applies the route and the hardware requests. Its methods block as `AudioSession.setActive`
/// does. Any thread.
final class ActivationController: Sendable {
    /// Runs the activations and deactivations that must not overlap: those of scopes and limits,
    /// and the asynchronous ones.
    let queue = ActivationQueue()
    private let host: AudioSessionHost
    private let session: RegisteredSession
    private let participants: SessionParticipants
    private let scopes = Mutex(Scopes())

    /// The scopes of `whileActive` that are in progress.
    private struct Scopes {
        var count = 0
        /// Whether the first scope activated the session, so that the last one deactivates it.
        var ownsActivation = false
    }

    init(of session: RegisteredSession, _ participants: SessionParticipants, on host: AudioSessionHost) {
        self.session = session
        self.participants = participants
        self.host = host
    }

    // MARK: Activation

    /// Activates the session and starts audio. `request`, by default an activation, is what the
    /// arbiter activates the session for (ACT-15); it is made also if the session is active.
    func activate(by request: (() throws -> Void)? = nil) throws {
        try session.request { try activateWithoutRecordingRefusal(by: request) }
    }

    private func activateWithoutRecordingRefusal(by request: (() throws -> Void)?) throws {
        let engine = try host.engine.get()
        let activate = { [session] in try session.submit { .activate($0) } }
        if let status = session.status?.session, status.isActive {
            // The engine may have been closed since, or the server may be permanently gone.
            try restart(engine)
            if let request {
                try request()
            } else if status.idleRelease != .none {
                // ACT-17: for others, a session that was silent for too long activates again.
                try activate()
            }
            return
        }
        let wasOpen = engine.format != nil
        // Connects before any session is interrupted: without a server, nothing changes for others.
        // Opening the engine does not start audio.
        try driving { () throws(DriverError) in try engine.open() }
        let requestAll = { [session] in
            try request?()
            // Also if an older arbiter has only noted the request.
            if !session.isActive { try activate() }
        }
        if wasOpen {
            reportDevicesAndApplyRoute()
            try requestAll()
        } else {
            try host.applyAllRoutes(and: session, requesting: requestAll)
        }
        try start()
    }

    /// Requests activation as `AudioSession.requestActivation` does; returns whether the session is
    /// active now.
    func activateOrRequest() throws -> Bool {
        try session.request {
            let engine = try host.engine.get()
            try driving { () throws(DriverError) in try engine.open() }
            reportDevicesAndApplyRoute()
            try session.submit { .requestActivation($0) }
            guard session.isActive else { return false }
            try start()
            return true
        }
    }

    /// Starts audio after a delayed grant; returns whether audio has started. If it cannot start,
    /// deactivates the session and notifies others.
    func startAfterGrant() -> Bool {
        guard session.isActive, let engine = try? host.engine.get() else { return false }
        do throws(DriverError) {
            try engine.open()
            reportDevicesAndApplyRoute()
            try host.startEngine()
        } catch {
            try? session.submit { .deactivate($0, notifyOthers: true) }
            return false
        }
        host.applyHardwareRequestsAsync()
        return true
    }

    /// Starts the engine of a session that is already active. If the engine was closed, reopens it
    /// first and connects all active sessions to their routes again.
    private func restart(_ engine: AudioEngine) throws {
        let wasOpen = engine.format != nil
        try driving { () throws(DriverError) in
            if !wasOpen {
                try engine.open()
                host.applyAllRoutes()
            }
            try host.startEngine()
        }
        if !wasOpen { host.applyHardwareRequests() }
    }

    /// Starts the engine after the grant and applies the hardware requests. If the engine cannot
    /// start, deactivates the session, notifies others, and throws.
    private func start() throws {
        do {
            try driving { () throws(DriverError) in try host.startEngine() }
        } catch {
            try? session.submit { .deactivate($0, notifyOthers: true) }
            throw error
        }
        host.applyHardwareRequests()
    }

    /// Reports the devices to the arbiter and connects the session's buses to its route, before
    /// audio starts.
    private func reportDevicesAndApplyRoute() {
        host.reportDevices()
        host.applyRoute(of: session)
    }

    /// Runs calls of the driver, and converts their errors.
    private func driving(_ body: () throws(DriverError) -> some Any) throws {
        do throws(DriverError) { _ = try body() } catch { throw AudioSessionError(error) }
    }

    // MARK: Deactivation

    /// Deactivates the session, stops its players and recorders, and applies the hardware requests
    /// that remain. Afterwards throws isBusy if any of them were running and the settings ask for
    /// it.
    func deactivate(notifyOthers: Bool) throws {
        let wasPlaying = session.status?.session.isRunning ?? false
        let wasRunning = wasPlaying || participants.isRunning
        try session.submit { .deactivate($0, notifyOthers: notifyOthers) }
        participants.stopAll()
        host.applyHardwareRequests()
        if wasRunning, host.settings.policy.reportsBusyOnDeactivation {
            throw AudioSessionError(
                .isBusy, rule: "ACT-7",
                """
                The session is inactive now, but players or recorders were still running; the library stopped them. \
                Stop them before you deactivate it, or turn off rules.report-busy-on-deactivation in the settings.
                """)
        }
    }

    // MARK: Scopes

    /// Activates the session for a scope. [on `queue`]
    func enterScope() throws {
        let wasActive = session.isActive
        try activate()
        scopes.withLock { scopes in
            if scopes.count == 0 { scopes.ownsActivation = !wasActive }
            scopes.count += 1
        }
    }

    /// Ends a scope. Deactivates the session if no other scope is in progress and the first one
    /// activated it; otherwise returns false. [on `queue`]
    func leaveScope() -> Bool {
        let deactivates = scopes.withLock { scopes in
            scopes.count -= 1
            return scopes.count == 0 && scopes.ownsActivation
        }
        // Throws only isBusy, and only if a setting enables it: the session is inactive
        // nevertheless (ACT-7).
        if deactivates { try? deactivate(notifyOthers: true) }
        return deactivates
    }

    /// Whether a scope of `whileActive` is in progress. [on `queue`]
    var isInScope: Bool { scopes.withLock { $0.count > 0 } }
}
