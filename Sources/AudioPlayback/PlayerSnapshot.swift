internal import AudioRendering
internal import AudioSessions
internal import Platform

/// What a player plays now.
struct PlayerSnapshot {
    var source: PlaybackSource
    /// Distinguishes the track from others of the player.
    var track: String
    var state: NowPlayingInfo.PlaybackState
    /// Seconds; nil if it is not known.
    var duration: Double?
    /// Seconds.
    var position: Double
    /// Seconds of the source in a second.
    var speed: Double
    var isShuffled: Bool?
    var repeatMode: RepeatMode?
    /// Seconds until a timed start; nil if there is none ahead.
    var startsIn: Double?
}

extension Playback {
    /// Before a timed start, the position stands still.
    var publishedState: NowPlayingInfo.PlaybackState {
        switch state.withLock({ $0.phase }) {
        case .playing: secondsToStart == nil ? .playing : .paused
        case .paused: .paused
        case .stopped: .stopped
        }
    }

    var publishedSpeed: Double { Double(sound.speed) * Double(sound.rate) }

    /// The seconds until a timed start; nil if there is none ahead.
    var secondsToStart: Double? {
        let now = engine.currentFrame
        guard let frame = state.withLock({ $0.startFrame }), frame > now else { return nil }
        return Double(frame - now) / Double(engine.format?.sampleRate ?? 48_000)
    }
}
