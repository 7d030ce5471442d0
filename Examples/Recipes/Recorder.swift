import AudioSessions
import Synchronization

/// A recorder with a record button; what it hears stays in memory.
public final class Recorder: Sendable {
    public enum Display: Equatable, Sendable { case recording, stopped, notAllowed, refused(String) }

    private let session: AudioSession
    private let display: @Sendable (Display) -> Void
    private let input = Mutex<AudioSessionInput?>(nil)
    private let take = Mutex<[Float]>([])
    private let observer = SessionObserver()

    /// At launch. Not category record, which silences nearly everything else: this app also plays what it recorded.
    public init(session: AudioSession, display: @escaping @Sendable (Display) -> Void) throws {
        try session.setCategory(.playAndRecord)
        self.session = session
        self.display = display
        observer.observe(session) { [weak self] event in self?.follow(event) }
    }

    /// The record button. The first time, the user is asked: here, and not by the system once something should have been recorded.
    public func record() {
        session.host.application.requestRecordPermission { [weak self] isAllowed in
            if isAllowed { self?.begin() } else { self?.display(.notAllowed) }
        }
    }

    /// The stop button. Inactive while it does not record, so that others are heard.
    public func stop() throws {
        finish()
        try session.setActive(false, options: .notifyOthersOnDeactivation)
    }

    /// What was recorded so far.
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

    private func follow(_ event: AudioSessionEvent) {
        switch event {
        case .interruptionBegan: finish()  // what was recorded stays; nobody is recorded again unasked
        case .routeChanged(.oldDeviceUnavailable), .routeChanged(.newDeviceAvailable): finish()  // another microphone
        default: break  // starting to record may have changed the category: that is no reason to stop
        }
    }
}
