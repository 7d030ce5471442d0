import AudioRendering
import AudioSessions
import Synchronization

/// A level meter, tuner or oscilloscope, which needs the input without any processing.
public final class Metering: Sendable {
    private let session: AudioSession
    private let input = Mutex<AudioSessionInput?>(nil)
    private let observer = SessionObserver()

    /// Configures the session at launch, before a splash video.
    public init(session: AudioSession) throws {
        try session.setCategory(.playAndRecord, mode: .measurement)
        self.session = session
        observer.observe(session) { [weak self] event in self?.handle(event) }
    }

    /// Starts measuring when the app enters the foreground. The first call asks the user for
    /// permission; later calls use the stored answer.
    public func didBecomeActive() {
        session.host.application.requestRecordPermission { [weak self] isAllowed in
            if isAllowed { try? self?.measure() }
        }
    }

    /// Returns the highest magnitude since the last call, linear.
    public func takePeak() -> Float { input.withLock { $0 }?.capture.takePeak(channel: 0) ?? 0 }

    /// Plays a test tone, for example to measure a room. Other apps cannot duck it.
    public func play(_ tone: AudioBuffer) throws { try session.engine.play(.buffer(tone), on: session.bus) }

    private func measure() throws {
        try session.setActive(true)
        let input = try input.withLock { $0 } ?? AudioSessionInput(session: session)
        try input.start()
        self.input.withLock { $0 = input }
    }

    private func handle(_ event: AudioSessionEvent) {
        switch event {
        case .interruptionEnded: didBecomeActive()  // always: a meter must show the current level
        default: break  // a meter measures on any route
        }
    }
}
