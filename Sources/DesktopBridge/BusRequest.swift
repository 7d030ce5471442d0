internal import AudioSessionTypes

/// What a program on the bus requests of the player (REMOTE-1).
enum BusRequest: Hashable, Sendable {
    case raise, quit, next, previous, pause, playPause, stop, play
    /// An offset in microseconds.
    case seek(Int64)
    /// The object path of a track and a position in microseconds.
    case setPosition(String, Int64)
    case openURI
    case setLoopStatus(String)
    case setRate(Double)
    case setShuffled(Bool)
    case setVolume

    /// Why a request is refused before it becomes a command.
    enum Refusal: Error, Hashable {
        case unsupported(String)
        case invalid(String)
    }

    /// Returns the command for the app, also if it has not registered it; nil if the specification
    /// requires that the request has no effect.
    func command(for player: PlayerProperties, commands: Set<RemoteCommand.Kind>) throws(Refusal) -> RemoteCommand? {
        switch self {
        case .raise: .raise
        case .quit: .quit
        case .next: .nextTrack
        case .previous: .previousTrack
        case .pause: .pause
        case .playPause: .togglePlayPause
        case .stop: .stop
        case .play: .play
        case .seek(let offset): .skip(by: Double(offset) / 1e6)
        case .setPosition(let path, let position): Self.seek(to: position, in: path, of: player)
        case .openURI: throw .unsupported("This player does not open URIs.")
        case .setLoopStatus(let status): .setRepeatMode(try Self.repeatMode(status))
        case .setRate(let rate): try Self.setRate(rate, allowed: commands.contains(.setRate) ? player.rates : nil)
        case .setShuffled(let isShuffled): .setShuffled(isShuffled)
        case .setVolume:
            throw .unsupported("This player's volume cannot be set; set that of the output.")
        }
    }

    /// A position of another track, as when the track has changed meanwhile, or outside this one
    /// has no effect.
    private static func seek(to position: Int64, in path: String, of player: PlayerProperties) -> RemoteCommand? {
        guard let track = player.track, track.path == path, position >= 0, position <= track.length ?? .max else {
            return nil
        }
        return .seek(to: Double(position) / 1e6)
    }

    private static func repeatMode(_ status: String) throws(Refusal) -> RepeatMode {
        guard let mode = RepeatMode.allCases.first(where: { PlayerProperties.loopStatus($0) == status }) else {
            throw .invalid("LoopStatus cannot be '\(status.prefix(80))'; it must be None, Track or Playlist.")
        }
        return mode
    }

    /// A rate of 0 pauses. `allowed` is nil if the app does not change its rate.
    private static func setRate(_ rate: Double, allowed: ClosedRange<Double>?) throws(Refusal) -> RemoteCommand {
        if rate == 0 { return .pause }
        guard rate.isFinite, rate > 0, allowed?.contains(rate) ?? true else {
            let range = allowed ?? 1...1
            throw .invalid(
                "Rate cannot be \(rate); it must be from \(range.lowerBound) to \(range.upperBound), or 0 to pause.")
        }
        return .setRate(rate)
    }
}
