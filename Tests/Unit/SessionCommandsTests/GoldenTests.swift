import Foundation
import JackDriver
import SessionArbiter
import SessionPolicy
import Testing

@testable import SessionCommands

/// The exact output for one scene.
@Suite struct GoldenTests {
    private let arbiter: PolicyArbiterClient
    private let server = ServerView(
        name: "audiosession",
        ServerFacts(description: "jackd2 1.9.21", sampleRate: 48_000, periodFrames: 1_024, outputs: 2, inputs: 0))

    init() throws { arbiter = try PolicyArbiterClient.scene() }

    private func object(_ outcome: any CommandResult) throws -> [String: Any] {
        let json = try outcome.json
        #expect(!json.contains("\n"))
        return try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    }

    @Test("What an app says about a session is shown by why, and by status with --verbose")
    func descriptions() throws {
        let session = try arbiter.add(app: 104, .playback)
        arbiter.adopted = [.init(app: AppID(104), program: "/usr/bin/MPV", by: AppID(105))]
        let state = "pid 104): adopted, playback: inactive (DUCK-7 by session 3 (maps, pid 103))"
        let description = SessionDescription(
            name: "mpv\u{1b}", evidence: "mediaPlayer", detail: "org.mpris.MediaPlayer2.mpv", entry: "mpv",
            controls: ["level", "hold", "player"])
        arbiter.descriptions = [.init(session: session, description: description)]
        func status(isVerbose: Bool) -> StatusResult {
            StatusResult(
                server: server, library: "1.9.21", report: arbiter.report, socket: "/s", now: arbiter.now,
                isVerbose: isVerbose)
        }
        let line = "session \(session.rawValue) (\"mpv\\x1b\", MPV, \(state)"
        let phrase = """
            It has the media player org.mpris.MediaPlayer2.mpv, which decides its session. The entry 'mpv' of the \
            settings applies, too. It is controlled by the level of its streams, holding its streams and its media player.
            """
        #expect(status(isVerbose: false).text.hasSuffix("\n" + line))
        #expect(status(isVerbose: true).text.hasSuffix("\n" + line + "\n  " + phrase))
        let why = try WhyResult(session, arbiter.report, arbiter.log, now: arbiter.now)
        #expect(why.text.contains("\n" + phrase + "\n"))
        let sessions = try #require(try object(status(isVerbose: false))["sessions"] as? [[String: Any]])
        let shown = try #require(sessions.last?["description"] as? [String: Any])
        #expect(Set(shown.keys) == ["name", "evidence", "detail", "entry", "controls"])
        #expect(sessions.first?["description"] == nil)
        arbiter.descriptions[0].description = SessionDescription(name: "A", controls: [])
        #expect(status(isVerbose: true).text.hasSuffix("  Nothing of it can be lowered or held."))
        arbiter.descriptions[0].description = SessionDescription(name: "mpv")
        #expect(status(isVerbose: true).text.hasSuffix("(MPV, " + state))
    }

    @Test("What an app says about itself is no fact: its name has quotation marks, and its program follows")
    func claims() throws {
        let claim = SessionDescription(
            name: "fire\"fox", evidence: "settings", detail: "firefox", controls: ["level"])
        arbiter.descriptions = [.init(session: SessionID(3), description: claim)]
        let text = StatusResult(
            server: server, library: "1.9.21", report: arbiter.report, socket: "/s", now: arbiter.now,
            isVerbose: true
        ).text
        #expect(text.contains("\nsession 3 (\"fire'fox\", maps, pid 103): playback, "), "\(text)")
        #expect(text.hasSuffix("\n  Its app says about it: settings, firefox, level."))
    }

    @Test("A program that another one acts for is shown with its name, as adopted")
    func adopted() throws {
        let session = try arbiter.add(app: 104, .playback)
        let unadopted = StatusResult(
            server: server, library: "1.9.21", report: arbiter.report, socket: "/run/test.socket", now: arbiter.now)
        #expect(unadopted.text.contains("session \(session.rawValue) (pid 104): playback: inactive"))
        arbiter.adopted = [.init(app: AppID(104), program: "/usr/bin/mpv", by: AppID(105))]
        let outcome = StatusResult(
            server: server, library: "1.9.21", report: arbiter.report, socket: "/run/test.socket", now: arbiter.now)
        #expect(outcome.text.contains("session \(session.rawValue) (mpv, pid 104): adopted, playback: inactive"))
        let sessions = try #require(try object(outcome)["sessions"] as? [[String: Any]])
        #expect(sessions.map { $0["adopted"] as? Bool } == [nil, nil, nil, true])
        #expect(sessions.last?["program"] as? String == "/usr/bin/mpv")
    }

    @Test("status, as text")
    func status() throws {
        _ = try Devices(arbiter, FakePrograms()).plug("phones", .headphones, outputs: nil, inputs: 1)
        let outcome = StatusResult(
            server: server, library: "1.9.21", report: arbiter.report, socket: "/run/test.socket", now: arbiter.now)
        #expect(
            outcome.text == """
                server          audiosession: jackd2 1.9.21, 48000 Hz, period 1024 frames (21.3 ms), 2 out, 0 in
                JACK library    1.9.21; connects to audiosession
                arbiter         running for 3 min 20 s, pid 4711, /run/test.socket, 3 programs connected, 10 decisions
                apps' servers   none reported
                devices         phones (virtual device without sound: headphones 2 out, headsetMic 1 in, used by music (pid 101), podcast (pid 102) and maps (pid 103))
                volume          1, ringing 1
                silent switch   off
                screen          unlocked
                do not disturb  off
                microphone      on
                session 1 (music, pid 101): playback: interrupted (ACT-2 by session 2 (podcast, pid 102); DUCK-7 by session 3 (maps, pid 103))
                session 2 (podcast, pid 102): playback: running, ducked by 14 dB (DUCK-1 by session 3 (maps, pid 103))
                session 3 (maps, pid 103): playback, mode voicePrompt, duckOthers, mixWithOthers: running
                """)
        #expect(outcome.exitStatus == 0)
    }

    @Test("PLAY-4: status and why show the system sounds of an app, and why they are silent")
    func systemSounds() throws {
        try arbiter.decide(.register(SessionID(9), app: AppID(101)))
        try arbiter.decide(.playSystemSounds(SessionID(9)))
        func line() throws -> String? {
            StatusResult(server: server, library: "1", report: arbiter.report, socket: "/s", now: arbiter.now).text
                .split(separator: "\n").last.map(String.init)
        }
        // music (pid 101) is interrupted by the podcast.
        let interrupted = "PLAY-4 by session 2 (podcast, pid 102)"
        #expect(
            try line()
                == "session 9 (music, pid 101): system sounds: ready, ducked by 14 dB, muted (DUCK-1 by session 3 (maps, pid 103); \(interrupted))"
        )
        try arbiter.decide(.deactivate(SessionID(3), notifyOthers: true))
        try arbiter.decide(.deactivate(SessionID(2), notifyOthers: true))
        #expect(try line() == "session 9 (music, pid 101): system sounds: ready")
        let status = StatusResult(
            server: server, library: "1", report: arbiter.report, socket: "/s", now: arbiter.now)
        let session = try #require((try object(status)["sessions"] as? [[String: Any]])?.last)
        #expect(session["systemSounds"] as? Bool == true && session["state"] as? String == "ready")
        #expect(session["active"] as? Bool == false && session["muted"] as? Bool == false)
    }

    @Test("REMOTE-1, REMOTE-2, REMOTE-3: remote shows what plays and sends commands, as text and as JSON")
    func remote() throws {
        let remote = RemoteControl(arbiter)
        #expect(try remote.show(at: arbiter.now).text == "No app receives remote commands.")
        #expect(try remote.show(at: arbiter.now).json == "{}")
        var error = #expect(throws: CommandError.self) { try remote.send(.play) }
        #expect(error?.status == .usage && error?.message.contains("Start playback in an app") == true)

        try arbiter.decide(.setRemoteCommands(SessionID(2), [.pause, .play, .skip]))
        try arbiter.decide(.setRunning(SessionID(2), false))
        try arbiter.decide(.setRunning(SessionID(2), true))
        let info = NowPlayingInfo(.playing, title: "Episode\u{1b}", artist: "Somebody", duration: 3_725.5, position: 60)
        try arbiter.decide(.setNowPlaying(SessionID(2), info))
        arbiter.clock += 12.25
        let shown = try remote.show(at: arbiter.now)
        let line = "session 2 (podcast, pid 102): playing 'Episode\\x1b' by Somebody, at 1:12 of 1:02:05"
        #expect(shown.text == line)
        let now = try #require(try object(shown)["nowPlaying"] as? [String: Any])
        #expect(now["position"] as? Double == 72.25 && now["duration"] as? Double == 3_725.5)
        #expect(now["commands"] as? [String] == ["play", "pause", "skip"] && now["state"] as? String == "playing")
        #expect(
            Set(now.keys) == [
                "session", "state", "title", "artist", "duration", "position", "rate", "commands",
            ])
        let status = StatusResult(
            server: server, library: "1.9.21", report: arbiter.report, socket: "/run/test.socket", now: arbiter.now)
        #expect(status.text.contains("now playing     \(line)\n"))

        let sent = try remote.send(.skip(by: -10.5))
        #expect(sent.text == "The now-playing app receives the command 'skip -10.5'.")
        #expect(try object(sent)["session"] as? Int == 2 && object(sent)["done"] as? String == "remote skip")
        error = #expect(throws: CommandError.self) { try remote.send(.nextTrack) }
        #expect(error?.status == .usage && error?.message.contains("It supports: play, pause, skip.") == true)
        #expect(
            LogLine(try #require(arbiter.log.last)).text(.init(steady: arbiter.now, wall: Date())).contains("REMOTE-1"))
    }

    @Test("status without an arbiter or a server")
    func emptyStatus() throws {
        let outcome = StatusResult(
            server: ServerView(name: nil, unreachable: "no JACK server is running"), library: "1.9.21", report: nil,
            socket: "/run/x.socket",
            now: arbiter.now)
        #expect(
            outcome.text == """
                server        not reachable: no JACK server is running
                JACK library  1.9.21; no server to connect to
                arbiter       not running; the first program that needs it starts it (/run/x.socket)
                """)
        let json = try outcome.json
        #expect(
            json == """
                {"arbiter":{"running":false,"socket":"/run/x.socket"},"library":"1.9.21",\
                "server":{"reachable":false,"reason":"no JACK server is running"},"sessions":[]}
                """)
    }

    @Test("status as JSON: the keys, and a session as in player's events")
    func statusJSON() throws {
        let outcome = StatusResult(
            server: server, library: "1.9.21", report: arbiter.report, socket: "/run/test.socket", now: arbiter.now)
        let object = try object(outcome)
        #expect(
            Set(object.keys) == [
                "server", "library", "arbiter", "servers", "devices", "volume", "ringVolume", "silentSwitch",
                "screenLocked", "doNotDisturb",
                "microphoneMuted", "sessions",
            ])
        let sessions = try #require(object["sessions"] as? [[String: Any]])
        let podcast = try #require(sessions.first { $0["id"] as? Int == 2 })
        #expect(podcast["category"] as? String == "playback")
        #expect(podcast["mode"] as? String == "default")
        #expect(podcast["options"] as? [String] == [])
        #expect(podcast["active"] as? Bool == true)
        #expect(podcast["state"] as? String == "running")
        #expect(podcast["ducked"] as? Bool == true)
        #expect(podcast["attenuation"] as? Double == 14)
        #expect(podcast["muted"] as? Bool == false)
        #expect(podcast["program"] as? String == "/usr/bin/podcast")
        #expect(podcast["process"] as? Int == 102)
        #expect(podcast["app"] as? String == "foreground")
        let reasons = try #require(podcast["reasons"] as? [[String: Any]])
        #expect(reasons.count == 1)
        #expect(reasons.first?["rule"] as? String == "DUCK-1")
        #expect(reasons.first?["by"] as? Int == 3)
        #expect(reasons.first?["since"] as? Double == 10)
        let arbiter = try #require(object["arbiter"] as? [String: Any])
        #expect(Set(arbiter.keys) == ["running", "socket", "process", "uptime", "decisions", "clients"])
    }

    @Test("ACT-17: status says what a silent session no longer does to others")
    func released() throws {
        let maps = SessionID(3)
        try arbiter.decide(.setPaused(maps, true))
        try arbiter.decide(.setRunning(maps, false))
        for (release, text) in [
            (IdleRelease.ducking, "silent, nobody is ducked by it"), (.all, "silent, nobody waits for it"),
        ] {
            if release == .all { try arbiter.decide(.setPaused(maps, false)) }
            try arbiter.decide(.releaseIdle(maps, release))
            let outcome = StatusResult(
                server: server, library: "1.9.21", report: arbiter.report, socket: "/run/x.socket", now: arbiter.now)
            #expect(outcome.text.hasSuffix("duckOthers, mixWithOthers: running, \(text) (ACT-17)"))
            let sessions = try object(outcome)["sessions"] as? [[String: Any]]
            #expect(sessions?.last?["released"] as? String == release.rawValue)
        }
    }

    // ACT-13
    @Test("ACT-13: why names the rule, the other session, the time, and what was refused")
    func why() throws {
        let chat = try arbiter.add(app: 101, .playAndRecord)
        try arbiter.decide(.activate(chat))
        _ = try arbiter.ask(.beginSystemSession(rank: .call, isRinging: false, isKept: true))
        arbiter.clock = 32
        #expect(throws: RequestError.self) { try arbiter.decide(.activate(chat)) }
        arbiter.clock = 75
        let outcome = try WhyResult(chat, arbiter.report, arbiter.log, now: arbiter.now)
        #expect(
            outcome.text == """
                session 4 (music, pid 101): playAndRecord: interrupted (ACT-4 by call 5).
                It has been interrupted for 45 s because of call 5, by rule ACT-4: Calls, alarms and the assistant interrupt lower \
                ranks; a lower rank never affects a higher one.
                43 s ago a request was refused (insufficientPriority, rule ACT-5): session 4 cannot activate with category playAndRecord while \
                session 5 (rank call) is active. Try again when it has ended; category playback is allowed.
                """)
        let object = try object(outcome)
        #expect(Set(object.keys) == ["session", "reasons", "refusals"])
        let refusals = try #require(object["refusals"] as? [[String: Any]])
        #expect(refusals.first?["code"] as? String == "insufficientPriority")
        #expect(refusals.first?["ago"] as? Double == 43)
    }

    @Test("why, for a session that runs at full level")
    func whyNothing() throws {
        let outcome = try WhyResult(SessionID(3), arbiter.report, arbiter.log, now: arbiter.now)
        #expect(outcome.text.hasSuffix("\nNo rule restricts it: it runs at full level."))
    }

    @Test("why, for an unknown session, lists the known ones")
    func whyUnknown() throws {
        #expect(
            throws: CommandError(
                .noInput,
                "Session 9 does not exist. Sessions: 1, 2 and 3; `audiosession status` describes them.")
        ) {
            try WhyResult(SessionID(9), arbiter.report, arbiter.log, now: arbiter.now)
        }
    }

    @Test("log: number, time, request, rule and result")
    func log() throws {
        _ = try? arbiter.ask(.submit(.setVolume(2)))
        let zone = try #require(TimeZone(secondsFromGMT: 0))
        let clock = LogLine.Clock(steady: arbiter.now, wall: Date(timeIntervalSince1970: 3_600.5), zone: zone)
        let lines = arbiter.log.map { LogLine($0).text(clock) }
        #expect(
            lines == [
                "1  00:59:30.500  session 1: register for pid 101 → done",
                "2  00:59:30.500  session 1: set category playback → done",
                "3  00:59:30.500  session 1: activate → session 1 activated (ACT-1), session 1 route changed, reason categoryChange (CAT-3)",
                "4  00:59:40.500  session 2: register for pid 102 → done",
                "5  00:59:40.500  session 2: set category playback → done",
                "6  00:59:40.500  session 2: activate → session 1 interrupted (ACT-2 by 2), session 2 activated (ACT-1), session 2 route changed, reason categoryChange (CAT-3)",
                "7  00:59:50.500  session 3: register for pid 103 → done",
                "8  00:59:50.500  session 3: set category playback, mode voicePrompt, duckOthers → done",
                "9  00:59:50.500  session 3: activate → session 3 activated (ACT-1), session 3 route changed, reason categoryChange (CAT-3)",
                lines.last ?? "",
            ])
        #expect(lines.last?.hasPrefix("10  01:00:00.500  set the volume to 2 → refused (badParam): ") == true)
        let json = try LogLine(arbiter.log[5]).json()
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(Set(object.keys) == ["number", "time", "action", "session", "effects"])
    }

    @Test("The titles of rules are those of the list of rules")
    func titles() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let list = try String(contentsOf: root.appending(path: "Documentation/rules.txt"), encoding: .utf8)
        for rule in Rule.allCases where rule != .categoryTable {
            let line = list.split(separator: "\n").first { $0.hasPrefix(rule.rawValue + " ") }
            #expect(line?.hasSuffix("  " + rule.title) == true, "\(rule.rawValue): \(rule.title)")
        }
    }
}
