import AudioRendering
import AudioSessions
import Synchronization

/// A voice chat app, whose session is active only during calls.
///
/// The app declares background audio, and sets neither the system volume nor the route.
public final class VoiceChat: Sendable {
    public enum Display: Equatable, Sendable { case idle, talking, interrupted }

    private struct Call {
        var farEnd: Voice
        var microphone: AudioSessionInput
    }

    private let session: AudioSession
    private let display: @Sendable (Display) -> Void
    private let call = Mutex<Call?>(nil)
    private let observer = SessionObserver()

    /// Configures the session at launch, possibly in the background. It stays inactive until a
    /// call.
    public init(session: AudioSession, display: @escaping @Sendable (Display) -> Void) throws {
        try session.setCategory(.playAndRecord, mode: .voiceChat)
        self.session = session
        self.display = display
        observer.observe(session) { [weak self] event in self?.handle(event) }
    }

    /// Asks for record permission when the user signs in: before the first call, not during it.
    public func signedIn() { session.host.application.requestRecordPermission { _ in } }

    /// Starts a call when the user calls or answers, or resumes it after an interruption. `farEnd`
    /// is the voice of the other party, such as a `VoiceSource.render`; a resumed call keeps the
    /// one it has.
    public func talk(with farEnd: VoiceSource) throws {
        try session.setActive(true)
        do {
            if let microphone = call.withLock({ $0?.microphone }) {
                try microphone.start()  // it has stopped if it was muted during the interruption
            } else {
                let microphone = try AudioSessionInput(session: session)
                try microphone.start()
                let voice = try session.engine.play(farEnd, on: session.bus)
                call.withLock { $0 = Call(farEnd: voice, microphone: microphone) }
            }
        } catch {
            // Without a microphone, the session must not silence others.
            try? session.setActive(false, options: .notifyOthersOnDeactivation)
            throw error
        }
        display(.talking)
    }

    /// Returns the microphone's samples since the previous read, to send to the other party.
    public func takeInput() -> [Float] {
        let capture = call.withLock { $0?.microphone }?.capture
        var samples: [Float] = []
        while let block = capture?.read() { samples += block.samples }
        return samples
    }

    /// The round-trip latency of this device in seconds, which an echo canceller needs. It changes
    /// with the route and the period. JACK's port latencies include the I/O buffers; those of
    /// iOS do not, so add two buffer durations there. Not for the audio thread: it may connect to
    /// the server.
    public var deviceDelay: Double { session.inputLatency + session.outputLatency }

    /// Ends the call; the sessions that it interrupted may resume.
    public func hangUp() throws {
        let ended = call.withLock { call in
            defer { call = nil }
            return call
        }
        ended?.microphone.stop()
        try? ended?.farEnd.stop()  // throws if the voice has already ended
        try session.setActive(false, options: .notifyOthersOnDeactivation)
        display(.idle)
    }

    private func handle(_ event: AudioSessionEvent) {
        switch event {
        // The microphone was muted in hardware: the call ends and is not resumed.
        case .interruptionBegan(.builtInMicMuted): try? hangUp()
        case .interruptionBegan: display(.interrupted)
        // Never opens the microphone automatically: the user decides whether to resume the call.
        case .interruptionEnded: break
        // The call continues on the new route.
        case .routeChanged: break
        default: break
        }
    }
}
