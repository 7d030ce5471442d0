import AudioPlayback
import AudioSessions
import Synchronization

/// Navigation or workout: short speech, over music that is lowered and between podcasts that are paused.
public final class Navigation: Sendable {
    private let session: AudioSession
    private let prompt = Mutex<AudioPlayer?>(nil)
    private let observer = SessionObserver()

    /// When the journey begins: not active until there is something to say.
    public init(session: AudioSession) throws {
        try session.setCategory(
            .playback, mode: .voicePrompt, options: [.interruptSpokenAudioAndMixWithOthers, .duckOthers])
        self.session = session
        observer.observe(session) { [weak self] event in self?.follow(event) }
    }

    /// Says what is in a file; a prompt that is being said gives way. Refused, say while a phone rings, it throws, and nothing is said later.
    public func say(_ path: String) throws {
        let player = try AudioPlayer(path: path, session: session)
        player.onFinish { [weak self] player, _ in self?.said(player) }
        let before = prompt.withLock { prompt in
            defer { prompt = player }
            return prompt
        }
        before?.stop()
        do {
            try player.play()  // activates the session: others are lowered or paused from here
        } catch {
            said(player)  // nobody stays lowered for a prompt that is not heard
            throw error
        }
    }

    /// Said: others are back at once. They stay lowered for as long as the session is active, not for as long as it speaks.
    private func said(_ player: AudioPlayer) {
        guard prompt.withLock({ $0 === player }) else { return }
        prompt.withLock { $0 = nil }
        try? session.setActive(false, options: .notifyOthersOnDeactivation)
    }

    private func follow(_ event: AudioSessionEvent) {
        switch event {
        // "Turn left" is of no use after the turning.
        case .interruptionBegan: prompt.withLock { $0 = nil }
        // Players pause when their output is pulled out. A prompt is for whoever drives: it goes on, and others do not stay lowered.
        case .routeChanged(.oldDeviceUnavailable): try? prompt.withLock { $0 }?.play()
        default: break
        }
    }
}
