import SessionPolicy
import Testing

/// Remote control: which session receives commands, and what it publishes (REMOTE-1…3).
@Suite struct RemoteControlTests {
    private static let commands: Set<RemoteCommand.Kind> = [.play, .pause, .seek]

    /// Adds a session that handles commands.
    private func add(
        _ id: UInt64, _ options: CategoryOptions = [], commands: Set<RemoteCommand.Kind> = Self.commands,
        to scene: inout Scene
    ) throws {
        try scene.add(id, .playback, .default, options)
        try scene.do(.setRemoteCommands(SessionID(id), commands))
    }

    /// Sends a command; returns the session that receives it, and as which command.
    private func send(_ command: RemoteCommand, _ scene: inout Scene) throws -> (id: UInt64, command: RemoteCommand)? {
        try scene.do(.remoteCommand(command))
        let received = scene.notified.compactMap { effect in
            if case .remoteCommand(let command) = effect.kind { (effect.session.rawValue, command) } else { nil }
        }
        #expect(received.count == 1 && scene.notified.allSatisfy { $0.rule == .remote1 })
        return received.first
    }

    private func refusal(_ command: RemoteCommand, _ scene: inout Scene) -> Refusal? {
        do throws(Refusal) { try scene.do(.remoteCommand(command)) } catch { return error }
        return nil
    }

    @Test("REMOTE-1: every command arrives with its value")
    func everyCommand() throws {
        var scene = Scene()
        try add(1, commands: Set(RemoteCommand.Kind.allCases), to: &scene)
        try scene.play(1)
        for command in JSONSamples.commands { #expect(try send(command, &scene)?.command == command) }
    }

    @Test("REMOTE-1: a command that the app has not registered is refused, and names those that it has")
    func unsupported() throws {
        var scene = Scene()
        try add(1, to: &scene)
        try scene.play(1)
        let refusal = try #require(refusal(.nextTrack, &scene))
        #expect(refusal.code == .badParam && refusal.rule == .remote1 && refusal.by == SessionID(1))
        #expect(refusal.message.contains("nextTrack") && refusal.message.contains("play, pause, seek"))
        #expect(try send(.pause, &scene)?.id == 1, "the others still arrive")
    }

    @Test("REMOTE-1: pause never toggles, and toggle becomes play or pause for an app that handles these")
    func toggle() throws {
        var scene = Scene()
        try add(1, to: &scene)
        try scene.play(1)
        #expect(try send(.togglePlayPause, &scene)?.command == .pause)
        try scene.do(.setRunning(SessionID(1), false))
        #expect(try send(.pause, &scene)?.command == .pause, "also of a paused app")
        #expect(try send(.togglePlayPause, &scene)?.command == .play)
        // What the app states is newer than what its sound says: a pause fades out.
        try scene.do(.setNowPlaying(SessionID(1), NowPlayingInfo(.playing)))
        #expect(try send(.togglePlayPause, &scene)?.command == .pause)
        try scene.do(.setRemoteCommands(SessionID(1), [.togglePlayPause]))
        #expect(try send(.togglePlayPause, &scene)?.command == .togglePlayPause)
        try scene.do(.setRemoteCommands(SessionID(1), [.play]))
        #expect(refusal(.togglePlayPause, &scene)?.rule == .remote1)
    }

    @Test(
        "REMOTE-1: values out of range are refused",
        arguments: [
            RemoteCommand.seek(to: -1), .seek(to: 1e10), .skip(by: -1e10), .setRate(0), .setRate(1_000),
            .seek(to: .nan),
        ])
    func values(command: RemoteCommand) throws {
        var scene = Scene()
        try add(1, commands: Set(RemoteCommand.Kind.allCases), to: &scene)
        try scene.play(1)
        let refusal = try #require(refusal(command, &scene))
        #expect(refusal.code == .badParam && refusal.rule == .remote1)
    }

    @Test("REMOTE-2: the session that started to play last receives commands, and after its end the one before")
    func latest() throws {
        var scene = Scene()
        for id in 1...3 { try add(UInt64(id), to: &scene) }
        #expect(refusal(.play, &scene)?.rule == .remote2, "nobody has played")
        for id in [2, 1, 3] as [UInt64] {
            try scene.play(id)
            #expect(try send(.pause, &scene)?.id == id)
        }
        try scene.do(.setRunning(SessionID(3), false))
        try scene.deactivate(3)
        #expect(try send(.play, &scene)?.id == 3, "an app that stopped can be started again")
        try scene.do(.appDied(AppID(3)))
        #expect(try send(.play, &scene)?.id == 1)
        try scene.do(.unregister(SessionID(1)))
        #expect(try send(.play, &scene)?.id == 2)
        try scene.do(.setRemoteCommands(SessionID(2), []))
        #expect(refusal(.play, &scene)?.rule == .remote2)
    }

    @Test("REMOTE-2: it has to play, not only to be active; and it may register afterwards")
    func played() throws {
        var scene = Scene()
        try add(1, to: &scene)
        try scene.add(2, .playback)
        try scene.play(1)
        try scene.activate(2)
        #expect(try send(.pause, &scene)?.id == 1)
        try scene.do(.setRunning(SessionID(2), true))
        #expect(try send(.pause, &scene)?.id == 1, "session 2 handles nothing")
        try scene.do(.setRemoteCommands(SessionID(2), [.pause]))
        #expect(try send(.pause, &scene)?.id == 2)
    }

    @Test("REMOTE-2: an active session that is silent does not take the commands; one that ceases to mix does")
    func beginnings() throws {
        var scene = Scene()
        for id in [1, 2] as [UInt64] { try add(id, to: &scene) }
        try add(3, .mixWithOthers, to: &scene)
        try scene.play(3)
        try scene.play(1)
        try scene.activate(2)
        #expect(try send(.pause, &scene)?.id == 1, "session 2 is active and has not played")
        // Session 3 has played for longer, and plays without mixing only from now on.
        try scene.configure(3, .playback)
        #expect(try send(.pause, &scene)?.id == 3)
    }

    @Test("REMOTE-2: a session that mixes with others, and one of the system, never receives commands")
    func mixable() throws {
        var scene = Scene()
        try add(1, to: &scene)
        try add(2, .mixWithOthers, to: &scene)
        try add(3, .duckOthers, to: &scene)
        try scene.play(1)
        try scene.play(2)
        try scene.play(3)
        #expect(try send(.pause, &scene)?.id == 1)
        try scene.begin(10, .call)
        try scene.do(.setRemoteCommands(SessionID(10), Self.commands))
        try scene.do(.setRunning(SessionID(10), true))
        #expect(try send(.pause, &scene)?.id == 1)
        try scene.end(10)
        try scene.configure(1, .playback, .default, .mixWithOthers)
        #expect(refusal(.pause, &scene)?.rule == .remote2)
    }

    @Test("REMOTE-2, INT-1: an interrupted app stays the now-playing one")
    func interrupted() throws {
        var scene = Scene()
        try add(1, to: &scene)
        try scene.play(1)
        try scene.begin(10, .call)
        #expect(try send(.pause, &scene)?.id == 1)
    }

    @Test("ACT-16, REMOTE-1: after play, a session in the background may activate; after pause, it may not")
    func background() throws {
        var scene = Scene()
        try add(1, to: &scene)
        try scene.play(1)
        try scene.do(.setApplicationState(AppID(1), .background))
        #expect(try !scene.isActive(1))
        _ = try send(.pause, &scene)
        #expect(throws: Refusal.self) { try scene.activate(1) }
        _ = try send(.play, &scene)
        try scene.activate(1)
    }

    @Test("REMOTE-3: the position is the one that the app stated, advanced at its rate, and at most the duration")
    func position() throws {
        var scene = Scene()
        try add(1, to: &scene)
        try scene.play(1)
        #expect(scene.state[SessionID(1)]?.published.info == NowPlayingInfo(.playing), "an app that states nothing")
        let info = NowPlayingInfo(.playing, title: "A", duration: 20, position: 5, rate: 2)
        try scene.do(.setNowPlaying(SessionID(1), info))
        let published = try #require(scene.state[SessionID(1)]?.published)
        #expect(published.info == info)
        #expect(published.position(at: published.time) == 5)
        #expect(published.position(at: published.time + 3_000_000_000) == 11)
        #expect(published.position(at: published.time + 60_000_000_000) == 20)
        #expect(published.position(at: 0) == 5, "a clock before it")
        try scene.do(.setNowPlaying(SessionID(1), nil))
        #expect(scene.state[SessionID(1)]?.nowPlaying == nil)
    }

    @Test("REMOTE-3, INT-1: while the session is interrupted, its position stands still, whatever its app states")
    func standsStill() throws {
        var scene = Scene()
        try add(1, to: &scene)
        try scene.play(1)
        try scene.do(.setNowPlaying(SessionID(1), NowPlayingInfo(.playing, position: 5, rate: 1)))
        let stated = try #require(scene.state[SessionID(1)]?.nowPlaying?.time)
        try scene.begin(10, .call)
        var published = try #require(scene.state[SessionID(1)]?.published)
        #expect(published.info.playbackState == .paused)
        #expect(published.time == stated + 1, "the call began one action later")
        #expect(published.position(at: .max) == 5 + 1e-9)
        try scene.end(10)
        try scene.activate(1)
        published = try #require(scene.state[SessionID(1)]?.published)
        #expect(published.info.playbackState == .playing && published.time == stated + 3)
        #expect(published.position(at: published.time + 1_000_000_000) == 6 + 1e-9, "without the interruption")
    }

    @Test(
        "REMOTE-3: information out of range is refused and changes nothing",
        arguments: [
            NowPlayingInfo(.playing, title: String(repeating: "a", count: 1_025)),
            NowPlayingInfo(.playing, artworkURL: "javascript:alert(1)"), NowPlayingInfo(.playing, duration: -1),
            NowPlayingInfo(.playing, position: .nan), NowPlayingInfo(.playing, position: -0.5),
            NowPlayingInfo(.playing, rate: 0), NowPlayingInfo(.playing, duration: .infinity),
        ])
    func invalid(info: NowPlayingInfo) throws {
        var scene = Scene()
        try add(1, to: &scene)
        let valid = NowPlayingInfo(.paused, title: String(repeating: "a", count: 1_024), artworkURL: "FILE:///a")
        try scene.do(.setNowPlaying(SessionID(1), valid))
        #expect(throws: Refusal.self) { try scene.do(.setNowPlaying(SessionID(1), info)) }
        #expect(scene.state[SessionID(1)]?.nowPlaying?.info == valid)
    }

    @Test("SRV-3, REMOTE-2: the next arbiter knows the commands, the information and who played last")
    func rebuilt() throws {
        var scene = Scene()
        for id in [1, 2] as [UInt64] {
            try add(id, to: &scene)
            try scene.do(.setNowPlaying(SessionID(id), NowPlayingInfo(.playing, title: "\(id)")))
        }
        try scene.play(2)
        try scene.play(1)
        let records = scene.state.sessions.enumerated().map { number, session in
            SessionRecord(session: session, grantNumber: UInt64(number) + 1, app: scene.state.app(session.app))
        }
        let rebuilt = scene.policy.rebuild(SystemRecord(), records, at: EventTime(nanoseconds: 1_000)).state
        #expect(rebuilt.nowPlaying?.id == SessionID(1))
        #expect(rebuilt.nowPlaying?.remoteCommands == Self.commands)
        #expect(rebuilt.nowPlaying?.nowPlaying?.info.title == "1")
        // Untrusted clients send records.
        var hostile = records
        for index in hostile.indices {
            hostile[index].session.lastPlayed = EventTime(nanoseconds: .max)
            hostile[index].session.nowPlaying = NowPlayingRecord(
                info: NowPlayingInfo(.playing, title: String(repeating: "a", count: 10_000)), time: .max)
        }
        let sane = scene.policy.rebuild(SystemRecord(), hostile, at: EventTime(nanoseconds: 1_000)).state
        #expect(sane.sessions.allSatisfy { $0.nowPlaying == nil && $0.lastPlayed == EventTime(nanoseconds: 1_000) })
    }
}
