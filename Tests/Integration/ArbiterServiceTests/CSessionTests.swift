import ArbiterTesting
import CAudioSession
import CSessionGate
import Foundation
import SessionArbiter
import SessionPolicy
import Testing

@Suite("Sessions in C", .serialized)
struct CSessionTests {
    private func play(_ stage: ServiceFixture, options: UInt32 = 0) throws -> CSession {
        let session = try CSession(stage.folder.socket)
        try session.ask { asession_set_category($0, ASESSION_PLAYBACK, ASESSION_MODE_DEFAULT, options, $1) }
        try session.ask { asession_activate($0, $1) }
        try session.ask { asession_set_playing($0, true, $1) }
        return session
    }

    @Test("ACT-1, ACT-4, INT-3: it plays, is interrupted by a call, stops, and resumes with its next frame")
    func call() throws {
        let stage = try ServiceFixture(trusted: true)
        let session = try play(stage)
        #expect(session.state.activity == ASESSION_ACTIVE && session.state.is_connected)
        #expect(session.render() == ([Float](repeating: 1, count: 480), 480))
        let call = try #require(
            try stage.witness.ask(.beginSystemSession(rank: .call, isRinging: false, isKept: false)).session)
        let began = try session.awaits(ASESSION_EVENT_INTERRUPTION_BEGAN)
        #expect(began.by == call.rawValue && session.state.activity == ASESSION_INTERRUPTED)
        let fading = session.render(9_600)
        #expect(fading.frames > 0 && fading.frames < 9_600)
        #expect(fading.samples[fading.frames - 1] == 0 && fading.samples[fading.frames / 2] < 1)
        #expect(fading.samples[fading.frames...].allSatisfy { $0 == 0 })
        #expect(session.render().frames == 0)
        try stage.witness.ask(.endSystemSession(call, shouldResume: true))
        #expect(try session.awaits(ASESSION_EVENT_INTERRUPTION_ENDED).flag)
        try session.ask { asession_activate($0, $1) }
        #expect(session.render(9_600).samples.last == 1)
        #expect(session.render() == ([Float](repeating: 1, count: 480), 480))
    }

    @Test("ACT-5: a refusal says which rule and which session prevent it, and changes nothing")
    func refusal() throws {
        let stage = try ServiceFixture(trusted: true)
        let session = try CSession(stage.folder.socket)
        let call = try #require(
            try stage.witness.ask(.beginSystemSession(rank: .call, isRinging: false, isKept: false)).session)
        var error = asession_error_t()
        #expect(asession_activate(session.session, &error) == ASESSION_REFUSED)
        #expect(error.status == ASESSION_REFUSED && error.by == call.rawValue && error.ruleName == "ACT-5")
        #expect(error.codeName == "insufficientPriority" && error.text.contains("soloAmbient"))
        #expect(session.state.activity == ASESSION_INACTIVE)
    }

    @Test("DUCK-2: another session is lowered while it plays, and the gate of a lowered one follows")
    func duck() throws {
        let stage = try ServiceFixture()
        let music = try play(stage, options: UInt32(ASESSION_MIX_WITH_OTHERS))
        #expect(music.render().samples.allSatisfy { $0 == 1 })
        let prompt = try play(stage, options: UInt32(ASESSION_DUCK_OTHERS))
        let lowered = pow(10, Float(-14) / 20)
        #expect(stage.gate.waits { $0.attenuation == 14 * 256 })
        #expect(abs((music.render(48_000).samples.last ?? 0) - lowered) < 1e-5)
        try prompt.ask { asession_deactivate($0, true, $1) }
        #expect(stage.gate.waits { $0.attenuation == 0 })
        #expect(music.render(48_000).samples.last == 1)
    }

    @Test("SRV-3: when the arbiter dies, the gate stays as it is, and the next one restores the session")
    func death() throws {
        let stage = try ServiceFixture()
        let session = try play(stage)
        let id = session.id
        _ = try stage.service.end(SIGKILL)
        #expect(session.render() == ([Float](repeating: 1, count: 480), 480))
        let next = try Service(in: stage.folder)
        _ = try session.awaits(ASESSION_EVENT_ARBITER_LOST)
        _ = try session.awaits(ASESSION_EVENT_ARBITER_RETURNED)
        #expect(session.id == id && session.state.activity == ASESSION_ACTIVE)
        let witness = try RawClient(stage.folder.socket)
        try witness.hello()
        let known = try #require(try witness.report().sessions.first { $0.status.session.id == id })
        #expect(known.status.session.isRunning && known.status.session.configuration.category == .playback)
        #expect(session.render() == ([Float](repeating: 1, count: 480), 480))
        try session.ask { asession_deactivate($0, true, $1) }
        #expect(try witness.report().sessions.first { $0.status.session.id == id }?.status.session.isActive == false)
        _ = try next.end()
    }

    @Test("A request waits for the next arbiter")
    func requestAfterDeath() throws {
        let stage = try ServiceFixture()
        let session = try play(stage)
        _ = try stage.service.end(SIGKILL)
        let next = try Service(in: stage.folder)
        try session.ask { asession_set_playing($0, false, $1) }
        #expect(session.waits { session.events.contains { $0.kind == ASESSION_EVENT_ARBITER_RETURNED } })
        _ = try next.end()
    }

    @Test("It starts the arbiter if none is running")
    func start() throws {
        let folder = try TrialFolder()
        try FileManager.default.createDirectory(
            atPath: folder.service, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let session = try CSession(folder.socket)
        let witness = try RawClient(folder.socket)
        try witness.hello()
        let report = try witness.report()
        #expect(report.sessions.map(\.status.session.id) == [session.id])
        kill(report.process, SIGTERM)
        try witness.awaitEnd()
    }

    @Test("Invalid arguments, a path that is too long, and NULL are errors or do nothing, and never crash")
    func arguments() throws {
        var error = asession_error_t()
        #expect(asession_open(String(repeating: "x", count: 200), &error) == nil)
        #expect(error.status == ASESSION_NO_ARBITER && error.text.contains("AUDIOSESSION_SOCKET"))
        #expect(asession_open("/nowhere/arbiter.socket", &error) == nil)
        #expect(error.status == ASESSION_NO_ARBITER)
        let stage = try ServiceFixture()
        let session = try CSession(stage.folder.socket)
        #expect(
            asession_set_category(session.session, asession_category_t(99), ASESSION_MODE_DEFAULT, 0, &error)
                == ASESSION_BAD_ARGUMENT)
        #expect(
            asession_set_category(session.session, ASESSION_PLAYBACK, ASESSION_MODE_DEFAULT, 0x4000, &error)
                == ASESSION_BAD_ARGUMENT)
        for value in [-1, .nan, .infinity] {
            #expect(asession_prefer(session.session, ASESSION_SAMPLE_RATE, value, &error) == ASESSION_BAD_ARGUMENT)
        }
        try session.ask { asession_prefer($0, ASESSION_IO_BUFFER_DURATION, 0.005, $1) }
        #expect(asession_activate(nil, nil) == ASESSION_OK && asession_id(nil) == 0 && asession_fd(nil) == -1)
        asession_dispatch(nil)
        asession_close(nil)
        var event = asession_event_t()
        #expect(!asession_next_event(nil, &event) && asession_gate(nil) == nil)
    }

    @Test("One session more than the limit: the error is that of the arbiter")
    func limit() throws {
        let stage = try ServiceFixture(trusted: false, mixes: true, "limits: {clients-per-app: 3}")
        let sessions = try (1...2).map { _ in try CSession(stage.folder.socket) }
        var error = asession_error_t()
        #expect(asession_open(stage.folder.socket, &error) == nil)
        #expect(error.status == ASESSION_FAILED && error.codeName == "limit", "\(error.text)")
        #expect(error.text.contains("limits.clients-per-app") && sessions.count == 2)
    }

    @Test("ACT-12: a session that has ended is gone for others, and its gate fades out, with or without an arbiter")
    func end() throws {
        let stage = try ServiceFixture()
        for isLost in [false, true] {
            let session = try play(stage)
            #expect(session.render().samples.allSatisfy { $0 == 1 })
            if isLost { _ = try stage.service.end(SIGKILL) }
            asession_end(session.session)
            if !isLost { #expect(try Limit.waits { try stage.witness.report().sessions.count == 1 }) }
            let fading = session.render(9_600)
            #expect(fading.frames == 240 && fading.samples[100] > 0.5 && fading.samples[100] < 1, "\(fading.frames)")
            #expect(session.render() == ([Float](repeating: 0, count: 480), 0))
            #expect(!session.state.is_connected && asession_fd(session.session) == -1)
        }
        asession_end(nil)
    }

    @Test("ACT-12: a session that ends while it is lowered, at a lower volume, fades out from where it is")
    func endWhileLowered() throws {
        let stage = try ServiceFixture()
        let music = try play(stage, options: UInt32(ASESSION_MIX_WITH_OTHERS))
        let prompt = try play(stage, options: UInt32(ASESSION_DUCK_OTHERS))
        try stage.witness.ask(.setVolume(0.5))
        let lowered = try #require(music.render(48_000).samples.last)
        #expect(lowered < 0.2)
        asession_end(music.session)
        let fading = music.render().samples
        #expect(fading.allSatisfy { $0 <= lowered } && zip(fading, fading.dropFirst()).allSatisfy { $0 >= $1 })
        try prompt.ask { asession_deactivate($0, true, $1) }
    }

    @Test("ACT-12: a session that is closed is gone, and its descriptors are")
    func close() throws {
        let stage = try ServiceFixture()
        let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        for _ in 1...20 {
            let session = try play(stage)
            #expect(try stage.witness.report().sessions.contains { $0.status.session.id == session.id })
        }
        #expect(try Limit.waits { try stage.witness.report().sessions.count == 1 })
        #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count == before)
    }
}
