import AudioPlayback
import AudioSessions
import Synchronization

/// A player with a play button: music, radio, podcasts, audiobooks, films.
///
/// The app declares background audio; otherwise it is silenced when the screen locks.
public final class Player: Sendable {
    public enum Display: Sendable { case playing, paused }

    private let session: AudioSession
    private let player: AudioPlayer
    private let remote: PlayerRemoteControl
    private let display: @Sendable (Display) -> Void
    /// Whether the user wants playback; an interruption does not change this.
    private let userWantsPlayback = Mutex(false)
    private let observer = SessionObserver()

    /// Configures the session at launch without activating it, so that no other app is interrupted
    /// before the user presses the play button.
    public init(
        session: AudioSession, path: String, mode: AudioSession.Mode = .default,
        display: @escaping @Sendable (Display) -> Void
    ) throws {
        try session.setCategory(.playback, mode: mode)
        // When headphones are unplugged, the player pauses and the session stays active.
        try session.setPrefersInterruptionOnRouteDisconnect(false)
        self.session = session
        self.display = display
        player = try AudioPlayer(path: path, session: session)
        player.resumePolicy = .never  // this app resumes the player itself and updates its display
        remote = try PlayerRemoteControl(player)  // title, position, seeking
        player.onFinish { [weak self] _, _ in self?.pause() }
        observer.observe(session) { [weak self] event in self?.handle(event) }
        try session.remoteControl.setHandler(for: [.play, .pause, .togglePlayPause]) { [weak self] command in
            self?.perform(command)
        }
    }

    /// Handles the play button. Activates the session, also after a suspension; throws if the
    /// activation is refused.
    public func play() throws {
        try player.play()
        userWantsPlayback.withLock { $0 = true }
        display(.playing)
    }

    /// Handles the pause button, or the assistant's "pause": during an interruption, playback then
    /// does not resume automatically. The session stays active.
    public func pause() {
        userWantsPlayback.withLock { $0 = false }
        player.pause()
        display(.paused)
    }

    /// Does what the app's own buttons do: a key of the headset, or the desktop's panel.
    private func perform(_ command: RemoteCommand) {
        switch command {
        case .play: try? play()
        case .pause: pause()
        default: userWantsPlayback.withLock { $0 } ? pause() : try? play()
        }
    }

    /// Deactivates if paused, so that no other app needs to interrupt it. Do not stream silence to
    /// stay active: that costs power and blocks other apps.
    public func didEnterBackground() throws {
        if !player.isPlaying { try session.setActive(false, options: .notifyOthersOnDeactivation) }
    }

    /// Shows "paused" if the app was suspended: the session is then inactive until the user presses
    /// the button.
    public func willEnterForeground() {
        if !session.isActive { pause() }
    }

    private func handle(_ event: AudioSessionEvent) {
        switch event {
        case .interruptionBegan: display(.paused)  // the player is already silent and paused
        case .interruptionEnded(let shouldResume):
            if shouldResume, userWantsPlayback.withLock({ $0 }) { try? play() }
        case .routeChanged(.oldDeviceUnavailable): pause()  // do not play to the whole room
        default: break  // new devices and this app's own category changes do not stop playback
        }
    }
}
