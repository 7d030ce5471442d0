/// Changes that an app makes to one session, and the device's volume (rules CAT-2, CAT-3, CAT-6,
/// MODE-2, INT-7, HW-4, VOL-1, VOL-3).
extension Arbitration {
    /// Sets category, mode, options and route sharing policy, and ends what the new ones do not
    /// allow: the output mute, taking input, and the override to the speaker. Setting the current
    /// values has no effect (keeps CAT-2, CAT-3, CAT-6).
    mutating func configure(_ id: SessionID, _ change: ConfigurationChange) throws(Refusal) {
        var session = try session(id)
        try checkOrdinary(session)
        let next = try session.configuration.applying(change, settings)
        guard next != session.configuration else { return }
        session.configuration = next
        // VOL-3: leaving the modes in which the output can be muted unmutes it.
        let wasMuted = session.isOutputMuted
        if !session.canMuteOutput { session.isOutputMuted = false }
        if !next.category.traits.hasInput { session.isInputRunning = false }
        // ROUTE-5: a change of category is a route change, which ends the override.
        if next.category != .playAndRecord { session.isOverriddenToSpeaker = false }
        try replace(session)
        if session.isOutputMuted != wasMuted { notify(id, .outputMuteChanged(false), .vol3) }
    }

    /// Mutes or unmutes the session's output (keeps VOL-3).
    mutating func setOutputMuted(_ id: SessionID, _ muted: Bool) throws(Refusal) {
        var session = try session(id)
        guard !muted || session.canMuteOutput else {
            throw Refusal(
                .badParam, .vol3,
                """
                The output cannot be muted with category playAndRecord in mode \
                \(session.configuration.mode.rawValue), only in mode default. Set that mode first.
                """)
        }
        guard session.isOutputMuted != muted else { return }
        session.isOutputMuted = muted
        try replace(session)
        notify(id, .outputMuteChanged(muted), .vol3)
    }

    /// Sets a preferred value; 0 clears it (keeps HW-4).
    mutating func prefer(_ id: SessionID, _ preference: Preference) throws(Refusal) {
        let session = try session(id)
        let next = try session.preferences.setting(preference, for: session.configuration.category)
        state[id]?.preferences = next
    }

    /// Records that the user paused the session. If it is interrupted, the end of the interruption
    /// will not recommend resuming (keeps INT-7).
    mutating func userPaused(_ id: SessionID) throws(Refusal) {
        var session = try session(id)
        guard case .waiting(var wait) = session.activity else { return }
        wait.mayResume = false
        session.activity = .waiting(wait)
        state[id] = session
    }

    /// Changes values of a session that do not affect which sessions are active.
    mutating func change(_ id: SessionID, _ change: (inout SessionState) -> Void) throws(Refusal) {
        var session = try session(id)
        change(&session)
        state[id] = session
    }

    /// Sets the system volume and notifies every session (keeps VOL-1).
    mutating func setVolume(_ volume: Float) throws(Refusal) {
        try checkVolume(volume)
        guard volume != state.volume else { return }
        state.volume = volume
        for session in state.sessions { notify(session.id, .outputVolumeChanged(volume), .vol1) }
    }

    func checkVolume(_ volume: Float) throws(Refusal) {
        guard volume >= 0, volume <= 1 else {
            throw Refusal(.badParam, .vol1, "A volume of \(volume) is out of range; it must be from 0 to 1.")
        }
    }
}

extension SessionState {
    /// Whether the output can be muted: with playAndRecord, only in mode default (VOL-3).
    var canMuteOutput: Bool { configuration.category != .playAndRecord || configuration.mode == .default }
}
