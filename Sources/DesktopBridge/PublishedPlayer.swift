internal import AudioSessionTypes

/// A player that is on the bus, and its position (REMOTE-3).
struct PublishedPlayer: Sendable {
    let player: MediaPlayer
    let properties: PlayerProperties

    /// A greater difference from the expected position is a jump.
    private static let toleratedSeconds = 0.2

    init(_ player: MediaPlayer) {
        self.player = player
        properties = PlayerProperties(player)
    }

    private func seconds(at time: UInt64) -> Double { player.record?.position(at: time) ?? 0 }

    /// Returns the position in microseconds at a time in nanoseconds of the monotonic clock.
    func position(at now: UInt64) -> Int64 {
        min(Int64(microsecondsOf: seconds(at: now)), properties.track?.length ?? .max)
    }

    /// Returns whether clients that know the previous player expect another position. They expect
    /// that a position advances only during playback, and that a track begins at 0.
    func hasJumped(from previous: PublishedPlayer, at now: UInt64) -> Bool {
        guard let record = player.record, let track = properties.track else { return false }
        let isSameTrack = track.path == previous.properties.track?.path
        let starts = player.playbackState == .playing && previous.player.playbackState == .stopped
        // The positions are compared when the record was right: until it is published, only one of
        // them may have advanced.
        let time = isSameTrack ? record.time : now
        let expected = isSameTrack && !starts ? previous.seconds(at: time) : 0
        return abs(seconds(at: time) - expected) > Self.toleratedSeconds
    }
}
