import AudioSessions
import Synchronization

/// A recorder with a record button; it keeps the recording in memory.
public final class Recorder: Sendable {
    public enum Display: Equatable, Sendable { case recording, stopped, notAllowed, refused(String) }

    private let session: AudioSession
    private let display: @Sendable (Display) -> Void
    private let input = Mutex<AudioSessionInput?>(nil)
    private let take = Mutex<[Float]>([])
    private let observer = SessionObserver()

    /// Configures the session at launch. Category record would silence nearly all other audio, and
    /// this app also plays its recordings.
    public init(session: AudioSession, display: @escaping @Sendable (Display) -> Void) throws {
        try session.setCategory(.playAndRecord)
        self.session = session
        self.display = display
        observer.observe(session) { [weak self] event in self?.handle(event) }
    }

    /// Handles the record button. The first call asks the user for permission, before anything is
    /// recorded; otherwise the system would ask only after the recording has started.
    public func record() {
        session.host.application.requestRecordPermission { [weak self] isAllowed in
            if isAllowed { self?.begin() } else { self?.display(.notAllowed) }
        }
    }

    /// Handles the stop button. The session is inactive while nothing is recorded, so that other
    /// apps are audible.
    public func stop() throws {
        finish()
        try session.setActive(false, options: .notifyOthersOnDeactivation)
    }

    /// Returns everything recorded so far.
    public func samples() -> [Float] {
        let capture = input.withLock { $0 }?.capture
        return take.withLock { take in
            while let block = capture?.read() { take += block.samples }
            return take
        }
    }

    private func begin() {
        do {
            let input = try AudioSessionInput(session: session)
            try input.start()  // activates the session
            self.input.withLock { $0 = input }
            display(.recording)
        } catch {
            display(.refused("\(error)"))
        }
    }

    private func finish() {
        _ = samples()
        input.withLock { $0 = nil }
        display(.stopped)
    }

    private func handle(_ event: AudioSessionEvent) {
        switch event {
        // Keeps the recording. It does not start again unless the user asks.
        case .interruptionBegan: finish()
        // The microphone may be another one.
        case .routeChanged(.oldDeviceUnavailable), .routeChanged(.newDeviceAvailable): finish()
        default: break  // the app's own start may change the category; do not stop for that
        }
    }
}
