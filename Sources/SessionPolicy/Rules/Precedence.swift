/// Who goes before whom: the relations between two sessions on which all of activation rests.
extension SessionState {
    /// The rule by which this session, starting or already active, interrupts `other`; nil when both may run.
    ///
    /// Read both ways: at an activation for those who run (ACT-2…4, DUCK-4, INT-6), and at a departure for those who wait: is
    /// anyone active in their way (ACT-8)?
    func ruleForInterrupting(_ other: SessionState) -> Rule? {
        if rank < other.rank { return nil }
        if rank > other.rank {
            // INT-6: ringing is not yet a call for those who do not want to be disturbed by one.
            if isRinging { return other.prefersNoInterruptionsFromSystemAlerts ? nil : .int6 }
            return .act4
        }
        if rank.isSystem {
            // ACT-4: the newer one of a rank; of calls, none that rings.
            return isRinging || other.isRinging ? nil : .act4
        }
        if configuration.interruptsSpokenAudio, other.configuration.mode == .spokenAudio { return .duck4 }
        // ACT-2, ACT-3: between apps only primary interrupts, and only primary is interrupted.
        return isPrimary && other.isPrimary ? .act2 : nil
    }

    /// Whether this active session, of higher rank, keeps `other` from activating (keeps ACT-5).
    func keepsFromActivating(_ other: SessionState) -> Bool {
        guard rank > other.rank else { return false }
        if isRinging { return !other.prefersNoInterruptionsFromSystemAlerts }
        return !other.playsDuring(self)
    }

    /// Whether this session may sound, strongly ducked, while `call` lasts: output-only playback (ACT-5). Ringing is no call.
    func playsDuring(_ call: SessionState) -> Bool {
        call.rank == .call && !call.isRinging && rank == .app && configuration.category == .playback
    }
}
