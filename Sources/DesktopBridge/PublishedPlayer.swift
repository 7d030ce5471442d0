internal import AudioSessionTypes

/// A player that is on the bus, and its position (REMOTE-3).
struct PublishedPlayer: Sendable {
    let player: MediaPlayer
    let properties: PlayerProperties
    /// The record whose position is right since its time, while the player has been playing or not.
    private let timing: NowPlayingRecord?

    /// A greater difference from the expected position is a jump.
    private static let toleratedSeconds = 0.2

    /// `previous` is the player that this one replaces on the bus. If the same record is published
    /// with another state, as when a session is interrupted, the position stays where it was at
    /// that moment, `now`.
    init(_ player: MediaPlayer, after previous: PublishedPlayer?, at now: UInt64) {
        self.player = player
        properties = PlayerProperties(player)
        guard var record = player.record, let previous, previous.player.record == record,
            previous.player.number == player.number
        else {
            timing = player.record
            return
        }
        guard previous.isPlaying != (player.playbackState == .playing) else {
            timing = previous.timing
            return
        }
        record.info.position = previous.seconds(at: now)
        record.time = now
        timing = record
    }

    private var isPlaying: Bool { player.playbackState == .playing }

    private func seconds(at time: UInt64) -> Double { timing?.position(at: time, isPlaying: isPlaying) ?? 0 }

    /// Returns the position in microseconds at a time in nanoseconds of the monotonic clock.
    func position(at now: UInt64) -> Int64 {
        min(Int64(microsecondsOf: seconds(at: now)), properties.track?.length ?? .max)
    }

    /// Returns whether clients that know the previous player expect another position. They expect
    /// that a position advances only during playback, and that a track begins at 0.
    func hasJumped(from previous: PublishedPlayer, at now: UInt64) -> Bool {
        guard let timing, let track = properties.track else { return false }
        let isSameTrack = track.path == previous.properties.track?.path
        let starts = isPlaying && previous.player.playbackState == .stopped
        // The positions are compared when the record was right: until it is published, only one of
        // them may have advanced.
        let time = isSameTrack ? timing.time : now
        let expected = isSameTrack && !starts ? previous.seconds(at: time) : 0
        return abs(seconds(at: time) - expected) > Self.toleratedSeconds
    }
}
