import AudioPlayback
import AudioRendering
import AudioSessions

/// A game: effects mix with the user's own music; the soundtrack plays only if no other app plays
/// music.
public final class Game: Sendable {
    private let session: AudioSession
    private let soundtrack: AudioPlayer
    private let effect: AudioBuffer
    private let observer = SessionObserver()

    /// Configures the session at launch, before the splash video: with the default category, its
    /// sound would stop the user's music.
    public init(session: AudioSession, soundtrack path: String, effect: AudioBuffer) throws {
        try session.setCategory(.ambient)
        self.session = session
        self.effect = effect
        soundtrack = try AudioPlayer(path: path, session: session)
        soundtrack.numberOfLoops = -1
        soundtrack.resumePolicy = .never  // the hint decides whether it resumes, see below
        observer.observe(session) { [weak self] event in self?.handle(event) }
    }

    /// Activates the session whenever the game enters the foreground.
    public func didBecomeActive() {
        do {
            try session.setActive(true)
        } catch {
            return  // a call is active: its end is reported, and the game tries again
        }
        updateSoundtrack()
    }

    /// Plays the effect now, mixed with all other audio.
    public func fire() throws {
        guard session.isActive else { return }
        try session.engine.play(.buffer(effect), on: session.bus)
    }

    private func handle(_ event: AudioSessionEvent) {
        switch event {
        // Always resume: the user did not start the game's sound, so there is nothing to ask.
        case .interruptionEnded: didBecomeActive()
        case .silenceSecondaryAudioHint: updateSoundtrack()
        default: break  // a game plays on any route
        }
    }

    private func updateSoundtrack() {
        if session.secondaryAudioShouldBeSilencedHint {
            soundtrack.pause()
        } else {
            try? soundtrack.play()
        }
    }
}
