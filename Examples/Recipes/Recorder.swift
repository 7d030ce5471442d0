import AudioPlayback
import AudioSessions

/// A recorder with a record button; it writes each recording to a file.
public final class Recorder: Sendable {
    public enum Display: Equatable, Sendable { case recording, paused, stopped, notAllowed, refused(String) }

    private let session: AudioSession
    private let recorder: AudioRecorder
    private let display: @Sendable (Display) -> Void

    /// Configures the session at launch. Category record would silence nearly all other audio, and
    /// this app also plays its recordings.
    public init(session: AudioSession, path: String, display: @escaping @Sendable (Display) -> Void) throws {
        try session.setCategory(.playAndRecord)
        self.session = session
        self.display = display
        recorder = try AudioRecorder(path: path, session: session)
        recorder.onEvent { [weak self] event in self?.handle(event) }
    }

    /// The files of the last recording.
    public var files: [AudioRecorder.File] { recorder.recording?.files ?? [] }

    /// Handles the record button, which also resumes a paused recording. The first call asks the
    /// user for permission, before anything is recorded; otherwise the system would ask only after
    /// the recording has started.
    public func record() {
        session.host.application.requestRecordPermission { [weak self] isAllowed in
            if isAllowed { self?.begin() } else { self?.display(.notAllowed) }
        }
    }

    /// Handles the stop button. The session is inactive while nothing is recorded, so that other
    /// apps are audible.
    public func stop() throws {
        recorder.stop()
        try session.setActive(false, options: .notifyOthersOnDeactivation)
    }

    private func begin() {
        do {
            try recorder.record()  // activates the session
            display(.recording)
        } catch {
            display(.refused("\(error)"))
        }
    }

    private func handle(_ event: AudioRecorder.Event) {
        switch event {
        // The recording is kept. It does not start again unless the user asks.
        case .pausedBySession: display(.paused)
        // The microphone may have become another one, or the disk is full.
        case .ended: display(.stopped)
        case .started, .resumed, .gap: break
        }
    }
}
