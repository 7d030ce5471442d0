import AudioPlayback
import AudioSessions
import Synchronization

/// A player with a play button: music, radio, podcasts, audiobooks, films.
///
/// The app declares background audio; without it, it falls silent when the screen locks.
public final class Player: Sendable {
    public enum Display: Sendable { case playing, paused }

    private let session: AudioSession
    private let player: AudioPlayer
    private let display: @Sendable (Display) -> Void
    /// Whether the user wants to hear it; an interruption does not change that.
    private let isWanted = Mutex(false)
    private let observer = SessionObserver()

    /// At launch. Nothing is activated: whoever plays now is not disturbed before the button is pressed.
    public init(
        session: AudioSession, path: String, mode: AudioSession.Mode = .default,
        display: @escaping @Sendable (Display) -> Void
    ) throws {
        try session.setCategory(.playback, mode: mode)
        try session.setPrefersInterruptionOnRouteDisconnect(false)  // headphones out: paused, and still active
        self.session = session
        self.display = display
        player = try AudioPlayer(path: path, session: session)
        player.resumePolicy = .never  // this app does it itself, below, and shows it
        player.onFinish { [weak self] _, _ in self?.pause() }
        observer.observe(session) { [weak self] event in self?.follow(event) }
    }

    /// The play button. It activates the session, also after a suspension, and throws why it may not.
    public func play() throws {
        try player.play()
        isWanted.withLock { $0 = true }
        display(.playing)
    }

    /// The pause button, or the assistant's "pause": during an interruption it forbids going on by itself. The session stays active.
    public func pause() {
        isWanted.withLock { $0 = false }
        player.pause()
        display(.paused)
    }

    /// Paused, it leaves, so that nobody need interrupt it. No streaming of silence to stay alive: that costs power and blocks others.
    public func didEnterBackground() throws {
        if !player.isPlaying { try session.setActive(false, options: .notifyOthersOnDeactivation) }
    }

    /// Whoever was suspended is inactive, and waits for the button.
    public func willEnterForeground() {
        if !session.isActive { pause() }
    }

    private func follow(_ event: AudioSessionEvent) {
        switch event {
        case .interruptionBegan: display(.paused)  // it is silent and stands still already
        case .interruptionEnded(let shouldResume):
            if shouldResume, isWanted.withLock({ $0 }) { try? play() }
        case .routeChanged(.oldDeviceUnavailable): pause()  // headphones out: not to the whole room
        default: break  // a new device is no reason to stop, and a new category was our own doing
        }
    }
}
