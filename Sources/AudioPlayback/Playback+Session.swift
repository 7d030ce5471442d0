internal import AudioRendering
internal import AudioSessions
internal import Platform

/// The player's reactions to events of its session (INT rules, ACT-7, ROUTE-4). The session calls
/// these methods.
extension Playback: SessionParticipant {
    var isRunning: Bool { isPlaying }

    /// Pauses the player. The gate has already silenced it and holds its voice at the frame it
    /// reached; the voice is paused as well, so that only this player resumes it (keeps INT-8,
    /// INT-9).
    func sessionWasInterrupted() {
        let wasPlaying = operation.withLock { _ in
            let wasPlaying = pauseVoice()
            if wasPlaying { state.withLock { $0.wasPlaying = true } }
            return wasPlaying
        }
        changed()
        if wasPlaying { report(.pausedBySession) }
    }

    /// Pauses the player, without a fade if the output is gone (keeps ROUTE-4).
    func sessionOutputWasDisconnected(isGone: Bool) {
        let wasPlaying = operation.withLock { _ in pauseVoice(fadeFrames: isGone ? 0 : nil) }
        changed()
        if wasPlaying { report(.pausedBySession) }
    }

    /// Resumes if the player was playing and its policy allows it (keeps INT-9). A start at a frame
    /// that has not come yet keeps its frame.
    func sessionInterruptionEnded(shouldResume: Bool) {
        let (policy, frame) = state.withLock { ($0.resumePolicy, $0.startFrame) }
        // If this fails, the player stays paused. The app is notified of the end of the
        // interruption and can call `play` itself.
        let hasResumed =
            resumes(policy, shouldResume: shouldResume)
            && (try? play(atFrame: frame.flatMap { $0 > engine.currentFrame ? $0 : nil }, ifInterrupted: true)) == true
        state.withLock { $0.wasPlaying = false }
        if hasResumed { report(.resumed) }
    }

    /// Stops at the current position (keeps ACT-7).
    func sessionDidDeactivate() { stop() }

    private func resumes(_ policy: PlaybackResumePolicy, shouldResume: Bool) -> Bool {
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
