internal import AudioRendering
internal import SessionArbiter
internal import SessionPolicy

/// Activation: group ACT.
extension AudioSession {
    /// Activates or deactivates the session.
    ///
    /// Activation reaches the server, asks the arbiter, and only by its grant starts audio (keeps ACT-1); refused or failed, it throws
    /// and the session is as it was. It blocks until others are silent or ducked, and until the server answers, within the driver's
    /// limit. Deactivation stops players and recorders, and tells others as asked (keeps ACT-7, ACT-8); of an inactive session it
    /// succeeds (ACT-10).
    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        if active {
            try activate()
        } else {
            try deactivate(notifyOthers: options.contains(.notifyOthersOnDeactivation))
        }
    }

    private func activate() throws {
        let engine = try host.engine.get()
        guard status?.session.isActive != true else {
            // The engine may have been closed since, or the server be gone for good.
            do throws(DriverError) { return try engine.start() } catch { throw AudioSessionError(error) }
        }
        do throws(DriverError) {
            // Reached before anyone is interrupted: without a server nothing has changed for others. Nothing sounds by it.
            noteDevice(try engine.open())
        } catch {
            throw AudioSessionError(error)
        }
        try submit { .activate($0) }
        do throws(DriverError) {
            try engine.start()
        } catch {
            try? submit { .deactivate($0, notifyOthers: true) }
            throw AudioSessionError(error)
        }
        host.settleHardware()
    }

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
