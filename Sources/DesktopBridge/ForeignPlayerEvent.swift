/// What a `MediaPlayerWatch` reports.
package enum ForeignPlayerEvent: Hashable, Sendable {
    /// The player has appeared, or has changed. One that is new is reported when its values are
    /// known, or after 5 s without a reply; then as stopped and without commands.
    case changed(ForeignPlayer)
    /// The player has left the bus.
    case vanished(ForeignPlayer.ID)
    /// All players that were on the bus at the start have been reported. Once.
    case synced
}
