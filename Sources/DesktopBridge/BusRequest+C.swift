internal import CDesktopBus

extension BusRequest {
    /// Nil if the kind is unknown.
    init?(_ request: desktop_bus_request_t) {
        func text() -> String { request.text.map { String(cString: $0) } ?? "" }
        switch request.kind {
        case DESKTOP_BUS_RAISE: self = .raise
        case DESKTOP_BUS_QUIT: self = .quit
        case DESKTOP_BUS_NEXT: self = .next
        case DESKTOP_BUS_PREVIOUS: self = .previous
        case DESKTOP_BUS_PAUSE: self = .pause
        case DESKTOP_BUS_PLAY_PAUSE: self = .playPause
        case DESKTOP_BUS_STOP: self = .stop
        case DESKTOP_BUS_PLAY: self = .play
        case DESKTOP_BUS_SEEK: self = .seek(request.microseconds)
        case DESKTOP_BUS_SET_POSITION: self = .setPosition(text(), request.microseconds)
        case DESKTOP_BUS_OPEN_URI: self = .openURI
        case DESKTOP_BUS_SET_LOOP_STATUS: self = .setLoopStatus(text())
        case DESKTOP_BUS_SET_RATE: self = .setRate(request.number)
        case DESKTOP_BUS_SET_SHUFFLE: self = .setShuffled(request.number != 0)
        case DESKTOP_BUS_SET_VOLUME: self = .setVolume
        default: return nil
        }
    }
}
