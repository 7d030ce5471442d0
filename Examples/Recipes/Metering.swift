import AudioRendering
import AudioSessions
import Synchronization

/// A meter: sound level, tuner, oscilloscope. It wants the input as it is, without any processing.
public final class Metering: Sendable {
    private let session: AudioSession
    private let input = Mutex<EngineInput?>(nil)
    private let observer = SessionObserver()

    /// At launch, before a splash film.
    public init(session: AudioSession) throws {
        try session.setCategory(.playAndRecord, mode: .measurement)
        self.session = session
        observer.observe(session) { [weak self] event in self?.follow(event) }
    }

    /// When the app comes to the foreground.
    public func didBecomeActive() throws {
        try session.setActive(true)
        if input.withLock({ $0 == nil }) {
            let input = try session.engine.makeInput(for: session.bus)
            self.input.withLock { $0 = input }
        }
    }

    /// The greatest magnitude since the last time, linear; for the needle.
    public func takePeak() -> Float { input.withLock { $0 }?.takePeak(channel: 0) ?? 0 }

    /// A test tone, say to measure a room with; its level is what was asked for, whatever others want.
    public func play(_ tone: AudioBuffer) throws { try session.engine.play(.buffer(tone), on: session.bus) }

    private func follow(_ event: AudioSessionEvent) {
        switch event {
        case .interruptionEnded: try? didBecomeActive()  // always: a meter that stands still measures wrong
        default: break  // it goes on on whatever route there is
        }
    }
}
