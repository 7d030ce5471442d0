/// Precedence: which of two sessions interrupts the other or prevents it from activating.
extension SessionState {
    /// Returns the rule by which this session, starting or already active, interrupts `other`; nil
    /// if both may run.
    ///
    /// An activation asks this about the active sessions (ACT-2…4, DUCK-4, INT-6). A deactivation
    /// asks it about the waiting sessions, to find an active session that still takes precedence
    /// over them (ACT-8).
    func ruleForInterrupting(_ other: SessionState) -> Rule? {
        if rank < other.rank { return nil }
        if rank > other.rank {
            // INT-6: ringing does not interrupt sessions that prefer no interruptions from system
            // alerts.
            if isRinging { return other.prefersNoInterruptionsFromSystemAlerts ? nil : .int6 }
            return .act4
        }
        if rank.isSystem {
            // ACT-4: of equal ranks the newer session interrupts; a ringing call neither interrupts
            // another call nor is interrupted by one.
            return isRinging || other.isRinging ? nil : .act4
        }
        if configuration.interruptsSpokenAudio, other.configuration.mode == .spokenAudio { return .duck4 }
        // ACT-2, ACT-3: between apps, only primary sessions interrupt and are interrupted.
        return isPrimary && other.isPrimary ? .act2 : nil
    }

    /// Returns whether this active session, of higher rank, prevents `other` from activating
    /// (keeps ACT-5). A delayed activation does not start during a call (ACT-14).
    func keepsFromActivating(_ other: SessionState, isDelayed: Bool = false) -> Bool {
        guard rank > other.rank else { return false }
        if isRinging { return !other.prefersNoInterruptionsFromSystemAlerts }
        return isDelayed || !other.playsDuring(self)
    }

    /// Returns whether this session interrupts `other` by a rule, or ducks it, as `old`, the same
    /// session before a change, does not (keeps CAT-3).
    func affects(_ other: SessionState, moreThan old: SessionState) -> Bool {
        guard other.id != id else { return false }
        let rule = ruleForInterrupting(other)
        return (rule != nil && rule != old.ruleForInterrupting(other)) || (mayDuck(other) && !old.mayDuck(other))
    }

    private func mayDuck(_ other: SessionState) -> Bool {
        guard rank >= other.rank, other.configuration.mode.allowsProcessing else { return false }
        return configuration.ducksOthers
            || (configuration.interruptsSpokenAudio && other.configuration.mode == .spokenAudio)
    }

    /// Returns whether this session may play, strongly ducked, during `call`: output-only playback
    /// may (ACT-5). A ringing call does not count as a call.
    func playsDuring(_ call: SessionState) -> Bool {
        call.rank == .call && !call.isRinging && rank == .app && configuration.category == .playback
    }
}
