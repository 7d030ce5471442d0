public import AudioSessions
internal import Platform

/// Plays the sound of a movie (PLAY-3). The app shows the pictures, at `audibleTime`.
///
/// By default the movie plays in the app's session: its sound is the app's own, mixes with the
/// app's other sound, and affects other apps as that session's category says. With
/// `usesApplicationSession` false, it has a session of its own, in category playback, which is
/// arbitrated like any other: while the movie plays, it interrupts other primary sessions, the
/// app's included. It is deactivated, with notice to those sessions, when the movie has ended, is
/// stopped or released.
///
/// Every method is safe from any thread.
public final class MoviePlayer: Sendable {
    public typealias Event = AudioPlayer.Event

    /// Whether the movie plays in the app's session.
    public var usesApplicationSession: Bool { own == nil }
    /// The session that the movie plays in.
    public var session: AudioSession { player.session }
    /// The length in seconds; infinite if the source does not declare it.
    public var duration: Double { player.duration }

    let own: PlayerSession?
    private let player: AudioPlayer
    /// The position at which playback last started, resumed or sought.
    private let heardFrom = Mutex(0.0)

    /// Opens a movie's sound, without activating a session or playing anything. `session` is the
    /// app's; with `usesApplicationSession` false it only determines the host.
    ///
    /// Throws `AudioFileError` if the source cannot be played, or the error that prevented the
    /// creation of the session.
    public init(
        _ source: PlaybackSource, session: AudioSession = .shared, usesApplicationSession: Bool = true
    ) throws {
        own = usesApplicationSession ? nil : try PlayerSession(on: session.host, mode: .moviePlayback)
        player = try AudioPlayer(source, session: own?.session ?? session)
        own?.follow(player.playback)
        _ = player.playback.willStart.add { [weak player, heardFrom] in
            if let player { heardFrom.withLock { $0 = player.currentTime } }
        }
    }

    /// Ends playback. A session of its own leaves with notice.
    deinit {
        player.stop()
        own?.playbackChanged(nil)
    }

    /// Starts or resumes playback; activates the session first if necessary. Throws as
    /// `AudioPlayer.play` does.
    public func play() throws { try player.play() }

    /// Pauses playback. The session stays active: the user is still watching.
    public func pause() { player.pause() }

    /// Stops playback and keeps the position. A session of its own leaves with notice.
    public func stop() { player.stop() }

    /// Whether the movie is playing.
    public var isPlaying: Bool { player.isPlaying }
    /// Whether it is paused part-way, by `pause()` or an interruption.
    public var isPaused: Bool { player.isPaused }

    /// The position in seconds; set it to seek.
    public var currentTime: Double {
        get { player.currentTime }
        set {
            player.currentTime = newValue
            heardFrom.withLock { $0 = player.currentTime }
        }
    }

    /// The position that is heard now, in seconds, for the choice of the picture to show:
    /// `currentTime` less the latency of the output, but not before the position at which playback
    /// last started, resumed or sought. Advances once in each period of the server.
    public var audibleTime: Double {
        let time = currentTime
        let latency = isPlaying ? session.outputLatency * Double(player.rate) : 0
        return max(min(time, heardFrom.withLock { $0 }), time - latency)
    }

    /// The tempo, 1/4 to 4, without a change of pitch.
    public var rate: Float {
        get { player.rate }
        set { player.rate = newValue }
    }

    /// The volume: a linear gain, 0 or more.
    public var volume: Float {
        get { player.volume }
        set { player.volume = newValue }
    }

    /// What the player does when an interruption ends.
    public var resumePolicy: PlaybackResumePolicy {
        get { player.resumePolicy }
        set { player.resumePolicy = newValue }
    }

    /// The events from now on, until the player is released.
    public var events: AsyncStream<Event> { player.events }
}
