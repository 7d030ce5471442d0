/// A media player of another program on the session bus, as it describes itself (MPRIS). The values
/// are claims: a text can contain anything, and only `id` and `process` come from the bus.
package struct ForeignPlayer: Hashable, Sendable, Identifiable {
    package enum Status: Hashable, Sendable {
        case playing, paused, stopped
    }

    /// The unique name of the player's connection, such as ":1.42". A program that connects again
    /// has another one.
    package var id: String
    /// Its names on the bus without `org.mpris.MediaPlayer2.`, sorted, such as "vlc" and
    /// "vlc.instance4711"; at most 8.
    package var names: [String]
    /// The process that has connected to the bus; nil: the bus does not know it.
    package var process: Int32?
    /// The player's name for the user, such as "VLC media player", shortened to 255 bytes.
    package var identity: String
    /// The program's desktop entry, without `.desktop`.
    package var desktopEntry: String?
    package var status: Status
    /// Whether the player accepts `pause` now; false if it accepts no commands (`CanControl`).
    package var canPause: Bool
    package var canPlay: Bool

    package init(
        id: String, names: [String], process: Int32? = nil, identity: String = "", desktopEntry: String? = nil,
        status: Status = .stopped, canPause: Bool = false, canPlay: Bool = false
    ) {
        self.id = id
        self.names = names
        self.process = process
        self.identity = identity
        self.desktopEntry = desktopEntry
        self.status = status
        self.canPause = canPause
        self.canPlay = canPlay
    }
}
