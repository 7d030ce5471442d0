import AudioRendering
import AudioSessions
import Synchronization

/// A meter: sound level, tuner, oscilloscope. It wants the input as it is, without any processing.
public final class Metering: Sendable {
    private let session: AudioSession
    private let input = Mutex<AudioSessionInput?>(nil)
    private let observer = SessionObserver()

    /// At launch, before a splash film.
    public init(session: AudioSession) throws {
        try session.setCategory(.playAndRecord, mode: .measurement)
        self.session = session
        observer.observe(session) { [weak self] event in self?.follow(event) }
    }

    /// When the app comes to the foreground. The first time, the user is asked; later the answer is there at once.
    public func didBecomeActive() {
        session.host.application.requestRecordPermission { [weak self] isAllowed in
            if isAllowed { try? self?.measure() }
        }
    }

    /// The greatest magnitude since the last time, linear; for the needle.
    public func takePeak() -> Float { input.withLock { $0 }?.capture.takePeak(channel: 0) ?? 0 }

    /// A test tone, say to measure a room with; its level is what was asked for, whatever others want.
    public func play(_ tone: AudioBuffer) throws { try session.engine.play(.buffer(tone), on: session.bus) }

    private func measure() throws {
        try session.setActive(true)
        let input = try input.withLock { $0 } ?? AudioSessionInput(session: session)
        try input.start()
        self.input.withLock { $0 = input }
    }

    private func follow(_ event: AudioSessionEvent) {
        switch event {
        case .interruptionEnded: didBecomeActive()  // always: a meter that stands still measures wrong
        default: break  // it goes on on whatever route there is
        }
    }
}
