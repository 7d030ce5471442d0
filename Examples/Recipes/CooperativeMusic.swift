import AudioPlayback
import AudioRendering
import AudioSessions

/// An instrument, a drum machine, a looper: made to be played along with other music.
///
/// The app declares background audio. It registers no remote commands: those are for the music that it accompanies.
public final class CooperativeMusic: Sendable {
    private let session: AudioSession
    private let rhythm: AudioPlayer
    private let microphone: AudioSessionInput

    /// At launch. Category playback does for an app that never listens.
    public init(session: AudioSession, rhythm path: String) throws {
        try session.setCategory(.playAndRecord, options: .mixWithOthers)
        self.session = session
        rhythm = try AudioPlayer(path: path, session: session)
        rhythm.numberOfLoops = -1
        microphone = try AudioSessionInput(session: session)
    }

    /// The start button; it activates the session. An app without such a button activates when it comes to the foreground, as a game does.
    public func start() throws { try rhythm.play() }

    /// The stop button; the next start begins at the top.
    public func stop() throws {
        rhythm.stop()
        rhythm.currentTime = 0
        try session.setActive(false)
    }

    /// A key of the instrument, while it is started.
    public func hit(_ note: AudioBuffer) throws {
        guard session.isActive else { return }
        try session.engine.play(.buffer(note), on: session.bus)
    }

    /// Has the musician heard, in the same cycle as everything else. The first time, the user is asked.
    public func listen() {
        session.host.application.requestRecordPermission { [weak self] isAllowed in
            guard isAllowed, let self else { return }
            try? microphone.start()
            _ = try? session.engine.play(.input(microphone.capture), on: session.bus)
        }
    }
}
