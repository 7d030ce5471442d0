/// Live input: which sessions receive it, and the microphone's hardware switch (rules PERM,
/// INT-10).
extension Arbitration {
    /// Records that a session starts or stops taking live input. A start throws if the session may
    /// not take input; otherwise it activates an inactive session, in one decision, so that a
    /// refused start interrupts nobody (keeps ACT-15, INT-10). It asks the app to request the
    /// user's permission if there is no answer yet (keeps PERM-3).
    ///
    /// In a chat mode, input makes an active session a conversation or ends that, which is
    /// arbitrated as a change of the configuration is (keeps ACT-18, CAT-3).
    mutating func setInputRunning(_ id: SessionID, _ running: Bool) throws(Refusal) {
        let old = try session(id)
        if running, !old.isInputRunning { try checkInput(of: old) }
        var session = old
        session.isInputRunning = running
        state[id] = session
        if running, !session.isActive {
            try activate(id)
        } else if running, session.idleRelease != .none {
            try reactivate(id)
        } else if session.isActive, state.active.contains(where: { precedence.affects($0, session, moreThan: old) }) {
            makeActive(id, replacing: old)
        }
        // CAT-3: without input, a mixable chat no longer stands in the way of those that it
        // interrupted as a primary session.
        if !running, session.isActive { release(waitersFor: [id], .silent) }
        if running, !state.hasPermissionAnswer(session) { notify(id, .recordPermissionNeeded, .perm3) }
    }

    /// Throws if a session may not take input: its category has none, or the microphone is
    /// muted and the session does not set the option to continue then.
    private func checkInput(of session: SessionState) throws(Refusal) {
        let category = session.configuration.category
        guard category.traits.hasInput else {
            throw Refusal(
                .incompatibleCategory, .categoryTable,
                """
                \(session.id) cannot take input with category \(category.rawValue), which has none. Set record, \
                playAndRecord or multiRoute first.
                """)
        }
        guard !settings.mutedMicrophoneInterrupts || !state.microphoneMute.isOn || session.runsWithMutedMicrophone
        else {
            throw Refusal(
                .resourceNotAvailable, .int10,
                """
                \(session.id) cannot take input while the microphone is muted in hardware. Unmute it, or set the \
                option overrideMutedMicrophoneInterruption to continue with silence.
                """)
        }
    }

    /// Records the user's answer and notifies every session of the app; their grants change
    /// accordingly (keeps PERM-2).
    mutating func setRecordPermission(_ app: AppID, _ permission: RecordPermission) throws(Refusal) {
        try checkApp(app, .perm2)
        guard state.app(app).recordPermission != permission else { return }
        state.changeApp(app) { $0.recordPermission = permission }
        for session in state.sessions where session.app == app {
            notify(session.id, .recordPermissionChanged(permission), .perm2)
        }
    }

    /// Mutes or unmutes the inputs of an app (keeps PERM-4). Muted inputs deliver zeros and cause
    /// no interruption. The active sessions with an input are notified.
    mutating func setInputMuted(_ app: AppID, _ muted: Bool) throws(Refusal) {
        try checkApp(app, .perm4)
        guard state.app(app).isInputMuted != muted else { return }
        state.changeApp(app) { $0.isInputMuted = muted }
        for session in state.active where session.app == app && session.configuration.category.traits.hasInput {
            notify(session.id, .inputMuteChanged(muted), .perm4)
        }
    }

    /// Records the state of the microphone's hardware mute switch. By default muting gives zeros to
    /// all inputs. By a setting, it interrupts the active sessions that take input, and stops the
    /// input of all sessions, except those with option overrideMutedMicrophoneInterruption.
    /// Unmuting ends those interruptions without shouldResume (keeps INT-10).
    mutating func setMicrophoneMuted(_ isMuted: Bool) {
        guard state.microphoneMute.isOn != isMuted else { return }
        state.microphoneMute = .init(isOn: isMuted, since: now)
        let stops = isMuted && settings.mutedMicrophoneInterrupts
        for session in stops ? state.active : [] where isStoppedByMicrophone(session) {
            interruptByMicrophone(session.id)
        }
        // Also stops the input of sessions that another session has interrupted.
        for session in stops ? state.sessions : [] where session.isInputRunning && !session.runsWithMutedMicrophone {
            state[session.id]?.isInputRunning = false
        }
        for session in isMuted ? [] : state.sessions where session.wait?.rule == .int10 {
            endWait(of: session.id, .withNoticeNotToResume, by: nil)
        }
    }

    /// Returns whether the muted microphone stops the session.
    func isStoppedByMicrophone(_ session: SessionState) -> Bool {
        settings.mutedMicrophoneInterrupts && state.microphoneMute.isOn && session.isActive && session.isInputRunning
            && session.configuration.category.traits.hasInput && !session.runsWithMutedMicrophone
    }

    /// Interrupts a session because the microphone is muted (keeps INT-2, INT-10). Its input stays
    /// stopped until the app starts it, and the end of the interruption will not recommend
    /// resuming.
    mutating func interruptByMicrophone(_ id: SessionID) {
        interrupt(id, .builtInMicMuted, .int10, by: nil)
        guard var session = state[id], var wait = session.wait else { return }
        wait.mayResume = false
        session.activity = .waiting(wait)
        session.isInputRunning = false
        state[id] = session
    }
}

extension SessionState {
    /// Whether the session continues, with zeros as input, when the microphone is muted (INT-10).
    var runsWithMutedMicrophone: Bool { configuration.options.contains(.overrideMutedMicrophoneInterruption) }

}

extension PolicyState {
    /// Returns whether the user has answered for the session's app. System sessions need no answer.
    func hasPermissionAnswer(_ session: SessionState) -> Bool {
        session.app == .system || app(session.app).recordPermission != .undetermined
    }

    /// Returns the rule by which a session that takes input receives zeros; nil if it receives
    /// sound (keeps PERM-1, PERM-4, INT-10). System sessions always receive sound.
    func ruleForSilentInput(of session: SessionState) -> Rule? {
        guard session.app != .system else { return nil }
        let app = app(session.app)
        if app.recordPermission != .granted { return .perm1 }
        if app.isInputMuted { return .perm4 }
        return microphoneMute.isOn ? .int10 : nil
    }
}
