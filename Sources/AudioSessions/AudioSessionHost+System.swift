internal import AudioRendering
internal import SessionArbiter
internal import SessionPolicy

/// What the system does to sessions, as calls: for tests, tools and the player. What a simulator cannot do (group SIM).
extension AudioSessionHost {
    /// Who interrupts.
    public enum Interrupter: String, Sendable, CaseIterable {
        case app, assistant, alarm, call
    }

    /// The sessions begun here.
    struct SystemSessions: Sendable {
        var ringing: SessionID?
        var call: SessionID?
        var interruptions: [SessionID] = []
        /// A stand-in for another app that plays.
        var other: SessionRegistration?
    }

    /// A phone rings: interrupts every session but those that do not want it (keeps INT-6).
    public func ring() throws {
        try system.withLock { system in
            guard system.ringing == nil else {
                throw Self.misplaced("to ring", "a phone rings already; decline or accept it")
            }
            system.ringing = try begin(.call, isRinging: true)
        }
    }

    /// The ringing call is not taken: ended + shouldResume (keeps INT-6).
    public func declineCall() throws {
        try system.withLock { system in
            guard let id = system.ringing else { throw Self.misplaced("declined", "no phone rings; ring first") }
            system.ringing = nil
            try submit(.endSystemSession(id, shouldResume: true))
        }
    }

    /// The ringing call is taken: now every session is interrupted, an older call too (keeps INT-6, ACT-4).
    public func acceptCall() throws {
        try system.withLock { system in
            guard let id = system.ringing else { throw Self.misplaced("accepted", "no phone rings; ring first") }
            try submit(.acceptCall(id))
            system.ringing = nil
            // The call before is held; it is over with the interruptions that are ended by hand.
            if let held = system.call { system.interruptions.append(held) }
            system.call = id
        }
    }

    /// The call is over: ended + shouldResume (keeps INT-3).
    public func endCall() throws {
        try system.withLock { system in
            guard let id = system.call else {
                throw Self.misplaced("ended", "there is none; accept a ringing one first")
            }
            system.call = nil
            try submit(.endSystemSession(id, shouldResume: true))
        }
    }

    /// An interruption begins (keeps SIM-1).
    public func beginInterruption(by interrupter: Interrupter = .app) throws {
        try system.withLock { system in
            system.interruptions.append(try begin(Rank(interrupter), isRinging: false))
        }
    }

    /// The interruption begun last ends (keeps SIM-1).
    public func endInterruption(shouldResume: Bool = true) throws {
        try system.withLock { system in
            guard let id = system.interruptions.popLast() else {
                throw AudioSessionError(
                    .sessionNotActive, rule: "SIM-1", "An interruption was to end, but none goes on; begin one first.")
            }
            try submit(.endSystemSession(id, shouldResume: shouldResume))
        }
    }

    /// Another app begins to play: a stand-in that is arbitrated as any app is, and makes no sound itself (keeps SIM-6). It mixes with others, or
    /// lowers them, or interrupts them as plain playback does. One at a time.
    public func beginOtherAudio(_ options: AudioSession.CategoryOptions = []) throws {
        try system.withLock { system in
            guard system.other == nil else {
                throw AudioSessionError(
                    .badParam, rule: "SIM-6", "Another app was to play, but one plays already; end that first.")
            }
            do throws(ArbiterError) {
                // The highest number is no process's.
                let other = try arbiter.register(app: AppID(.max)) { _ in }
                do throws(ArbiterError) {
                    let policy = SessionPolicy.CategoryOptions(rawValue: options.rawValue)
                    try arbiter.submit(.configure(other.id, .category(.playback, options: policy)))
                    try arbiter.submit(.activate(other.id))
                    try arbiter.submit(.setRunning(other.id, true))
                } catch {
                    try? arbiter.submit(.unregister(other.id))
                    throw error
                }
                system.other = other
            } catch {
                throw AudioSessionError(error)
            }
        }
    }

    /// The other app ends, with notice or in silence (keeps SIM-6).
    public func endOtherAudio(notifyOthers: Bool = true) throws {
        try system.withLock { system in
            guard let other = system.other else {
                throw AudioSessionError(
                    .sessionNotActive, rule: "SIM-6", "Another app was to end, but none plays; begin one first.")
            }
            system.other = nil
            try submit(.deactivate(other.id, notifyOthers: notifyOthers))
            try submit(.unregister(other.id))
        }
    }

    /// Flips the silent switch (keeps VOL-2, SIM-2).
    public func setSilentSwitch(_ isOn: Bool) throws { try submit(.setSilentSwitch(isOn)) }

    /// Turns do-not-disturb on or off. While it is on, a phone that begins to ring, and the assistant, wait: they interrupt nobody. They
    /// begin when it is off; a call begins when it is accepted, too. Alarms do not wait (keeps GUIDE-9).
    public func setDoNotDisturb(_ isOn: Bool) throws { try submit(.setDoNotDisturb(isOn)) }

    /// Sets the system volume, 0…1 (keeps VOL-1).
    public func setSystemVolume(_ volume: Float) throws { try submit(.setVolume(volume)) }

    /// Apple's way, where a setting asks for it: after the server's loss the app sets everything up again (SRV-2).
    func resetSessions() {
        if settings.resetsSessionsWithServer { try? submit(.resetSessions(app)) }
    }

    private func begin(_ rank: Rank, isRinging: Bool) throws -> SessionID {
        do throws(ArbiterError) {
            return try arbiter.beginSystemSession(rank: rank, isRinging: isRinging)
        } catch {
            throw AudioSessionError(error)
        }
    }

    func submit(_ action: PolicyAction) throws {
        do throws(ArbiterError) {
            try arbiter.submit(action)
        } catch {
            throw AudioSessionError(error)
        }
    }

    private static func misplaced(_ what: String, _ why: String) -> AudioSessionError {
        AudioSessionError(.sessionNotActive, rule: "INT-6", "A call was to be \(what), but \(why).")
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
            }
    }
}
