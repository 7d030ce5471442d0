import AudioRendering
import AudioSessions
import Recipes
import Synchronization

/// A game that mixes with OpenAL and plays through an audio session.
public final class OpenALGame: Sendable {
    private struct State {
        /// Plays the context; suspended while the session is interrupted or inactive.
        var voice: Voice?
        /// Whether the game is in the foreground and not paused; an interruption does not change
        /// this.
        var wantsSound = false
    }

    private let session: AudioSession
    private let context: OpenALContext
    private let state = Mutex(State())
    private let observer = SessionObserver()

    /// Configures the session at launch, as every game does. `context` has been opened with the
    /// session's sample rate.
    public init(session: AudioSession, context: OpenALContext) throws {
        try session.setCategory(.ambient)
        self.session = session
        self.context = context
        observer.observe(session) { [weak self] event in self?.handle(event) }
    }

    deinit { try? state.withLock { $0.voice }?.stop() }

    /// Handles the foreground, and the end of the game's pause menu: reactivates the session, then
    /// restores the context. Throws if the activation is refused; the context then stays NULL.
    public func play() throws {
        state.withLock { $0.wantsSound = true }
        try resume()
    }

    /// Handles the background and the game's pause menu, also during an interruption: the game then
    /// does not resume automatically.
    public func pause() throws {
        state.withLock { $0.wantsSound = false }
        try context.pause()
        try session.setActive(false, options: .notifyOthersOnDeactivation)
    }

    private func handle(_ event: AudioSessionEvent) {
        switch event {
        // The session is already silent, and the voice is suspended at its position.
        case .interruptionBegan: try? context.pause()
        // A game always resumes. If a call is active, its end is reported as well.
        case .interruptionEnded: if state.withLock({ $0.wantsSound }) { try? resume() }
        default: break  // the voice follows the route, the sample rate and a restarted server
        }
    }

    private func resume() throws {
        do {
            try session.setActive(true)
            try context.resume()
            try startVoice()
            if !session.isActive { try context.pause() }  // the next interruption has already begun
        } catch {
            try? context.pause()
            throw error
        }
    }

    /// Starts the voice that plays the context, with the smallest read-ahead. It never ends.
    private func startVoice() throws {
        try state.withLock { state in
            guard state.voice == nil else { return }
            let stream = try AudioStream(reader: context, sampleRate: context.sampleRate, readAhead: 0.05)
            state.voice = try session.engine.play(.stream(stream), on: session.bus)
        }
    }
}
