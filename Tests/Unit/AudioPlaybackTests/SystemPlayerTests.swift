@testable import AudioPlayback
import AudioRendering
import AudioSessions
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// Movie and music players: the sessions that they play in, and what these do to others (PLAY-3).
@Suite(.timeLimit(.minutes(2))) struct SystemPlayerTests {
    /// The app under test, with its own session, and the user's Music app.
    private let app: StereoFixture
    private let music: AudioSession
    private let musicPlayer: AudioPlayer
    private let appPlayer: AudioPlayer
    private static let frames = 9_600

    /// The levels by which the sounds are recognized.
    private static let levels = (movie: Float(0.25), app: Float(0.03125), music: Float(0.0078125))

    init() throws {
        app = try StereoFixture()
        music = try AudioSession(host: AudioSessionHost(app: 7, sharing: app.host))
        try music.setCategory(.playback)
        musicPlayer = try AudioPlayer(Self.constant(Self.levels.music, app, "music.wav"), session: music)
        appPlayer = try AudioPlayer(Self.constant(Self.levels.app, app, "app.wav"), session: app.session)
        musicPlayer.numberOfLoops = -1
        appPlayer.numberOfLoops = -1
    }

    private static func constant(_ level: Float, _ fixture: StereoFixture, _ name: String) throws -> PlaybackSource {
        let plane = [Float](repeating: level, count: frames)
        return try fixture.file(name, [plane, plane])
    }

    private func movie(sharing: Bool) throws -> MoviePlayer {
        try MoviePlayer(
            Self.constant(Self.levels.movie, app, "movie.wav"), session: app.session, usesApplicationSession: sharing)
    }

    /// What is heard after all fades.
    private func heard() throws -> Set<String> {
        _ = try app.render(1_024)
        var level = try #require(try app.render(256).first?.last)
        var sounds: Set<String> = []
        for (name, part) in [("movie", Self.levels.movie), ("app", Self.levels.app), ("music", Self.levels.music)]
        where level >= part * 0.99 {
            sounds.insert(name)
            level -= part
        }
        #expect(abs(level) < 1e-4, "and nothing else")
        return sounds
    }

    // MARK: Table 6-1 of the guide

    @Test("PLAY-3, row 1: a movie with its own session silences all other audio, and lets it resume afterwards")
    func silencesAll() throws {
        try musicPlayer.play()
        #expect(try heard() == ["music"])
        let movie = try movie(sharing: false)
        #expect(!movie.usesApplicationSession && movie.session !== app.session)
        try movie.play()
        #expect(try heard() == ["movie"])
        #expect(movie.session.category == .playback && movie.session.mode == .moviePlayback)
        _ = try app.render(Self.frames)
        settle(movie)
        #expect(try heard() == ["music"], "the movie has ended and left with notice")
        #expect(!movie.session.isActive)
    }

    @Test("PLAY-3, row 1: it silences the app's own primary sound too, and a mixable one mixes with it")
    func silencesOwn() throws {
        for options: AudioSession.CategoryOptions in [[], .mixWithOthers] {
            try app.session.setCategory(.playback, options: options)
            try appPlayer.play()
            let movie = try movie(sharing: false)
            try movie.play()
            #expect(try heard() == (options.isEmpty ? ["movie"] : ["movie", "app"]))
            movie.stop()
            settle(movie)
            #expect(try heard() == ["app"], "resumed, or never interrupted")
            appPlayer.stop()
            try app.session.setActive(false)
        }
    }

    @Test("PLAY-3, row 2: in a session that does not mix, movie and app mix, and other audio is silenced")
    func mixesWithApp() throws {
        try musicPlayer.play()
        try app.session.setCategory(.soloAmbient)
        try appPlayer.play()
        let movie = try movie(sharing: true)
        #expect(movie.usesApplicationSession && movie.session === app.session)
        try movie.play()
        #expect(try heard() == ["movie", "app"])
        _ = try app.render(Self.frames)
        #expect(try heard() == ["app"], "the session stays the app's: the end of the movie changes nothing")
        #expect(app.session.isActive)
    }

    @Test("PLAY-3, row 3: in a session that mixes, all audio mixes")
    func mixesWithAll() throws {
        try musicPlayer.play()
        try app.session.setCategory(.ambient)
        try appPlayer.play()
        try movie(sharing: true).play()
        #expect(try heard() == ["music", "app"], "a movie that is released ends")
        let movie = try movie(sharing: true)
        try movie.play()
        #expect(try heard() == ["movie", "music", "app"])
        try app.host.setSilentSwitch(true)
        #expect(try heard() == ["music"], "a shared session obeys the silent switch as its category says")
    }

    /// Waits until a session of the player's own has left.
    private func settle(_ movie: MoviePlayer) {
        app.host.settle()
        movie.own?.drain()
        app.host.settle()
    }

    // MARK: The movie player

    @Test("PLAY-3: a movie is released: its own session is gone, and others are notified")
    func released() throws {
        try musicPlayer.play()
        var movie: MoviePlayer? = try movie(sharing: false)
        try movie?.play()
        #expect(try heard() == ["movie"])
        movie = nil
        app.host.settle()
        #expect(try heard() == ["music"])
    }

    @Test("PLAY-3: a movie is released while the app still holds its session: that leaves all the same")
    func releasedBeforeSession() throws {
        try musicPlayer.play()
        var movie: MoviePlayer? = try movie(sharing: false)
        try movie?.play()
        let (session, own) = (movie?.session, movie?.own)
        movie = nil
        own?.drain()
        #expect(try heard() == ["music"] && session?.isActive == false)
    }

    @Test("PLAY-3: a start that fails after it has silenced others lets them resume")
    func failedStart() throws {
        try musicPlayer.play()
        let opened = EventLog<Int>()
        let path = app.directory.file("music.wav")
        // The third one is the start itself, after the activation.
        let source = PlaybackSource(name: "fragile") {
            opened.note(1)
            guard opened.noted.count < 3 else { throw AudioFileError.notFound(path: "gone") }
            return try AudioFile(path: path)
        }
        let movie = try MoviePlayer(source, session: app.session, usesApplicationSession: false)
        #expect(throws: AudioFileError.notFound(path: "gone")) { try movie.play() }
        settle(movie)
        #expect(try heard() == ["music"] && !movie.session.isActive)
    }

    @Test("PLAY-3: a paused movie keeps its session; played again after its end, it interrupts again")
    func pausedAndAgain() throws {
        try musicPlayer.play()
        let movie = try movie(sharing: false)
        try movie.play()
        _ = try app.render(1_024)
        movie.pause()
        settle(movie)
        #expect(try heard().isEmpty && movie.session.isActive && movie.isPaused)
        try movie.play()
        #expect(try heard() == ["movie"])
        _ = try app.render(Self.frames)
        settle(movie)
        #expect(try heard() == ["music"])
        try movie.play()
        #expect(try heard() == ["movie"])
    }

    @Test("PLAY-3, INT-9: a call pauses the movie, and it resumes at the next frame")
    func interrupted() throws {
        let movie = try movie(sharing: false)
        try movie.play()
        _ = try app.render(1_024)
        try app.host.ring()
        _ = try app.render(1_024)
        #expect(movie.isPaused && !movie.isPlaying)
        let time = movie.currentTime
        try app.host.declineCall()
        app.host.settle()
        #expect(movie.isPlaying && movie.currentTime == time)
    }

    @Test("The picture's time lags behind the position by the latency of the output, at the movie's tempo")
    func audibleTime() throws {
        let movie = try movie(sharing: true)
        try movie.play()
        _ = try app.render(2_048)
        let latency = app.session.outputLatency
        #expect(abs(movie.audibleTime - max(0, movie.currentTime - latency)) < 1e-9)
        movie.pause()
        _ = try app.render(1_024)
        #expect(movie.audibleTime == movie.currentTime)
        movie.currentTime = 0.1
        try movie.play()
        #expect(movie.audibleTime == 0.1, "not before the position that was sought")
        let time = movie.currentTime
        try app.host.ring()
        _ = try app.render(1_024)
        try app.host.declineCall()
        app.host.settle()
        #expect(movie.isPlaying && movie.audibleTime >= time, "nor before the one at which it resumed")
    }

    @Test("A movie that cannot be opened is refused, and leaves no session behind")
    func missing() throws {
        let before = app.host.arbiter.decisions.count
        #expect(throws: AudioFileError.notFound(path: "/none.wav")) {
            try MoviePlayer(.file("/none.wav"), session: app.session)
        }
        #expect(app.host.arbiter.decisions.count == before)
    }

    // MARK: The music player

    @Test("PLAY-3: a music player has a session of its own, which the app's session does not influence")
    func ownMusic() throws {
        let player = try MusicPlayer(host: app.host)
        player.setItems([try Self.constant(Self.levels.movie, app, "song.wav")])
        player.repeatMode = .all
        try app.session.setCategory(.ambient)
        try appPlayer.play()
        try player.play()
        #expect(try heard() == ["movie", "app"], "a mixable app and the music mix")
        try app.session.setActive(false)
        #expect(try heard() == ["movie"])
        try app.session.setCategory(.soloAmbient)
        try app.session.setActive(true)
        #expect(try heard().isEmpty && player.isPaused, "a session that does not mix interrupts the music")
        try app.session.setActive(false, options: .notifyOthersOnDeactivation)
        #expect(try heard() == ["movie"])
    }

    @Test("PLAY-3: a handler may play another item when one has failed")
    func playedByHandler() throws {
        let player = try MusicPlayer(host: app.host)
        let items = player.setItems([.file("/gone.wav"), try Self.constant(Self.levels.movie, app, "song.wav")])
        player.onEvent { [weak player] event in
            if case .itemEnded(_, .failed) = event { try? player?.play(items[1]) }
        }
        try player.play(items[1])
        _ = try app.render(256)
        try? player.play(items[0])
        #expect(try heard() == ["movie"] && player.currentItem == items[1])
        player.remove(items[0])
        player.append(items[1].source, gain: 0.5)
        #expect(player.items.map(\.gain) == [1, 0.5])
    }

    @Test("PLAY-3, DUCK-1: an app that ducks others lowers the music")
    func ducked() throws {
        let player = try MusicPlayer(host: app.host)
        player.setItems([try Self.constant(Self.levels.movie, app, "song.wav")])
        player.repeatMode = .all
        try player.play()
        try app.session.setCategory(.playback, options: .duckOthers)
        try app.session.setActive(true)
        _ = try app.render(48_000)
        let level = try #require(try app.render(256).first?.last)
        #expect(abs(Signal.decibels(level / Self.levels.movie) + 14) < 0.1)
    }

    @Test("PLAY-3, REMOTE-1: media keys drive the music player; its end notifies those that it interrupted")
    func remote() throws {
        try musicPlayer.play()
        let player = try MusicPlayer(host: app.host)
        let items = player.setItems([
            try Self.constant(Self.levels.movie, app, "one.wav"), try Self.constant(Self.levels.movie, app, "two.wav"),
        ])
        try player.play()
        #expect(try heard() == ["movie"])
        try app.host.sendRemoteCommand(.pause)
        app.host.settle()
        #expect(player.isPaused)
        try app.host.sendRemoteCommand(.stop)
        app.host.settle()
        player.own.drain()
        #expect(try heard() == ["music"], "stop leaves, as the method does")
        try player.play(items[0])
        #expect(try heard() == ["movie"])
        try app.host.sendRemoteCommand(.nextTrack)
        app.host.settle()
        #expect(player.isPlaying && player.currentItem == items[1])
        _ = try app.render(2 * Self.frames)
        app.host.settle()
        player.own.drain()
        app.host.settle()
        #expect(try heard() == ["music"] && !player.isPlaying)
    }
}
