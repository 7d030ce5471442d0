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
    private let describe: PlayerRemoteControl.Description
    private let snapshot: @Sendable () -> PlayerSnapshot?
    private let state = Mutex(State())
    /// Reading the tags of a file takes time, and must delay neither streams nor callers.
    private let queue = DispatchQueue(label: "audio-session.now-playing")

    /// The error of a published position, in seconds, above which it is published again.
    private static let tolerance = 0.1

    init(
        _ session: AudioSession, _ describe: @escaping PlayerRemoteControl.Description,
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

    /// Publishes nothing any longer.
    func end() {
        state.withLock { $0.hasEnded = true }
        try? session.remoteControl.setNowPlaying(nil)
    }

    private func publish() {
        state.withLock { $0.isScheduled = false }
        let snapshot = snapshot()
        let info = snapshot.map { makeInfo($0, description(of: $0)) }
        let now = DispatchTime.now().uptimeNanoseconds
        let isNew = state.withLock { state in
            guard !state.hasEnded, Self.differs(info, from: state.published, at: now) else { return false }
            state.published = info.map { NowPlayingRecord(info: $0, time: now) }
            return true
        }
        guard isNew else { return }
        // A description that is out of range: the texts are left out.
        if (try? session.remoteControl.setNowPlaying(info)) == nil, let snapshot {
            try? session.remoteControl.setNowPlaying(makeInfo(snapshot, NowPlayingInfo(.stopped)))
        }
        if state.withLock({ $0.hasEnded }) { try? session.remoteControl.setNowPlaying(nil) }
    }

    /// Whether remote controls would show something else than what was published.
    private static func differs(_ info: NowPlayingInfo?, from published: NowPlayingRecord?, at now: UInt64) -> Bool {
        guard let info, var last = published else { return (info == nil) != (published == nil) }
        let position = last.position(at: now)
        last.info.position = info.position
        return last.info != info || abs(position - info.position) > tolerance
    }

    private func description(of snapshot: PlayerSnapshot) -> NowPlayingInfo {
        if let described = state.withLock({ $0.described }), described.track == snapshot.track { return described.info }
        let info = describe(snapshot.source)
        state.withLock { $0.described = (snapshot.track, info) }
        return info
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
