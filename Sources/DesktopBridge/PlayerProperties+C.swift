internal import CDesktopBus
internal import Glibc

extension PlayerProperties {
    /// Calls `body` with the properties as a C value, which is valid during the call.
    func withC<Result>(_ body: (UnsafePointer<desktop_bus_player_t>) -> Result) -> Result {
        var copies: [UnsafeMutablePointer<CChar>?] = []
        defer { copies.forEach { free($0) } }
        func copy(_ text: String?) -> UnsafePointer<CChar>? {
            guard let text else { return nil }
            copies.append(strdup(text))
            return UnsafePointer(copies.last ?? nil)
        }
        var player = desktop_bus_player_t()
        player.identity = copy(identity)
        player.desktop_entry = copy(desktopEntry)
        player.can_quit = Int32(canQuit)
        player.can_raise = Int32(canRaise)
        player.playback_status = copy(playbackStatus)
        player.loop_status = copy(loopStatus)
        player.rate = rate
        player.minimum_rate = rates.lowerBound
        player.maximum_rate = rates.upperBound
        player.shuffle = Int32(isShuffled)
        player.can_go_next = Int32(canGoNext)
        player.can_go_previous = Int32(canGoPrevious)
        player.can_play = Int32(canPlay)
        player.can_pause = Int32(canPause)
        player.can_seek = Int32(canSeek)
        player.track = copy(track?.path)
        player.length_us = track?.length ?? -1
        player.title = copy(track?.title)
        player.artist = copy(track?.artist)
        player.album = copy(track?.album)
        player.art_url = copy(track?.artworkURL)
        return withUnsafePointer(to: player, body)
    }
}

extension Int32 {
    /// A flag of C.
    fileprivate init(_ flag: Bool) { self = flag ? 1 : 0 }
}
