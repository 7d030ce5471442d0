import ArbiterService
import DesktopBridge
import SessionArbiter
import SessionPolicy
import Testing

@testable import ForeignPrograms

/// Programs without a media player.
@Suite struct AdopterTests {
    private let fixture = AdoptionFixture()

    init() {
        fixture.run(100, "/usr/bin/game")
    }

    @Test("A program gets a session that mixes, as long as it plays (ACT-2, DUCK-1)")
    func plays() {
        fixture.stream(1, of: 100)
        let session = fixture.session(of: 100)
        #expect(session?.isActive == true)
        #expect(session?.isRunning == true)
        #expect(session?.configuration.category == .playback)
        #expect(session?.isMixable == true)
        #expect(fixture.tools.commands.isEmpty, "Nothing is changed while nobody lowers it.")
        fixture.endStream(1)
        #expect(fixture.session(of: 100) == nil)
    }

    @Test("A stream that is silent for a moment keeps its session; after a second it ends (ACT-17)")
    func pause() {
        fixture.stream(1, of: 100)
        fixture.stream(1, of: 100, isRunning: false)
        #expect(fixture.session(of: 100)?.isActive == true)
        #expect(fixture.session(of: 100)?.isRunning == false)
        fixture.stream(1, of: 100)
        fixture.passTime()
        #expect(fixture.session(of: 100)?.isActive == true)
        fixture.stream(1, of: 100, isRunning: false)
        fixture.passTime()
        #expect(fixture.session(of: 100)?.isActive == false)
        fixture.stream(1, of: 100)
        #expect(fixture.session(of: 100)?.isActive == true)
    }

    @Test("A prompt lowers the program and gives it back (DUCK-1, DUCK-2, DUCK-5)")
    func ducked() throws {
        fixture.stream(1, of: 100)
        let prompt = try fixture.activate(.playback, .voicePrompt, .duckOthers)
        #expect(fixture.sound(1) == .lowered(14))
        try fixture.deactivate(prompt)
        #expect(fixture.sound(1) == .full)
    }

    @Test("What starts during a prompt starts lowered (DUCK-7)")
    func startsDucked() throws {
        try fixture.activate(.playback, .voicePrompt, .duckOthers)
        fixture.stream(1, of: 100)
        #expect(fixture.sound(1) == .lowered(14))
        fixture.stream(2, of: 100)
        #expect(fixture.sound(2) == .lowered(14))
    }

    @Test("A call holds the program at its frame until it is declined (ACT-4, INT-3)")
    func call() throws {
        fixture.stream(1, of: 100)
        let call = try fixture.ring()
        #expect(fixture.sound(1) == .held)
        fixture.stream(2, of: 100)
        #expect(fixture.sound(2) == .held, "A new stream of a program that is held does not sound.")
        try fixture.end(call)
        #expect(fixture.sound(1) == .full)
        #expect(fixture.sound(2) == .full)
        #expect(fixture.session(of: 100)?.isActive == true)
    }

    @Test("A program that its user could not resume continues without a recommendation, too (INT-3)")
    func endWithoutResumption() throws {
        fixture.stream(1, of: 100)
        try fixture.end(try fixture.ring(), shouldResume: false)
        #expect(fixture.sound(1) == .full)
    }

    @Test("The arbiter's client is left alone")
    func client() throws {
        fixture.tools.clients = [100]
        fixture.stream(1, of: 100)
        try fixture.activate(.playback, .voicePrompt, .duckOthers)
        #expect(fixture.sound(1) == .full)
        #expect(fixture.session(of: 100) == nil)
    }

    @Test("The processes of one program are one session")
    func processes() throws {
        fixture.run(200, "/usr/lib/browser/browser")
        fixture.run(201, "/usr/lib/browser/browser", childOf: 200)
        fixture.run(202, "/usr/lib/browser/browser", childOf: 201)
        fixture.stream(1, of: 201)
        fixture.stream(2, of: 202, isClaim: true)
        #expect(fixture.tools.sessions.count == 1)
        #expect(fixture.session(of: 200)?.isActive == true)
        fixture.endStream(1)
        #expect(fixture.session(of: 200)?.isActive == true)
        fixture.endStream(2)
        #expect(fixture.session(of: 200) == nil)
    }

    @Test("A stream without a process is a program of its own")
    func unknownProcess() throws {
        fixture.stream(1, of: nil)
        fixture.stream(2, of: nil)
        #expect(fixture.tools.sessions.count == 2)
        try fixture.activate(.playback, .voicePrompt, .duckOthers)
        #expect(fixture.sound(1) == .lowered(14))
    }

    @Test("A notification is silenced in a call, but never held")
    func notification() throws {
        fixture.stream(1, of: 100, role: "Notification")
        #expect(fixture.session(of: 100)?.configuration.category == .ambient)
        let call = try fixture.ring()
        #expect(fixture.sound(1) == .silent)
        fixture.stream(2, of: 100, role: "event")
        #expect(fixture.sound(2) == .silent)
        try fixture.end(call)
        #expect(fixture.sound(1) == .full)
    }

    @Test("A game that starts during a call waits for its end (ACT-5, ACT-14)")
    func waitsForCall() throws {
        let call = try fixture.ring()
        try fixture.arbiter.submit(.acceptCall(call))
        fixture.stream(1, of: 100, role: "Game")
        #expect(fixture.sound(1) == .held)
        try fixture.end(call)
        #expect(fixture.sound(1) == .full)
        #expect(fixture.session(of: 100)?.isActive == true)
    }

    @Test("The silent switch silences a game, which continues (VOL-2)")
    func silentSwitch() throws {
        fixture.stream(1, of: 100, role: "Game")
        try fixture.arbiter.submit(.setSilentSwitch(true))
        fixture.settle()
        #expect(fixture.sound(1) == .silent)
        try fixture.arbiter.submit(.setSilentSwitch(false))
        fixture.settle()
        #expect(fixture.sound(1) == .full)
    }

    @Test("After the stream controller was lost, the streams get their states again")
    func controllerLost() throws {
        fixture.stream(1, of: 100)
        fixture.stream(2, of: 100)
        let call = try fixture.ring()
        fixture.tools.states = [:]
        fixture.adopter.controllerLost()
        fixture.stream(1, of: 100)
        #expect(fixture.sound(1) == .held)
        // The other one has ended meanwhile.
        fixture.adopter.handle(.synced)
        fixture.settle()
        #expect(fixture.tools.sessions.count == 1)
        try fixture.end(call)
        #expect(fixture.sound(1) == .full)
        #expect(fixture.tools.states[StreamID(2)] == nil)
    }

    @Test("A loss of the stream controller interrupts nobody: each program keeps its session")
    func controllerLostAmongPlayers() throws {
        fixture.run(101, "/usr/bin/music")
        fixture.stream(1, of: 100, role: "Music")
        fixture.stream(2, of: 101, role: "Music")
        fixture.tools.states = [:]
        fixture.adopter.controllerLost()
        fixture.stream(1, of: 100, role: "Music")
        fixture.stream(2, of: 101, role: "Music")
        fixture.adopter.handle(.synced)
        fixture.settle()
        #expect(fixture.sound(1) == .held)
        #expect(fixture.sound(2) == .full)
    }

    @Test("A player is paused even if the stream controller is lost while its stream fades")
    func controllerLostInFade() throws {
        fixture.run(101, "/usr/bin/mpv")
        fixture.stream(1, of: 101)
        fixture.player("mpv", of: 101, .playing)
        _ = try fixture.arbiter.beginSystemSession(rank: .call, isRinging: true)
        fixture.arbiter.drain()
        fixture.deliverNotices()
        fixture.tools.unreached = []
        #expect(fixture.status("mpv") == .playing)
        fixture.adopter.controllerLost()
        fixture.settle()
        #expect(fixture.status("mpv") == .paused)
    }

    @Test("PipeWire has ended: programs without a player have ended with it")
    func streamsLost() throws {
        fixture.stream(1, of: 100)
        fixture.adopter.streamsLost()
        #expect(fixture.session(of: 100) == nil)
    }

    @Test("A stream of another PipeWire is not the one that had its id before, and not of its program")
    func otherPipeWire() {
        fixture.adopter.handle(.ready(version: 1, cookie: 7))
        fixture.run(101, "/usr/bin/music")
        fixture.stream(1, of: 100)
        // A command for the earlier stream has reached the next controller.
        fixture.tools.states = [StreamID(1): .hold(StreamID(1), milliseconds: 0)]
        fixture.adopter.controllerLost()
        fixture.adopter.handle(.ready(version: 1, cookie: 8))
        fixture.stream(1, of: 101)
        fixture.adopter.handle(.synced)
        fixture.settle()
        #expect(fixture.session(of: 100) == nil && fixture.session(of: 101) != nil)
        #expect(fixture.sound(1) == .full)
        // The same PipeWire: each program keeps its session.
        let session = fixture.session(of: 101)?.id
        fixture.adopter.controllerLost()
        fixture.adopter.handle(.ready(version: 1, cookie: 8))
        fixture.stream(1, of: 101)
        fixture.adopter.handle(.synced)
        fixture.settle()
        #expect(session != nil && fixture.session(of: 101)?.id == session)
    }

    @Test("A player that is held continues after the call, although PipeWire was restarted meanwhile")
    func otherPipeWireInCall() throws {
        fixture.adopter.handle(.ready(version: 1, cookie: 7))
        fixture.run(101, "/usr/bin/mpv")
        fixture.stream(1, of: 101)
        fixture.player("mpv", of: 101, .playing)
        let call = try fixture.ring()
        #expect(fixture.status("mpv") == .paused)
        fixture.tools.states = [:]
        fixture.adopter.controllerLost()
        fixture.adopter.handle(.ready(version: 1, cookie: 8))
        fixture.adopter.handle(.synced)
        fixture.stream(3, of: 101)
        #expect(fixture.status("mpv") == .paused && fixture.tools.states[StreamID(1)] == nil)
        try fixture.end(call)
        #expect(fixture.status("mpv") == .playing && fixture.sound(3) == .full)
    }

    @Test("A stream of JACK has no gain, and is not held unless the settings name it")
    func jack() throws {
        fixture.stream(1, of: 100, api: .jack)
        #expect(fixture.tools.sessions.isEmpty)
        var settings = AdoptionSettings()
        settings.programs = [.init("game", kind: .other)]
        let named = AdoptionFixture(settings)
        named.run(100, "/usr/bin/game")
        named.stream(1, of: 100, api: .jack)
        try named.activate(.playback, .voicePrompt, .duckOthers)
        #expect(named.sound(1) == .full)
        let call = try named.ring()
        #expect(named.sound(1) == .held)
        try named.end(call)
        #expect(named.sound(1) == .full)
    }

    @Test("All that is held or lowered is freed when adoption ends")
    func ends() throws {
        fixture.run(101, "/usr/bin/mpv")
        fixture.stream(1, of: 100)
        fixture.stream(2, of: 101)
        fixture.player("mpv", of: 101, .playing)
        _ = try fixture.ring()
        #expect(fixture.status("mpv") == .paused)
        fixture.adopter.freeAll()
        #expect(fixture.sound(1) == .full)
        #expect(fixture.sound(2) == .full)
        #expect(fixture.status("mpv") == .playing)
        #expect(!fixture.adopter.hasAltered)
        // The call goes on; what the programs do now is no longer of interest.
        let count = fixture.tools.commands.count
        fixture.settle()
        fixture.player("mpv", of: 101, .playing)
        fixture.stream(3, of: 101)
        fixture.passTime()
        #expect(fixture.tools.commands.count == count)
        #expect(fixture.tools.requests.suffix(1) == ["play mpv"])
    }
}
