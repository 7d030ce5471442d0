import AudioRendering
import AudioSessions
import Synchronization

/// Voice chat: active for the length of a call and not a moment longer.
///
/// The app declares background audio. It shows the system's volume and routes, and sets neither.
public final class VoiceChat: Sendable {
    public enum Display: Equatable, Sendable { case idle, talking, interrupted }

    private struct Call {
        var farEnd: Voice
        var microphone: AudioSessionInput
    }

    private let session: AudioSession
    private let display: @Sendable (Display) -> Void
    private let call = Mutex<Call?>(nil)
    private let delay = Mutex(0.0)
    private let observer = SessionObserver()

    /// At launch, or in the background, ready for a call: not active.
    public init(session: AudioSession, display: @escaping @Sendable (Display) -> Void) throws {
        try session.setCategory(.playAndRecord, mode: .voiceChat)
        self.session = session
        self.display = display
        observer.observe(session) { [weak self] event in self?.follow(event) }
    }

    /// When the user signs in: the time to ask for the microphone is before the first call, not in the midst of it.
    public func signedIn() { session.host.application.requestRecordPermission { _ in } }

    /// The user calls, or answers; `farEnd` is the other one's voice. During an interruption: the user takes the call up again.
    public func talk(with farEnd: VoiceSource) throws {
        try session.setActive(true)
        if call.withLock({ $0 == nil }) {
            let microphone = try AudioSessionInput(session: session)
            try microphone.start()
            let voice = try session.engine.play(farEnd, on: session.bus)
            call.withLock { $0 = Call(farEnd: voice, microphone: microphone) }
        }
        measureDelay()
        display(.talking)
    }

    /// What the microphone heard since the last time, to be sent.
    public func heard() -> [Float] {
        let capture = call.withLock { $0?.microphone }?.capture
        var samples: [Float] = []
        while let block = capture?.read() { samples += block.samples }
        return samples
    }

    /// Seconds there and back on this device: what an echo canceller must know.
    public var deviceDelay: Double { delay.withLock { $0 } }

    /// The call is over: whoever was interrupted by it may go on.
    public func hangUp() throws {
        let ended = call.withLock { call in
            defer { call = nil }
            return call
        }
        try ended?.farEnd.stop()
        try session.setActive(false, options: .notifyOthersOnDeactivation)
        display(.idle)
    }

    private func follow(_ event: AudioSessionEvent) {
        switch event {
        // The lid went over the microphone: the call is over, for good.
        case .interruptionBegan(.builtInMicMuted): try? hangUp()
        case .interruptionBegan: display(.interrupted)
        case .interruptionEnded: break  // nobody's microphone opens by itself: the user takes the call up again, or not
        case .routeChanged: measureDelay()  // talking goes on; rate, period and latency may be others
        default: break
        }
    }

    private func measureDelay() {
        delay.withLock { $0 = session.inputLatency + session.outputLatency + 2 * session.ioBufferDuration }
    }
}
