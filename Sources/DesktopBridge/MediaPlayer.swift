public import AudioSessionTypes

/// A player as the desktop shows it: an app's now-playing information and the commands that it
/// accepts (REMOTE-1, REMOTE-3).
public struct MediaPlayer: Hashable, Sendable {
    /// The program's name, for the user; the player's name on the bus follows from it.
    public var name: String
    /// The program's desktop entry, without `.desktop`.
    public var desktopEntry: String?
    /// The session's number. The same track of another session is another track for the bus.
    public var number: UInt64
    /// The commands that the app has registered.
    public var commands: Set<RemoteCommand.Kind>
    /// What is published. A record has the same state, so that its position is right.
    public var playbackState: NowPlayingInfo.PlaybackState {
        didSet { record?.info.playbackState = playbackState }
    }
    /// Nil: the app has not said what it plays.
    public var record: NowPlayingRecord?

    public init(
        name: String, desktopEntry: String? = nil, number: UInt64, commands: Set<RemoteCommand.Kind>,
        playbackState: NowPlayingInfo.PlaybackState, record: NowPlayingRecord?
    ) {
        self.name = name
        self.desktopEntry = desktopEntry
        self.number = number
        self.commands = commands
        self.playbackState = playbackState
        self.record = record
        self.record?.info.playbackState = playbackState
    }
}

/// Why a remote command was not performed. The text is a sentence for the sender.
public enum RemoteCommandFailure: Error, Hashable, Sendable {
    /// The app has not registered the command.
    case unsupported(String)
    case failed(String)
}

/// Why there is no connection to the session bus: what was requested, what is the case, and what to
/// do.
public struct SessionBusFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
