import AudioPlayback
import AudioRendering
import AudioSessions

/// A game: effects over whatever the user listens to, and a soundtrack only where nobody else plays.
public final class Game: Sendable {
    private let session: AudioSession
    private let soundtrack: AudioPlayer
    private let effect: AudioBuffer
    private let observer = SessionObserver()

    /// At launch, before the splash film: with the default category its sound would stop the user's music.
    public init(session: AudioSession, soundtrack path: String, effect: AudioBuffer) throws {
        try session.setCategory(.ambient)
        self.session = session
        self.effect = effect
        soundtrack = try AudioPlayer(path: path, session: session)
        soundtrack.numberOfLoops = -1
        soundtrack.resumePolicy = .never  // whether it goes on is asked of the hint, below
        observer.observe(session) { [weak self] event in self?.follow(event) }
    }

    /// Whenever the game comes to the foreground.
    public func didBecomeActive() {
        do {
            try session.setActive(true)
        } catch {
            return  // a call goes on: its end is told, and the game tries again
        }
        playSoundtrackWhereNobodyPlays()
    }

    /// A shot, now, over whatever else is heard.
    public func fire() throws {
        guard session.isActive else { return }
        try session.engine.play(.buffer(effect), on: session.bus)
    }

    private func follow(_ event: AudioSessionEvent) {
        switch event {
        case .interruptionEnded: didBecomeActive()  // always: nobody chose a game's sound, so nobody is asked
        case .silenceSecondaryAudioHint: playSoundtrackWhereNobodyPlays()
        default: break  // other routes are as good as this one
        }
    }

    private func playSoundtrackWhereNobodyPlays() {
        if session.secondaryAudioShouldBeSilencedHint {
            soundtrack.pause()
        } else {
            try? soundtrack.play()
        }
    }
}
