extension RemoteCommand.Kind: JSONNamed {}
extension RepeatMode: JSONNamed {}
extension NowPlayingInfo.PlaybackState: JSONNamed {}

/// A command is one object in JSON, `{"command": "seek", "value": 12.5}`: `value` is the number of
/// seconds of skip and seek, the rate of setRate, true or false for setShuffled, and the mode of
/// setRepeatMode. The other commands have none.
extension RemoteCommand: Codable, JSONDescribed {
    package static var allowedInJSON: String { "a remote command, an object with 'command'" }

    private enum Key: String, CodingKey { case command, value }

    public init(from decoder: any Decoder) throws {
        let object = try decoder.object(of: Key.self, Self.allowedInJSON)
        switch try object.read(.command, as: Kind.self) {
        case .play: self = .play
        case .pause: self = .pause
        case .togglePlayPause: self = .togglePlayPause
        case .stop: self = .stop
        case .nextTrack: self = .nextTrack
        case .previousTrack: self = .previousTrack
        case .skip: self = .skip(by: try object.readFinite(.value))
        case .seek: self = .seek(to: try object.readFinite(.value))
        case .setRate: self = .setRate(try object.readFinite(.value))
        case .setShuffled: self = .setShuffled(try object.read(.value))
        case .setRepeatMode: self = .setRepeatMode(try object.read(.value))
        case .raise: self = .raise
        case .quit: self = .quit
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(kind, forKey: .command)
        switch self {
        case .skip(let value), .seek(let value), .setRate(let value): try object.encode(value, forKey: .value)
        case .setShuffled(let value): try object.encode(value, forKey: .value)
        case .setRepeatMode(let value): try object.encode(value, forKey: .value)
        case .play, .pause, .togglePlayPause, .stop, .nextTrack, .previousTrack, .raise, .quit: break
        }
    }
}

extension NowPlayingInfo: JSONDescribed {
    package static var allowedInJSON: String { "an object with 'playbackState', 'position' and 'rate'" }
}
