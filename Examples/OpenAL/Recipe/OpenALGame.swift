import AudioRendering
import AudioSessions
import Foundation
import Recipes
import Synchronization

/// A game that mixes with OpenAL and plays through an audio session.
public final class OpenALGame: Sendable {
    private let session: AudioSession
    private let context: OpenALContext
    /// Plays the context; suspended while the session is interrupted or inactive.
    private let voice = Mutex<Voice?>(nil)
    private let observer = SessionObserver()
    /// Held while the session and the context change together: events arrive on another thread.
    private let lock = NSRecursiveLock()
    /// Whether the game is not paused: an end that is delivered late does not resume it. Accessed
    /// under `lock`.
    private let isWanted = Mutex(false)

    /// Configures the session at launch, as every game does. `context` has been opened with the
    /// session's sample rate.
    public init(session: AudioSession, context: OpenALContext) throws {
        try session.setCategory(.ambient)
        self.session = session
        self.context = context
        observer.observe(session) { [weak self] event in self?.handle(event) }
    }

    deinit { try? voice.withLock { $0 }?.stop() }

    /// Handles the foreground, and the end of the game's pause menu: reactivates the session, then
    /// restores the context. Throws if the activation is refused; the context then stays NULL.
    public func play() throws {
        try lock.withLock {
            isWanted.withLock { $0 = true }
            do {
                try session.setActive(true)
                try context.resume()
                try startVoice()
            } catch {
                try? context.pause()
                throw error
            }
        }
    }

    /// Handles the background and the game's pause menu. During an interruption, too: the session
    /// then no longer waits for the end, and the game does not resume automatically.
    public func pause() throws {
        try lock.withLock {
            isWanted.withLock { $0 = false }
            try context.pause()
            try session.setActive(false, options: .notifyOthersOnDeactivation)
        }
    }

    private func handle(_ event: AudioSessionEvent) {
        switch event {
        // The session is already silent, and the voice is suspended at its position. It is active
        // if the game has activated it again since.
        case .interruptionBegan: lock.withLock { if !session.isActive { try? context.pause() } }
        // A game always resumes, unless it was paused meanwhile. If a call is active, its end is
        // reported as well.
        case .interruptionEnded: lock.withLock { if isWanted.withLock({ $0 }) { try? play() } }
        default: break  // the voice follows the route, the sample rate and a restarted server
        }
    }

    /// Starts the voice that plays the context, with the smallest read-ahead. It never ends.
    private func startVoice() throws {
        try voice.withLock { voice in
            guard voice == nil else { return }
            let stream = try AudioStream(reader: context, sampleRate: context.sampleRate, readAhead: 0.05)
            voice = try session.engine.play(.stream(stream), on: session.bus)
        }
    }
}
