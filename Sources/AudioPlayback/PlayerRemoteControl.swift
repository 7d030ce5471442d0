internal import AudioRendering
public import AudioSessions
internal import Platform

/// Connects a player to the remote control of its session: the desktop's media control, media keys
/// and headsets drive the player, and show what it plays (group REMOTE). It lives as long as it is
/// held.
///
/// It handles play, pause, togglePlayPause, stop, skip, seek and setRate, for a queue also
/// nextTrack, previousTrack, setShuffled and setRepeatMode; add handlers of further commands to
/// `AudioSession.remoteControl`. stop returns to the beginning; setRate keeps the pitch. Connect it
/// before playback starts: the repetitions of an `AudioPlayer` that already plays are not
/// published. A session has one remote control: of several players, the one that was connected last
/// has it.
public final class PlayerRemoteControl: Sendable {
    /// Returns what is shown of a source: title, artist, album and artwork. The other values of the
    /// result are not used; texts that are too long are shortened. Called on a queue of the
    /// library.
    public typealias Description = @Sendable (PlaybackSource) -> NowPlayingInfo

    /// The player, which lives as long as its remote control.
    private let player: any AnyObject & Sendable
    private let remote: AudioSession.RemoteControl
    private let publisher: PlaybackPublisher
    private let cancel: @Sendable () -> Void

    /// Connects a player. Throws the error that prevented the session's creation.
    public convenience init(
        _ player: AudioPlayer, description: @escaping Description = PlayerRemoteControl.description
    ) throws {
        let publisher = PlaybackPublisher(player.session, description) { [weak player] in player?.nowPlaying }
        player.content.whenRepeating { [weak publisher] in publisher?.update() }
        try self.init(player, player.playback, Self.common, publisher) { [weak player] command in
            player?.perform(command)
        }
    }

    /// Connects a queue. Throws the error that prevented the session's creation.
    public convenience init(
        _ queue: AudioQueuePlayer, description: @escaping Description = PlayerRemoteControl.description
    ) throws {
        let publisher = PlaybackPublisher(queue.session, description) { [weak queue] in queue?.nowPlaying }
        let commands = Self.common.union([.nextTrack, .previousTrack, .setShuffled, .setRepeatMode])
        try self.init(queue, queue.playback, commands, publisher) { [weak queue] command in
            queue?.perform(command)
        }
    }

    private init(
        _ player: any AnyObject & Sendable, _ playback: Playback, _ commands: Set<RemoteCommand.Kind>,
        _ publisher: PlaybackPublisher,
        _ perform: @escaping AudioSession.RemoteControl.Handler
    ) throws {
        self.player = player
        self.publisher = publisher
        remote = playback.session.remoteControl
        cancel = playback.changes.add { [weak publisher] in publisher?.update() }
        try remote.setHandler(for: commands, of: publisher.owner, perform)
        publisher.update()
    }

    /// Removes the handlers, except those that were replaced, and what was published.
    deinit {
        cancel()
        publisher.end()
        remote.removeAll(of: publisher.owner)
    }

    private static let common: Set<RemoteCommand.Kind> = [
        .play, .pause, .togglePlayPause, .stop, .skip, .seek, .setRate,
    ]

    /// The title, artist and album in a sound file; without a title, the name of the file without
    /// folder and extension, or the name of another source.
    public static let description: Description = { source in
        var info = NowPlayingInfo(.stopped)
        guard let path = source.path else {
            info.title = source.name
            return info
        }
        let tags = (try? AudioFile(path: path))?.tags
        (info.title, info.artist, info.album) = (tags?.title, tags?.artist, tags?.album)
        if info.title == nil {
            let name = path.description.split(separator: "/").last ?? ""
            let end = name.lastIndex(of: ".").flatMap { $0 > name.startIndex ? $0 : nil } ?? name.endIndex
            info.title = String(name[..<end])
        }
        return info
    }
}

/// What a player and a queue have in common for a remote control.
private protocol RemotelyControlled: AnyObject {
    func play(fadeDuration: Double?) throws
    func pause(fadeDuration: Double?)
    func stop(fadeDuration: Double?)
    var isPlaying: Bool { get }
    var currentTime: Double { get set }
    var rate: Float { get set }
}

extension RemotelyControlled {
    /// Performs a command that players and queues handle alike. An error of play is a refusal of
    /// the arbiter, which `AudioSession.lastRefusal` and the arbiter's log state, or is reported by
    /// the player.
    fileprivate func performCommon(_ command: RemoteCommand) {
        switch command {
        case .play: try? play(fadeDuration: nil)
        case .pause: pause(fadeDuration: nil)
        case .togglePlayPause: isPlaying ? pause(fadeDuration: nil) : try? play(fadeDuration: nil)
        case .stop:
            stop(fadeDuration: nil)
            currentTime = 0
        case .skip(let seconds): currentTime += seconds
        case .seek(let seconds): currentTime = seconds
        case .setRate(let rate): self.rate = Float(rate)
        case .nextTrack, .previousTrack, .setShuffled, .setRepeatMode, .raise, .quit: break
        }
    }
}

extension AudioPlayer: RemotelyControlled {
    fileprivate var nowPlaying: PlayerSnapshot {
        PlayerSnapshot(
            source: source, track: "1", state: playback.publishedState, duration: duration.isFinite ? duration : nil,
            position: currentTime, speed: playback.publishedSpeed, startsIn: playback.secondsToStart)
    }

    fileprivate func perform(_ command: RemoteCommand) { performCommon(command) }
}

extension AudioQueuePlayer: RemotelyControlled {
    fileprivate var nowPlaying: PlayerSnapshot? {
        guard let item = currentItem else { return nil }
        return PlayerSnapshot(
            source: item.source, track: String(item.id), state: playback.publishedState,
            duration: duration.flatMap { $0.isFinite ? $0 : nil }, position: currentTime,
            speed: playback.publishedSpeed, isShuffled: isShuffled, repeatMode: repeatMode,
            startsIn: playback.secondsToStart)
    }

    fileprivate func perform(_ command: RemoteCommand) {
        switch command {
        case .nextTrack: next()
        case .previousTrack: previous()
        case .setShuffled(let isOn): isShuffled = isOn
        case .setRepeatMode(let mode): repeatMode = mode
        default: performCommon(command)
        }
    }
}
