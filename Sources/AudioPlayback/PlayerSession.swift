internal import AudioSessions
internal import Dispatch

/// A session that belongs to one player, which activates it to play, and deactivates it with notice
/// when it has stopped: to the arbiter it is a session like any other (PLAY-3).
final class PlayerSession: Sendable {
    let session: AudioSession
    /// Starts and deactivations do not overlap: neither ends the other.
    private let queue = DispatchQueue(label: "audio-session.player")

    /// Creates a session in category playback. Throws what `AudioSession(host:)` throws.
    init(on host: AudioSessionHost, mode: AudioSession.Mode) throws {
        session = try AudioSession(host: host)
        try session.setCategory(.playback, mode: mode)
    }

    /// Runs `body`, which starts the player and so activates the session.
    func start(_ body: () throws -> Void) throws { try queue.sync(execute: body) }

    /// Deactivates the session without waiting, and notifies the sessions that it interrupted;
    /// unless `isInUse`, because the player has started again.
    func leave(unless isInUse: @escaping @Sendable () -> Bool) {
        queue.async { [session] in
            guard !isInUse() else { return }
            // Throws only isBusy, and only if a setting enables it: the session is inactive then
            // (ACT-7).
            try? session.setActive(false, options: .notifyOthersOnDeactivation)
        }
    }

    /// Returns when all deactivations so far are done.
    func drain() { queue.sync {} }
}
