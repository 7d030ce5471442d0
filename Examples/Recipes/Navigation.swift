import AudioPlayback
import AudioSessions
import Synchronization

/// Navigation or workout prompts: short speech that ducks music and pauses podcasts.
public final class Navigation: Sendable {
    private let session: AudioSession
    private let prompt = Mutex<AudioPlayer?>(nil)
    private let observer = SessionObserver()

    /// Configures the session when navigation starts. The session stays inactive until the first
    /// prompt.
    public init(session: AudioSession) throws {
        try session.setCategory(
            .playback, mode: .voicePrompt, options: [.interruptSpokenAudioAndMixWithOthers, .duckOthers])
        // Longer than any prompt: even after an error, other apps do not stay ducked.
        try session.setDuckLimit(.seconds(60))
        self.session = session
        observer.observe(session) { [weak self] event in self?.handle(event) }
    }

    /// Plays the prompt in a file and stops the current prompt. If activation is refused, for
    /// example during a call, it throws and the prompt is dropped.
    public func say(_ path: String) throws {
        let player = try AudioPlayer(path: path, session: session)
        player.onFinish { [weak self] player, _ in self?.promptEnded(player) }
        let before = prompt.withLock { prompt in
            defer { prompt = player }
            return prompt
        }
        before?.stop()
        do {
            try player.play()  // activates the session, which ducks or pauses other apps
        } catch {
            promptEnded(player)  // do not duck others for a prompt that does not play
            throw error
        }
    }

    /// Deactivates at the end of a prompt, so that the other apps return to their level at once.
    /// They are ducked for as long as the session is active, even when it is silent.
    private func promptEnded(_ player: AudioPlayer) {
        guard prompt.withLock({ $0 === player }) else { return }
        prompt.withLock { $0 = nil }
        try? session.setActive(false, options: .notifyOthersOnDeactivation)
    }

    private func handle(_ event: AudioSessionEvent) {
        switch event {
        // Does not resume: "turn left" is useless after the turn.
        case .interruptionBegan: prompt.withLock { $0 = nil }
        // Players pause when their output is unplugged. The user still needs the prompt, so it
        // continues on the new output; other apps do not stay ducked by a paused prompt.
        case .routeChanged(.oldDeviceUnavailable): try? prompt.withLock { $0 }?.play()
        default: break
        }
    }
}
