internal import AudioRendering
internal import SessionArbiter
internal import SessionPolicy

/// Activation (group ACT).
extension AudioSession {
    /// Activates or deactivates the session.
    ///
    /// Activation connects to the server, asks the arbiter, and starts audio only after the
    /// arbiter's grant (keeps ACT-1). If activation is refused, the call throws and nothing has
    /// changed. If audio cannot start after the grant, the session is deactivated again, the
    /// sessions that it interrupted are notified that they may resume, and the call throws. The
    /// call blocks until the gates of interrupted sessions are closed and the server has answered,
    /// usually for a few milliseconds. If the server does not answer, each request to it times out
    /// after `JackDriver.Configuration.callTimeout`: the requests to open the client, to start it,
    /// to connect each port of the route, and to apply a preferred sample rate and I/O buffer
    /// duration.
    ///
    /// Deactivation stops players and recorders, and notifies others if `options` contains
    /// `notifyOthersOnDeactivation` (keeps ACT-7, ACT-8). It sends requests to the server only to
    /// restore the sample rate and the period, or to apply those that the remaining active sessions
    /// prefer. Deactivating an inactive session succeeds (ACT-10). Throws isBusy, although the
    /// session is then inactive, if players were running and a setting asks for that.
    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        if active {
            try request(activate)
        } else {
            try deactivate(notifyOthers: options.contains(.notifyOthersOnDeactivation))
        }
    }

    private func activate() throws {
        let engine = try host.engine.get()
        guard status?.session.isActive != true else {
            // The engine may have been closed since, or the server may be permanently gone.
            return try restartEngine(engine)
        }
        let wasOpen = engine.format != nil
        do throws(DriverError) {
            // Connects before any session is interrupted: without a server, nothing changes for
            // others. Opening the engine does not start audio.
            try engine.open()
        } catch {
            throw AudioSessionError(error)
        }
        if wasOpen { reportDevicesAndApplyRoute() } else { host.applyAllRoutes(and: self) }
        try submit { .activate($0) }
        try start(engine)
    }

    /// Starts the engine of a session that is already active. If the engine was closed, reopens it
    /// first and connects all active sessions to their routes again.
    private func restartEngine(_ engine: AudioEngine) throws {
        let wasOpen = engine.format != nil
        do throws(DriverError) {
            if !wasOpen {
                try engine.open()
                host.applyAllRoutes()
            }
            try engine.start()
        } catch {
            throw AudioSessionError(error)
        }
        if !wasOpen { host.applyHardwareRequests() }
    }

    /// Reports the devices to the arbiter and connects the session's buses to its route, before
    /// audio starts.
    private func reportDevicesAndApplyRoute() {
        host.reportDevices()
        host.applyRoute(of: self)
    }

    /// Starts the engine after the grant and applies the hardware requests. If the engine cannot
    /// start, deactivates the session, notifies others, and throws.
    private func start(_ engine: AudioEngine) throws {
        do throws(DriverError) {
            try engine.start()
        } catch {
            try? submit { .deactivate($0, notifyOthers: true) }
            throw AudioSessionError(error)
        }
        host.applyHardwareRequests()
    }

    /// Requests activation as `setActive(true)` does. If another session prevents it, the request
    /// stays pending instead of throwing: the arbiter grants it as soon as the session can be
    /// active without interrupting another, and the session then delivers `activationGranted`
    /// (keeps ACT-14). Deactivating the session cancels the request (ACT-10).
    ///
    /// Returns whether the session is active now; false if the request is pending. Throws other
    /// refusals and failures, and blocks, as `setActive` does.
    @discardableResult
    public func requestActivation() throws -> Bool { try request(activateOrRequest) }

    private func activateOrRequest() throws -> Bool {
        let engine = try host.engine.get()
        do throws(DriverError) {
            try engine.open()
        } catch {
            throw AudioSessionError(error)
        }
        reportDevicesAndApplyRoute()
        try submit { .requestActivation($0) }
        guard isActive else { return false }
        try start(engine)
        return true
    }

    /// Starts audio after a delayed grant and delivers `activationGranted`. If audio cannot start,
    /// deactivates the session and notifies others. Runs on a library thread.
    func startAfterGrant() {
        guard isActive, let engine = try? host.engine.get() else { return }
        do throws(DriverError) {
            try engine.open()
            reportDevicesAndApplyRoute()
            try engine.start()
        } catch {
            try? submit { .deactivate($0, notifyOthers: true) }
            return
        }
        host.applyHardwareRequestsAsync()
        streams.yield(.activationGranted)
    }

    /// Records that the user requested this session by remote control. Call it before activating
    /// the session, which then counts as in the foreground for a limited time, 10 s by default
    /// (keeps ACT-16).
    public func recordRemotePlay() throws { try submit { .remotePlay($0) } }

    /// Deactivates the session, stops its players and recorders, and applies the hardware requests
    /// that remain. Afterwards throws isBusy if any of them were running and the settings ask for
    /// it.
    private func deactivate(notifyOthers: Bool) throws {
        let wasRunning = status?.session.isRunning ?? false
        try submit { .deactivate($0, notifyOthers: notifyOthers) }
        for participant in liveParticipants { participant.sessionDidDeactivate() }
        participantsChanged()
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
}
