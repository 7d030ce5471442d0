import AudioPlayback
import AudioRendering
import AudioSessions

/// An instrument, drum machine or looper that is played along with other music.
///
/// The app declares background audio. It registers no remote commands: they control the music that
/// it accompanies.
public final class CooperativeMusic: Sendable {
    private let session: AudioSession
    private let rhythm: AudioPlayer
    private let microphone: AudioSessionInput

    /// Configures the session at launch. An app without input can use category playback instead.
    public init(session: AudioSession, rhythm path: String) throws {
        try session.setCategory(.playAndRecord, options: .mixWithOthers)
        self.session = session
        rhythm = try AudioPlayer(path: path, session: session)
        rhythm.numberOfLoops = -1
        microphone = try AudioSessionInput(session: session)
    }

    /// Handles the start button: starts the rhythm, which activates the session. An app without
    /// such a button activates when it enters the foreground, as a game does.
    public func start() throws { try rhythm.play() }

    /// Handles the stop button: stops, rewinds and deactivates.
    public func stop() throws {
        rhythm.stop()
        rhythm.currentTime = 0
        try session.setActive(false)
    }

    /// Plays a note of the instrument, if the session is active.
    public func hit(_ note: AudioBuffer) throws {
        guard session.isActive else { return }
        try session.engine.play(.buffer(note), on: session.bus)
    }

    /// Plays the microphone through the session's bus, in the same cycle as all other sound. The
    /// first call asks the user for permission.
    public func playMicrophone() {
        session.host.application.requestRecordPermission { [weak self] isAllowed in
            guard isAllowed, let self else { return }
            try? microphone.start()
            _ = try? session.engine.play(.input(microphone.capture), on: session.bus)
        }
    }
}
