internal import CDesktopBus

extension ForeignPlayer {
    /// Copies a player that is reported by C.
    init(_ player: desktop_players_player_t) {
        let values = player.values.pointee
        let entry = Self.text(values.desktop_entry)
        self.init(
            id: String(cString: player.owner),
            names: UnsafeBufferPointer(start: player.names, count: player.name_count)
                .compactMap { $0.map { String(cString: $0) } }.sorted(),
            process: Int32(exactly: player.process).flatMap { $0 > 0 ? $0 : nil },
            identity: Self.text(values.identity),
            desktopEntry: entry.isEmpty ? nil : entry,
            status: Status(values.status),
            canPause: values.can_control && values.can_pause,
            canPlay: values.can_control && values.can_play)
    }

    /// The text in an array of C, up to its NUL.
    private static func text<Array>(_ array: Array) -> String {
        withUnsafeBytes(of: array) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

extension ForeignPlayer.Status {
    init(_ status: desktop_players_status_t) {
        switch status {
        case DESKTOP_PLAYERS_PLAYING: self = .playing
        case DESKTOP_PLAYERS_PAUSED: self = .paused
        default: self = .stopped
        }
    }
}
