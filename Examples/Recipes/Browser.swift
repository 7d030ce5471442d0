import AudioPlayback
import AudioSessions
import Synchronization

/// A browser or a social app: mostly silent, but the user sometimes starts a video.
public final class Browser: Sendable {
    public enum Display: Sendable { case playing, paused, ended }

    private let session: AudioSession
    private let film: AudioPlayer
    /// Only while a video plays: afterwards, the keys belong to the user's music again.
    private let remote = Mutex<PlayerRemoteControl?>(nil)
    private let display: @Sendable (Display) -> Void
    private let observer = SessionObserver()

    /// Creates the player of a page that shows a video. Activates nothing, so that no other app is
    /// interrupted.
    public init(session: AudioSession, film path: String, display: @escaping @Sendable (Display) -> Void) throws {
        // The user asks for this sound, so the silent switch does not mute it.
        try session.setCategory(.playback, mode: .moviePlayback)
        // When headphones are unplugged, the player pauses and the session stays active.
        try session.setPrefersInterruptionOnRouteDisconnect(false)
        self.session = session
        self.display = display
        film = try AudioPlayer(path: path, session: session)
        film.resumePolicy = .never
        film.onFinish { [weak self] _, _ in self?.ended() }
        observer.observe(session) { [weak self] event in self?.handle(event) }
    }

    /// Starts or resumes the video. Call it only when the user asks, never when the page loads.
    public func play() throws {
        try film.play()
        try registerRemoteCommands()
        display(.playing)
    }

    public func pause() {
        film.pause()
        display(.paused)
    }

    /// Ends the video when it has finished or the user leaves the page; the user's music resumes.
    public func ended() {
        remote.withLock { $0 = nil }
        try? session.remoteControl.setHandler(for: [.play, .pause, .togglePlayPause], nil)
        try? session.setActive(false, options: .notifyOthersOnDeactivation)
        display(.ended)
    }

    private func registerRemoteCommands() throws {
        try remote.withLock { remote in
            guard remote == nil else { return }
            remote = try PlayerRemoteControl(film)  // title, position, seeking
            // Play and pause are those of the page, which shows them.
            try session.remoteControl.setHandler(for: [.play, .pause, .togglePlayPause]) { [weak self] command in
                self?.perform(command)
            }
        }
    }

    private func perform(_ command: RemoteCommand) {
        switch command {
        case .play: try? play()
        case .pause: pause()
        default: film.isPlaying ? pause() : try? play()
        }
    }

    private func handle(_ event: AudioSessionEvent) {
        switch event {
        case .interruptionBegan: display(.paused)
        case .interruptionEnded: break  // the user decides whether to resume
        case .routeChanged(.oldDeviceUnavailable): pause()
        default: break
        }
    }
}
