internal import AudioRendering
internal import SessionArbiter
internal import SessionPolicy

/// Activation: group ACT.
extension AudioSession {
    /// Activates or deactivates the session.
    ///
    /// Activation reaches the server, asks the arbiter, and only by its grant starts audio (keeps ACT-1); refused or failed, it throws
    /// and the session is as it was. It blocks until the gates of others are shut and the server has answered, mostly for milliseconds; of a
    /// server that answers nothing it gives each call up after `JackDriver.Configuration.callTimeout`: one for the client, one for its start, one for each port of the
    /// route, one each for a wished rate and period. Deactivation makes those of the wishes that are given back, and stops players and recorders, and tells others as asked
    /// (keeps ACT-7, ACT-8); of an inactive session it succeeds (ACT-10).
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
            // The engine may have been closed since, or the server be gone for good.
            return try startAgain(engine)
        }
        let wasOpen = engine.format != nil
        do throws(DriverError) {
            // Reached before anyone is interrupted: without a server nothing has changed for others. Nothing sounds by it.
            try engine.open()
        } catch {
            throw AudioSessionError(error)
        }
        if wasOpen { reachRoute() } else { host.patchAll(and: self) }
        try submit { .activate($0) }
        try start(engine)
    }

    /// For an active session; nothing is new but where the engine had to be opened again.
    private func startAgain(_ engine: AudioEngine) throws {
        let wasOpen = engine.format != nil
        do throws(DriverError) {
            if !wasOpen {
                try engine.open()
                host.patchAll()
            }
            try engine.start()
        } catch {
            throw AudioSessionError(error)
        }
        if !wasOpen { host.settleHardware() }
    }

    /// Before anything sounds: the devices are known, and the bus leads where the session's route does.
    private func reachRoute() {
        host.noteDevices()
        host.patch(self)
    }

    /// What is granted sounds; what cannot sound gives the grant back.
    private func start(_ engine: AudioEngine) throws {
        do throws(DriverError) {
            try engine.start()
        } catch {
            try? submit { .deactivate($0, notifyOthers: true) }
            throw AudioSessionError(error)
        }
        host.settleHardware()
    }

    /// Asks for activation as `setActive(true)` does; where that is refused because of another session, it is granted as soon as nobody
    /// would be interrupted by it, and told as `activationGranted` (keeps ACT-14). Deactivating takes it back (ACT-10). Returns whether
    /// the session is active now. Blocks as `setActive` does.
    @discardableResult
    public func requestActivation() throws -> Bool { try request(activateOrWait) }

    private func activateOrWait() throws -> Bool {
        let engine = try host.engine.get()
        do throws(DriverError) {
            try engine.open()
        } catch {
            throw AudioSessionError(error)
        }
        reachRoute()
        try submit { .requestActivation($0) }
        guard isActive else { return false }
        try start(engine)
        return true
    }

    /// The grant came: on the library's thread.
    func startAfterGrant() {
        guard isActive, let engine = try? host.engine.get() else { return }
        do throws(DriverError) {
            try engine.open()
            reachRoute()
            try engine.start()
        } catch {
            try? submit { .deactivate($0, notifyOthers: true) }
            return
        }
        host.settleHardwareLater()
        streams.yield(.activationGranted)
    }

    /// To be called when the user asked for this session by a remote control, before it is activated: for 10 s it counts as in the foreground
    /// (keeps ACT-16).
    public func noteRemotePlay() throws { try submit { .remotePlay($0) } }

    private func deactivate(notifyOthers: Bool) throws {
        let wasRunning = status?.session.isRunning ?? false
        try submit { .deactivate($0, notifyOthers: notifyOthers) }
        for participant in liveParticipants { participant.sessionDidDeactivate() }
        participantsChanged()
        host.settleHardware()
        if wasRunning, host.settings.policy.reportsBusyOnDeactivation {
            throw AudioSessionError(
                .isBusy, rule: "ACT-7",
                """
                The session was deactivated while players or recorders ran; they were stopped and it is inactive. Stop them before, \
                or turn off the setting that reports this.
                """)
        }
    }
}
