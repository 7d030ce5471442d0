/// A command that a remote control sends to the now-playing app: a key of the keyboard or the
/// headset, the desktop's media control, or a program (REMOTE-1).
public enum RemoteCommand: Hashable, Sendable {
    /// Start or resume. Does nothing if the app plays.
    case play
    /// Pause. Does nothing if the app is paused; never starts playback.
    case pause
    /// Pause if the app plays, otherwise play.
    case togglePlayPause
    /// Stop, and return to the beginning.
    case stop
    case nextTrack
    case previousTrack
    /// Move the position by a number of seconds, which is negative for backward.
    case skip(by: Double)
    /// Set the position, in seconds from the beginning of the track.
    case seek(to: Double)
    /// Set the playback rate; 1 is normal speed.
    case setRate(Double)
    case setShuffled(Bool)
    case setRepeatMode(RepeatMode)
    /// Show the app's window.
    case raise
    /// Quit the app.
    case quit

    /// The kinds of commands. An app registers kinds; a command has one.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case play, pause, togglePlayPause, stop, nextTrack, previousTrack, skip, seek, setRate, setShuffled
        case setRepeatMode, raise, quit
    }

    public var kind: Kind {
        switch self {
        case .play: .play
        case .pause: .pause
        case .togglePlayPause: .togglePlayPause
        case .stop: .stop
        case .nextTrack: .nextTrack
        case .previousTrack: .previousTrack
        case .skip: .skip
        case .seek: .seek
        case .setRate: .setRate
        case .setShuffled: .setShuffled
        case .setRepeatMode: .setRepeatMode
        case .raise: .raise
        case .quit: .quit
        }
    }
}

/// What follows the last track, or each track.
public enum RepeatMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// Playback ends after the last track.
    case off
    /// The current track repeats.
    case one
    /// The first track follows the last one.
    case all
}
