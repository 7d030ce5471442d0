internal import AudioRendering
internal import AudioSessions
internal import Platform

/// The player's reactions to events of its session (INT rules, ACT-7, ROUTE-4). The session calls
/// these methods.
extension AudioPlayer: SessionParticipant {
    /// Whether the player is playing (`isPlaying`).
    public var isRunning: Bool { isPlaying }
    /// Whether the player is paused part-way: `play()` will resume it (ACT-17).
    public var isPaused: Bool { state.withLock { $0.phase == .paused } }

    /// Pauses the player. The gate has already silenced it and holds its voice at the frame it
    /// reached; the voice is paused as well, so that only this player resumes it (keeps INT-8,
    /// INT-9).
    public func sessionWasInterrupted() {
        let wasPlaying = operation.withLock { _ in pauseVoice() }
        if wasPlaying { state.withLock { $0.wasPlaying = true } }
        session.participantsChanged()
    }

    /// Pauses the player, without a fade if the output is gone (keeps ROUTE-4).
    public func sessionOutputWasDisconnected(isGone: Bool) {
        _ = operation.withLock { _ in pauseVoice(fadeFrames: isGone ? 0 : nil) }
        session.participantsChanged()
    }

    /// Resumes if the player was playing and its policy allows it (keeps INT-9).
    public func sessionInterruptionEnded(shouldResume: Bool) {
        let (wasPlaying, policy) = state.withLock { state in
            defer { state.wasPlaying = false }
            return (state.wasPlaying, state.resumePolicy)
        }
        guard wasPlaying, resumes(policy, shouldResume: shouldResume) else { return }
        // If this fails, the player stays paused. The app is notified of the end of the
        // interruption and can call `play` itself.
        try? play()
    }

    /// Stops at the current position (keeps ACT-7).
    public func sessionDidDeactivate() { stop() }

    private func resumes(_ policy: ResumePolicy, shouldResume: Bool) -> Bool {
        switch policy {
        case .always: true
        case .never: false
        case .automatic:
            switch session.category {
            case .ambient, .soloAmbient: true
            default: shouldResume && [.default, .moviePlayback, .spokenAudio].contains(session.mode)
            }
        }
    }
}
