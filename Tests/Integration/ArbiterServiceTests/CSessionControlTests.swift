import ArbiterTesting
import CAudioSession
import CSessionGate
import Foundation
import SessionArbiter
import SessionPolicy
import Testing

@Suite("Remote control, explanations and keys of sessions in C", .serialized)
struct CSessionControlTests {
    private static let allCommands: UInt32 = 0x1FFF

    private func play(_ stage: ServiceFixture, options: UInt32 = 0) throws -> CSession {
        let session = try CSession(stage.folder.socket)
        try session.ask { asession_set_category($0, ASESSION_PLAYBACK, ASESSION_MODE_DEFAULT, options, $1) }
        try session.ask { asession_activate($0, $1) }
        try session.ask { asession_set_playing($0, true, $1) }
        return session
    }

    // MARK: Remote control

    @Test("REMOTE-1: each command arrives with its value; one that the session does not handle is refused")
    func commands() throws {
        let stage = try ServiceFixture(trusted: true)
        let session = try play(stage)
        var error = asession_error_t()
        #expect(asession_set_remote_commands(session.session, 0x2000, &error) == ASESSION_BAD_ARGUMENT)
        try session.ask { asession_set_remote_commands($0, Self.allCommands, $1) }
        let expected: [(RemoteCommand, asession_command_t, Double, Bool)] = [
            (.play, ASESSION_COMMAND_PLAY, 0, false), (.pause, ASESSION_COMMAND_PAUSE, 0, false),
            (.togglePlayPause, ASESSION_COMMAND_TOGGLE_PLAY_PAUSE, 0, false), (.stop, ASESSION_COMMAND_STOP, 0, false),
            (.nextTrack, ASESSION_COMMAND_NEXT_TRACK, 0, false),
            (.previousTrack, ASESSION_COMMAND_PREVIOUS_TRACK, 0, false),
            (.skip(by: -15), ASESSION_COMMAND_SKIP, -15, false), (.seek(to: 61.5), ASESSION_COMMAND_SEEK, 61.5, false),
            (.setRate(1.5), ASESSION_COMMAND_SET_RATE, 1.5, false),
            (.setShuffled(true), ASESSION_COMMAND_SET_SHUFFLED, 0, true),
            (.setShuffled(false), ASESSION_COMMAND_SET_SHUFFLED, 0, false),
            (.setRepeatMode(.off), ASESSION_COMMAND_SET_REPEAT_MODE, Double(ASESSION_REPEAT_OFF.rawValue), false),
            (.setRepeatMode(.one), ASESSION_COMMAND_SET_REPEAT_MODE, Double(ASESSION_REPEAT_ONE.rawValue), false),
            (.setRepeatMode(.all), ASESSION_COMMAND_SET_REPEAT_MODE, Double(ASESSION_REPEAT_ALL.rawValue), false),
            (.raise, ASESSION_COMMAND_RAISE, 0, false), (.quit, ASESSION_COMMAND_QUIT, 0, false),
        ]
        for (command, kind, value, flag) in expected {
            try stage.witness.ask(.remoteCommand(command))
            let event = try session.awaits(ASESSION_EVENT_REMOTE_COMMAND)
            #expect(event.command == kind && event.value == value && event.flag == flag, "\(command): \(event)")
        }
        try session.ask { asession_set_remote_commands($0, 1 << ASESSION_COMMAND_PLAY.rawValue, $1) }
        #expect(throws: (any Error).self) { try stage.witness.ask(.remoteCommand(.nextTrack)) }
    }

    @Test("REMOTE-3: what plays is published, with what the session handles; NULL takes it back")
    func nowPlaying() throws {
        let stage = try ServiceFixture()
        let session = try play(stage)
        func published() throws -> NowPlayingInfo? { try stage.state(of: session.id)?.nowPlaying?.info }
        try "A title".withCString { title in
            var playing = asession_now_playing_t()
            playing.playback_state = ASESSION_PLAYBACK_PLAYING
            (playing.title, playing.duration, playing.position) = (title, 200.5, 12.5)
            (playing.is_shuffled, playing.repeat_mode) = (true, ASESSION_REPEAT_ONE)
            try session.ask { asession_set_now_playing($0, &playing, $1) }
            #expect(
                try published() == NowPlayingInfo(.playing, title: "A title", duration: 200.5, position: 12.5, rate: 1))
            try session.ask { asession_set_remote_commands($0, Self.allCommands, $1) }
            playing.playback_state = ASESSION_PLAYBACK_PAUSED
            playing.rate = 2
            try session.ask { asession_set_now_playing($0, &playing, $1) }
            #expect(
                try published()
                    == NowPlayingInfo(
                        .paused, title: "A title", duration: 200.5, position: 12.5, rate: 2, isShuffled: true,
                        repeatMode: .one))
            var error = asession_error_t()
            for wrong in [-1, Double.nan, .infinity] {
                playing.position = wrong
                #expect(asession_set_now_playing(session.session, &playing, &error) == ASESSION_BAD_ARGUMENT)
            }
            #expect(asession_set_now_playing(nil, &playing, &error) == ASESSION_BAD_ARGUMENT)
        }
        try session.ask { asession_set_now_playing($0, nil, $1) }
        #expect(try published() == nil)
        try session.ask { asession_user_paused($0, $1) }
    }

    @Test("REMOTE-3: a text that is not UTF-8 is an error, and the session goes on")
    func invalidText() throws {
        let stage = try ServiceFixture()
        let session = try play(stage)
        var playing = asession_now_playing_t()
        var error = asession_error_t()
        try [CChar(bitPattern: 0xFF), 0].withUnsafeBufferPointer { bytes in
            playing.title = bytes.baseAddress
            #expect(asession_set_now_playing(session.session, &playing, &error) == ASESSION_BAD_ARGUMENT)
            #expect(error.text.contains("UTF-8"), "\(error.text)")
            #expect(asession_prefer_input(session.session, bytes.baseAddress, &error) == ASESSION_BAD_ARGUMENT)
            playing.title = nil
            try session.ask { asession_set_now_playing($0, &playing, $1) }
        }
        #expect(session.state.is_connected)
    }

    // MARK: Explanations and requests

    @Test("ACT-13: why a session is silent is said in words, with the cause and its rule")
    func why() throws {
        let stage = try ServiceFixture(trusted: true)
        let session = try play(stage, options: UInt32(ASESSION_MIX_WITH_OTHERS))
        #expect(
            try session.text { asession_why($0, $1) }
                == """
                Session \(session.id.rawValue) is active, with category playback and mode default. No rule restricts \
                it: it runs at full level.
                """)
        let prompt = try play(stage, options: UInt32(ASESSION_DUCK_OTHERS))
        let ducked = try session.text { asession_why($0, $1) }
        #expect(ducked.contains("is active, with category playback and mode default. It has been lowered for "))
        #expect(ducked.contains(" because of session \(prompt.id.rawValue) (") && ducked.contains("by rule DUCK-1."))
        let call = try #require(
            try stage.witness.ask(.beginSystemSession(rank: .call, isRinging: false, isKept: false)).session)
        let interrupted = try session.text { asession_why($0, $1) }
        #expect(
            interrupted.contains("is interrupted, ")
                && interrupted.contains("because of call \(call.rawValue), by rule ACT-4."))
        var error = asession_error_t()
        #expect(asession_why(nil, &error) == nil && error.status == ASESSION_NO_ARBITER)
    }

    @Test("All of the protocol is reached by requests as text, also long replies; those of the connection are refused")
    func requests() throws {
        let stage = try ServiceFixture(trusted: true)
        let session = try play(stage)
        let id = session.id.rawValue
        _ = try session.text { asession_request($0, #"{"action": "setVolume", "value": 0.5}"#, $1) }
        #expect(try session.awaits(ASESSION_EVENT_VOLUME_CHANGED).value == 0.5)
        let log = try session.text { asession_request($0, #"{"request": "log", "after": 0}"#, $1) }
        #expect(log.contains(#""action":"activate""#) && log.contains(#""session":\#(id)"#))
        // The numbers of the session and the program are filled in, and those of others are not.
        _ = try session.text { asession_request($0, #"{"action": "setPaused", "session": 0, "isPaused": true}"#, $1) }
        #expect(try stage.state(of: session.id)?.isPaused == true)
        let other = #"{"action": "setPaused", "session": \#(stage.session.rawValue), "isPaused": true}"#
        _ = try session.text { asession_request($0, other, $1) }
        #expect(try stage.state(of: stage.session)?.isPaused == true)
        let devices = #"{"action": "setDevices", "app": 0, "server": "default", "devices": []}"#
        _ = try session.text { asession_request($0, devices, $1) }
        #expect(try stage.witness.report().apps.first { $0.id == session.app }?.server == "default")
        // Longer than a packet.
        for step in 1...700 { try stage.witness.ask(.setVolume(Float(step) / 1_000)) }
        let long = try session.text { asession_request($0, #"{"request": "log", "after": 0}"#, $1) }
        #expect(long.utf8.count > 65_536 && long.hasSuffix("}"), "\(long.utf8.count)")
        var error = asession_error_t()
        for name in ["hello", "register", "restore", "join", "keys", "pong"] {
            #expect(asession_request(session.session, #"{"request": "\#(name)"}"#, &error) == nil)
            #expect(error.status == ASESSION_BAD_ARGUMENT && error.text.contains(name))
        }
        let slashes = #"{"action": "describe", "name": ""# + String(repeating: "/", count: 64_000) + #""}"#
        #expect(asession_request(session.session, slashes, &error) == nil && error.status == ASESSION_FAILED)
        for wrong in [
            #"{"action": "setVolume", "value": NaN}"#, #"{"a": [{"b": -Infinity}]}"#,
            #"{"request": "log", "follows": true}"#, #"{"a": ""# + String(repeating: "/", count: 65_500) + #""}"#,
            "", "[]", "1", "nonsense", "{", "{} x", "{}{}", #"{"action": "unregister"}"#,
            String(repeating: " ", count: 70_000),
        ] {
            #expect(asession_request(session.session, wrong, &error) == nil)
            #expect(error.status == ASESSION_BAD_ARGUMENT, "\(wrong.prefix(20))")
        }
        #expect(asession_request(session.session, nil, &error) == nil && error.status == ASESSION_BAD_ARGUMENT)
        #expect(asession_request(session.session, #"{"request": "nothing"}"#, &error) == nil)
        #expect(error.status == ASESSION_FAILED && error.codeName == "malformed")
        #expect(asession_request(nil, "{}", &error) == nil && error.status == ASESSION_NO_ARBITER)
        asession_free(nil)
        try session.ask { asession_set_playing($0, false, $1) }
    }

    // MARK: Keys

    @Test("DUCK-2: others are lowered while the session is audible, from the same cycle on, and by the grant as well")
    func key() throws {
        let stage = try ServiceFixture()
        let music = try play(stage, options: UInt32(ASESSION_MIX_WITH_OTHERS))
        let prompt = try play(stage, options: UInt32(ASESSION_DUCK_OTHERS))
        try prompt.ask { asession_set_ducks_only_while_audible($0, true, $1) }
        #expect(stage.gate.waits { $0.attenuation == 0 })
        #expect(music.render(48_000).samples.last == 1)
        _ = prompt.render(level: 0)
        #expect(music.render() == ([Float](repeating: 1, count: 480), 480))
        // Before any message, through the keys page.
        #expect(prompt.render() == ([Float](repeating: 1, count: 480), 480))
        let lowering = music.render().samples
        #expect(zip(lowering, lowering.dropFirst()).allSatisfy { $0 > $1 })
        #expect(try stage.state(of: prompt.id)?.isAudible == false)
        // The owner reports it, for those that read no page.
        #expect(try prompt.waits { try stage.state(of: prompt.id)?.isAudible == true })
        #expect(stage.gate.waits { $0.attenuation == 14 * 256 })
        // Silent for longer than the hold.
        _ = prompt.render(48_000, level: 0)
        #expect(try prompt.waits { try stage.state(of: prompt.id)?.isAudible == false })
        #expect(stage.gate.waits { $0.attenuation == 0 })
        #expect(music.render(96_000).samples.last == 1)
    }

    @Test("DUCK-2: a program that stops its audio callback, or switches the option during sound, is reported as it is")
    func keyWithoutCycles() throws {
        let stage = try ServiceFixture()
        let prompt = try play(stage, options: UInt32(ASESSION_DUCK_OTHERS))
        try prompt.ask { asession_set_ducks_only_while_audible($0, true, $1) }
        func isKnownAudible() throws -> Bool { try stage.state(of: prompt.id)?.isAudible == true }
        _ = prompt.render()
        #expect(try prompt.waits { try isKnownAudible() })
        // No cycle applies the gate any longer.
        #expect(try prompt.waits { try !isKnownAudible() })
        #expect(stage.gate.waits { $0.attenuation == 0 })
        let playsOn = { _ = prompt.render() }
        #expect(
            try prompt.waits {
                playsOn(); return try isKnownAudible()
            })
        for isOn in [false, true, false, true] {
            try prompt.ask { asession_set_ducks_only_while_audible($0, isOn, $1) }
        }
        #expect(
            try prompt.waits {
                playsOn(); return try isKnownAudible()
            })
    }

    @Test("DUCK-2: a session that ends during its sound is not audible, and lowers nobody when it begins in silence")
    func keyThatEnds() throws {
        let stage = try ServiceFixture()
        let prompt = try play(stage, options: UInt32(ASESSION_DUCK_OTHERS))
        try prompt.ask { asession_set_ducks_only_while_audible($0, true, $1) }
        _ = prompt.render()
        #expect(try prompt.waits { try stage.state(of: prompt.id)?.isAudible == true })
        try prompt.ask { asession_deactivate($0, true, $1) }
        #expect(try prompt.waits { try stage.state(of: prompt.id)?.isAudible == false })
        _ = prompt.render(9_600)  // the gate is closed
        try prompt.ask { asession_activate($0, $1) }
        #expect(try stage.state(of: prompt.id)?.isAudible == false)
    }

    @Test("DUCK-2, SRV-3: what becomes silent while there is no arbiter is silent for the next one")
    func silentAfterDeath() throws {
        let stage = try ServiceFixture()
        let prompt = try play(stage, options: UInt32(ASESSION_DUCK_OTHERS))
        try prompt.ask { asession_set_ducks_only_while_audible($0, true, $1) }
        _ = prompt.render()
        #expect(try prompt.waits { try stage.state(of: prompt.id)?.isAudible == true })
        _ = try stage.service.end(SIGKILL)
        _ = prompt.render(96_000, level: 0)
        let next = try Service(in: stage.folder)
        _ = try prompt.awaits(ASESSION_EVENT_ARBITER_RETURNED)
        let witness = try RawClient(stage.folder.socket)
        try witness.hello()
        let isSilent = try prompt.waits {
            try witness.report().sessions.first { $0.status.session.id == prompt.id }?.status.session.isAudible == false
        }
        #expect(isSilent)
        _ = try next.end()
    }

    @Test("DUCK-2, SRV-3: the next arbiter learns whether the session is audible")
    func keyAfterDeath() throws {
        let stage = try ServiceFixture()
        let prompt = try play(stage, options: UInt32(ASESSION_DUCK_OTHERS))
        try prompt.ask { asession_set_ducks_only_while_audible($0, true, $1) }
        _ = try stage.service.end(SIGKILL)
        let next = try Service(in: stage.folder)
        _ = try prompt.awaits(ASESSION_EVENT_ARBITER_RETURNED)
        let music = try play(stage, options: UInt32(ASESSION_MIX_WITH_OTHERS))
        #expect(
            prompt.waits {
                _ = prompt.render(); return music.render().samples.last ?? 1 < 0.9
            })
        _ = try next.end()
    }
}
