internal import AudioRendering
internal import AudioSessions

/// What the session does to the player: group INT, ACT-7.
extension AudioPlayer: SessionParticipant {
    package var isRunning: Bool { isPlaying }

    /// The gate has silenced it already, and holds its voice at the frame it reached; the voice is paused as well, so that nothing but
    /// this player lets it go on (keeps INT-8, INT-9).
    package func sessionWasInterrupted() {
        let wasPlaying = operation.withLock { _ in pauseVoice() }
        if wasPlaying { state.withLock { $0.wasPlaying = true } }
        session.participantsChanged()
    }

    /// Keeps ROUTE-4.
    package func sessionOutputWasDisconnected(isGone: Bool) {
        _ = operation.withLock { _ in pauseVoice(fadeFrames: isGone ? 0 : nil) }
        session.participantsChanged()
    }

    /// Goes on if it was playing and its policy says so (keeps INT-9).
    package func sessionInterruptionEnded(shouldResume: Bool) {
        let (wasPlaying, policy) = state.withLock { state in
            defer { state.wasPlaying = false }
            return (state.wasPlaying, state.resumePolicy)
        }
        guard wasPlaying, resumes(policy, shouldResume: shouldResume) else { return }
        // Refused, it stays paused: the app was told of the end and may try itself.
        try? play()
    }

    /// Stops where it is (keeps ACT-7).
    package func sessionDidDeactivate() { stop() }

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
