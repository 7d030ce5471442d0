internal import AudioSessions
internal import AudioSessionTypes
internal import Dispatch
internal import Platform

/// Publishes what a player plays whenever it has changed, and not as playback advances
/// (keeps REMOTE-3). Any thread.
final class PlaybackPublisher: Sendable {
    private struct State {
        /// Whether the queue will publish, and whether the publisher has ended.
        var isScheduled = false
        var hasEnded = false
        /// What was published last, and when.
        var published: NowPlayingRecord?
        /// The description of the current track.
        var described: (track: String, info: NowPlayingInfo)?
    }
    private let session: AudioSession
    private let describe: @Sendable (PlaybackSource) -> NowPlayingInfo
    private let snapshot: @Sendable () -> PlayerSnapshot?
    private let state = Mutex(State())
    /// Reading the tags of a file takes time, and must delay neither streams nor callers.
    private let queue = DispatchQueue(label: "audio-session.now-playing")

    /// Publishes as this owner: each remote control has its own.
    var owner: AudioSession.RemoteControl.Owner { .player(ObjectIdentifier(self)) }

    /// The error of a published position, in seconds, above which it is published again.
    private static let tolerance = 0.1
    /// Seconds until the next look at a timed start that lies far ahead.
    private static let longestWait = 60.0

    init(
        _ session: AudioSession, _ describe: @escaping @Sendable (PlaybackSource) -> NowPlayingInfo,
        _ snapshot: @escaping @Sendable () -> PlayerSnapshot?
    ) {
        self.session = session
        self.describe = describe
        self.snapshot = snapshot
    }

    /// Publishes soon what the player plays then, if that is new. Does not wait.
    func update() {
        let isFirst = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { queue.async { [weak self] in self?.publish() } }
    }

    /// Publishes nothing any longer. The owner removes what was published.
    func end() { state.withLock { $0.hasEnded = true } }

    private func publish() {
        state.withLock { $0.isScheduled = false }
        let described = describedSnapshot()
        // A queue without items.
        let info = described.map(makeInfo) ?? NowPlayingInfo(.stopped)
        let now = DispatchTime.now().uptimeNanoseconds
        // Under the lock, so that nothing is published after `end`.
        state.withLock { state in
            guard !state.hasEnded, Self.differs(info, from: state.published, at: now) else { return }
            state.published = NowPlayingRecord(info: info, time: now)
            session.remoteControl.setNowPlaying(info, of: owner)
        }
        if let seconds = described?.0.startsIn {
            queue.asyncAfter(deadline: .now() + min(seconds, Self.longestWait)) { [weak self] in self?.update() }
        }
    }

    /// Returns what the player plays, taken after its description was made: that takes time, while
    /// the position advances.
    private func describedSnapshot() -> (PlayerSnapshot, NowPlayingInfo)? {
        while let snapshot = snapshot(), !state.withLock({ $0.hasEnded }) {
            if let described = state.withLock({ $0.described }), described.track == snapshot.track {
                return (snapshot, described.info)
            }
            let info = describe(snapshot.source).shortened
            state.withLock { $0.described = (snapshot.track, info) }
        }
        return nil
    }

    /// Whether remote controls would show something else than what was published.
    private static func differs(_ info: NowPlayingInfo, from published: NowPlayingRecord?, at now: UInt64) -> Bool {
        guard var last = published else { return true }
        let position = last.position(at: now)
        last.info.position = info.position
        return last.info != info || abs(position - info.position) > tolerance
    }

    private func makeInfo(_ snapshot: PlayerSnapshot, _ described: NowPlayingInfo) -> NowPlayingInfo {
        var info = described
        info.playbackState = snapshot.state
        info.trackIdentifier = snapshot.track
        info.duration = snapshot.duration.map { min(max(0, $0), NowPlayingInfo.longestTime) }
        let position = min(snapshot.position, snapshot.duration ?? .infinity)
        info.position = min(max(0, position), NowPlayingInfo.longestTime)
        info.rate = min(max(snapshot.speed, NowPlayingInfo.rates.lowerBound), NowPlayingInfo.rates.upperBound)
        info.isShuffled = snapshot.isShuffled
        info.repeatMode = snapshot.repeatMode
        return info
    }
}
