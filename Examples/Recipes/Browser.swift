import AudioPlayback
import AudioSessions

/// A browser, or a social app: mostly silent, sometimes the user starts a film.
public final class Browser: Sendable {
    public enum Display: Sendable { case playing, paused, ended }

    private let session: AudioSession
    private let film: AudioPlayer
    private let display: @Sendable (Display) -> Void
    private let observer = SessionObserver()

    /// When a page with a film is shown: nothing plays, and nobody is disturbed.
    public init(session: AudioSession, film path: String, display: @escaping @Sendable (Display) -> Void) throws {
        try session.setCategory(.playback, mode: .moviePlayback)  // wanted sound: the silent switch does not stop it
        try session.setPrefersInterruptionOnRouteDisconnect(false)  // headphones out: paused, and still active
        self.session = session
        self.display = display
        film = try AudioPlayer(path: path, session: session)
        film.resumePolicy = .never
        film.onFinish { [weak self] _, _ in self?.ended() }
        observer.observe(session) { [weak self] event in self?.follow(event) }
    }

    /// The user starts the film, or goes on with it. Never the page by itself.
    public func play() throws {
        try film.play()
        display(.playing)
    }

    public func pause() {
        film.pause()
        display(.paused)
    }

    /// The page is left, or the film is over: the user's music goes on.
    public func ended() {
        try? session.setActive(false, options: .notifyOthersOnDeactivation)
        display(.ended)
    }

    private func follow(_ event: AudioSessionEvent) {
        switch event {
        case .interruptionBegan: display(.paused)
        case .interruptionEnded: break  // whether to go on is for the user to say
        case .routeChanged(.oldDeviceUnavailable): pause()
        default: break
        }
    }
}
