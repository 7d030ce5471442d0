internal import AudioRendering
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// Simulated system events for tests, tools and the player. They cover what the iOS Simulator
/// cannot do (group SIM).
extension AudioSessionHost {
    /// The source of an interruption.
    public enum Interrupter: String, Sendable, CaseIterable {
        case app, assistant, alarm, call, sleep
    }

    /// The sessions that this host has begun on behalf of the system, and its simulated app.
    struct SystemSessions: Sendable {
        var ringing: SessionID?
        var call: SessionID?
        var interruptions: [SessionID] = []
        /// The simulated app, if one is running.
        var simulatedApp: SessionRegistration?
    }

    /// Simulates a ringing phone: interrupts every session except those that prefer no
    /// interruptions from system alerts (keeps INT-6). Throws sessionNotActive if a call is already
    /// ringing.
    public func ring() throws {
        try system.withLock { system in
            guard system.ringing == nil else {
                throw Self.cannot("ring", "a call is already ringing; decline or accept it")
            }
            system.ringing = try begin(.call, isRinging: true)
        }
    }

    /// Declines the ringing call: its interruptions end with shouldResume (keeps INT-6). Throws
    /// sessionNotActive if no call is ringing.
    public func declineCall() throws {
        try system.withLock { system in
            guard let id = system.ringing else { throw Self.cannot("decline a call", "none is ringing; ring first") }
            system.ringing = nil
            try submit(.endSystemSession(id, shouldResume: true))
        }
    }

    /// Accepts the ringing call: it now interrupts every session, including an older call (keeps
    /// INT-6, ACT-4). Throws sessionNotActive if no call is ringing.
    public func acceptCall() throws {
        try system.withLock { system in
            guard let id = system.ringing else { throw Self.cannot("accept a call", "none is ringing; ring first") }
            try submit(.acceptCall(id))
            system.ringing = nil
            // The previous call is on hold; `endInterruption` ends it.
            if let held = system.call { system.interruptions.append(held) }
            system.call = id
        }
    }

    /// Ends the accepted call: its interruptions end with shouldResume (keeps INT-3). Throws
    /// sessionNotActive if there is none.
    public func endCall() throws {
        try system.withLock { system in
            guard let id = system.call else {
                throw Self.cannot("end a call", "none is in progress; accept a ringing one first")
            }
            system.call = nil
            try submit(.endSystemSession(id, shouldResume: true))
        }
    }

    /// Begins a simulated interruption (keeps SIM-1).
    public func beginInterruption(by interrupter: Interrupter = .app) throws {
        try system.withLock { system in
            system.interruptions.append(try begin(Rank(interrupter), isRinging: false))
        }
    }

    /// Ends the most recent simulated interruption, or an older call that was put on hold when
    /// another was accepted (keeps SIM-1). Throws sessionNotActive if there is none.
    public func endInterruption(shouldResume: Bool = true) throws {
        try system.withLock { system in
            guard let id = system.interruptions.popLast() else {
                throw AudioSessionError(
                    .sessionNotActive, rule: "SIM-1", "Cannot end an interruption: none has begun. Begin one first.")
            }
            try submit(.endSystemSession(id, shouldResume: shouldResume))
        }
    }

    /// Starts a simulated app. The arbiter treats it like any other app, but it produces no sound
    /// (keeps SIM-6).
    ///
    /// Its category is playback with `options`: depending on these, it mixes with others, ducks
    /// them or interrupts them. Only one simulated app can run at a time; otherwise, throws
    /// badParam.
    public func beginOtherAudio(_ options: CategoryOptions = []) throws {
        try system.withLock { system in
            guard system.simulatedApp == nil else {
                throw AudioSessionError(
                    .badParam, rule: "SIM-6",
                    "Cannot start a simulated app: one is already running. End it first.")
            }
            do throws(ArbiterError) {
                // The highest app id is reserved for the simulated app: no process uses it.
                let simulatedApp = try arbiter.register(app: AppID(.max)) { _ in }
                do throws(ArbiterError) {
                    try arbiter.submit(.configure(simulatedApp.id, .category(.playback, options: options)))
                    try arbiter.submit(.activate(simulatedApp.id))
                    try arbiter.submit(.setRunning(simulatedApp.id, true))
                } catch {
                    try? arbiter.submit(.unregister(simulatedApp.id))
                    throw error
                }
                system.simulatedApp = simulatedApp
            } catch {
                throw AudioSessionError(error)
            }
        }
    }

    /// Ends the simulated app, and notifies others if `notifyOthers` is true (keeps SIM-6). Throws
    /// sessionNotActive if none is running.
    public func endOtherAudio(notifyOthers: Bool = true) throws {
        try system.withLock { system in
            guard let simulatedApp = system.simulatedApp else {
                throw AudioSessionError(
                    .sessionNotActive, rule: "SIM-6",
                    "Cannot end the simulated app: none is running. Start one first.")
            }
            system.simulatedApp = nil
            try submit(.deactivate(simulatedApp.id, notifyOthers: notifyOthers))
            try submit(.unregister(simulatedApp.id))
        }
    }

    /// Sends a command of a remote control to the now-playing session of any app, as a key of the
    /// headset does. Throws resourceNotAvailable if there is none, and badParam if its app does not
    /// handle the command (keeps REMOTE-1, REMOTE-2).
    public func sendRemoteCommand(_ command: RemoteCommand) throws { try submit(.remoteCommand(command)) }

    /// Sets the silent switch (keeps VOL-2, SIM-2).
    public func setSilentSwitch(_ isOn: Bool) throws { try submit(.setSilentSwitch(isOn)) }

    /// Turns do-not-disturb on or off.
    ///
    /// While it is on, the arbiter holds ringing calls: they interrupt no session. They ring when
    /// it is turned off, and begin when they are accepted. Alarms, and the assistant, which the
    /// user asked for, are not held (keeps GUIDE-9).
    public func setDoNotDisturb(_ isOn: Bool) throws { try submit(.setDoNotDisturb(isOn)) }

    /// Sets the system volume, 0…1; throws badParam for other values (keeps VOL-1).
    public func setSystemVolume(_ volume: Float) throws { try submit(.setVolume(volume)) }

    /// Resets the app's sessions when the server has returned, if a setting requests Apple's
    /// behaviour: the app then sets everything up again (SRV-2).
    func resetSessions() {
        if settings.resetsSessionsWithServer { try? submit(.resetSessions(app.id)) }
    }

    private func begin(_ rank: Rank, isRinging: Bool) throws -> SessionID {
        do throws(ArbiterError) {
            return try arbiter.beginSystemSession(rank: rank, isRinging: isRinging)
        } catch {
            throw AudioSessionError(error)
        }
    }

    func submit(_ action: PolicyAction) throws { try app.submit(action) }

    private static func cannot(_ action: String, _ reason: String) -> AudioSessionError {
        AudioSessionError(.sessionNotActive, rule: "INT-6", "Cannot \(action): \(reason).")
    }
}

extension Rank {
    fileprivate init(_ interrupter: AudioSessionHost.Interrupter) {
        self =
            switch interrupter {
            case .app: .app
            case .assistant: .assistant
            case .alarm: .alarm
            case .call: .call
            case .sleep: .sleep
            }
    }
}
