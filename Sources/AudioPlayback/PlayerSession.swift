internal import AudioSessions
internal import Dispatch
internal import Platform

/// A session that belongs to one player, which activates it to play. When the player has stopped,
/// for whatever reason, the session is deactivated with notice: to the arbiter it is a session like
/// any other (PLAY-3).
final class PlayerSession: Sendable {
    let session: AudioSession
    /// The number of starts of the player.
    private let starts = Mutex(0)
    /// Held during a deactivation. A start waits for one in progress, which would otherwise stop
    /// the player again.
    private let leaving = Mutex(())
    private let queue = DispatchQueue(label: "audio-session.player")

    /// Creates a session in category playback. Throws what `AudioSession(host:)` throws.
    init(on host: AudioSessionHost, mode: AudioSession.Mode) throws {
        session = try AudioSession(host: host)
        try session.setCategory(.playback, mode: mode)
    }

    /// Follows the player of this session.
    func follow(_ playback: Playback) {
        _ = playback.willStart.add { [weak self] in
            self?.starts.withLock { $0 += 1 }
            self?.leaving.withLock { _ in }
        }
        _ = playback.changes.add { [weak self, weak playback] in self?.playbackChanged(playback) }
    }

    /// Deactivates the session, without waiting, if the player has stopped. `playback` is nil when
    /// the player was released.
    func playbackChanged(_ playback: Playback?) {
        @Sendable func isInUse(_ playback: Playback?) -> Bool { playback.map { $0.isPlaying || $0.isPaused } ?? false }
        guard !isInUse(playback), session.state.activity != .inactive else { return }
        let number = starts.withLock { $0 }
        // This object and its session live until then.
        queue.async { [self, weak playback] in
            leaving.withLock { _ in
                guard starts.withLock({ $0 }) == number, !isInUse(playback) else { return }
                // Throws only isBusy, and only if a setting enables it: the session is inactive
                // then (ACT-7).
                try? session.setActive(false, options: .notifyOthersOnDeactivation)
            }
        }
    }

    /// Returns when all deactivations so far are done.
    func drain() { queue.sync {} }
}
