import ArbiterTesting
import CSessionGate
import Foundation
import SessionArbiter
import SessionPolicy
import Testing

/// Permissions of clients.
@Suite("Permissions of the service", .serialized)
struct AuthorityTests {
    @Test("A session belongs to its client: no other client can change it", arguments: [SessionID(1), SessionID(99)])
    func sessions(id: SessionID) throws {
        let stage = try ServiceFixture()
        let client = try stage.connect()
        #expect(stage.session == SessionID(1))
        let expected: RequestError.Code = id == stage.session ? .notPermitted : .refused
        try stage.expectNothingChanges { () throws in
            let actions: [PolicyAction] = [
                .unregister(id), .configure(id, .category(.ambient)), .activate(id), .requestActivation(id),
                .deactivate(id, notifyOthers: true), .prefer(id, .sampleRate(44_100)),
                .preferNoInterruptionsFromSystemAlerts(id, true), .setOutputMuted(id, true), .setRunning(id, true),
                .setInputRunning(id, true), .remotePlay(id), .playSystemSounds(id), .preferInput(id, nil),
                .overrideOutput(id, toSpeaker: true),
                .preferInterruptionOnRouteDisconnect(id, false), .userPaused(id), .acceptCall(id),
                .endSystemSession(id, shouldResume: true),
            ]
            for action in actions {
                let code = try client.answer(to: .submit(action)).code
                #expect(code == expected, "\(action)")
            }
        }
    }

    @Test("A client cannot act for another app")
    func apps() throws {
        let stage = try ServiceFixture()
        let other = try TestClient(stage.folder.socket)
        _ = try other.play(.mixWithOthers)
        let app = AppID(UInt64(other.process))
        let client = try stage.connect()
        stage.witness.messages = []
        let before = try stage.witness.report().substance
        let actions: [PolicyAction] = [
            .setApplicationState(app, .suspended), .setDeclaresBackgroundAudio(app, true),
            .setRecordPermission(app, .granted), .setDevices(app, server: "default", []), .resetSessions(app),
            .setInputMuted(app, true), .setApplicationState(.system, .suspended),
        ]
        for action in actions { #expect(try client.answer(to: .submit(action)).code == .notPermitted, "\(action)") }
        #expect(try client.answer(to: .register(app: app)).code == .notPermitted)
        #expect(try client.answer(to: .register(app: .system)).code == .notPermitted)
        #expect(try stage.witness.report().substance == before)
        #expect(try client.answer(to: .submit(.setDeclaresBackgroundAudio(AppID(UInt64(getpid())), true))).code == nil)
    }

    @Test(
        "Ranks above app and decisions for the user require a trusted program",
        arguments: [Rank.call, .alarm, .assistant])
    func ranks(rank: Rank) throws {
        let stage = try ServiceFixture()
        try stage.expectNothingChanges { () throws in
            let client = try stage.connect()
            let begin = ClientMessage.Request.beginSystemSession(rank: rank, isRinging: false, isKept: true)
            #expect(try client.answer(to: begin).code == .notPermitted)
            #expect(try client.answer(to: .permission(program: "/bin/true", .granted)).code == .notPermitted)
            #expect(try client.answer(to: .permission(program: nil, nil)).code == nil, "any client may read")
            // ACT-4: a client cannot submit these actions directly either.
            let text =
                #"{"serial": 90, "action": "beginSystemSession", "session": 90, "rank": \#(rank.rawValue), "isRinging": false}"#
            #expect(try client.answer(to: text, serial: 90).code == .malformed)
            let died = #"{"serial": 91, "action": "appDied", "app": \#(getpid())}"#
            #expect(try client.answer(to: died, serial: 91).code == .malformed)
            let registers = #"{"serial": 92, "action": "register", "session": 91, "app": \#(getpid())}"#
            #expect(try client.answer(to: registers, serial: 92).code == .malformed)
        }
    }

    @Test("A trusted program interrupts according to its rank, and ends the session that it began; SIM-1, ACT-4")
    func trusted() throws {
        let stage = try ServiceFixture(trusted: true)
        let client = try stage.connect()
        let call = try #require(
            try client.ask(.beginSystemSession(rank: .call, isRinging: false, isKept: false)).session)
        #expect(stage.gate.waits { $0.paused })
        try client.ask(.endSystemSession(call, shouldResume: true))
        try stage.witness.awaitNotice(stage.session) { $0 == .interruptionEnded(shouldResume: true) }
    }

    @Test("A trusted program registers sessions for a program that is no client, and the report names it")
    func adoption() throws {
        let stage = try ServiceFixture(trusted: true)
        let other = try Program("/bin/sleep", ["60"])
        let app = AppID(UInt64(other.process))
        let client = try stage.connect()
        #expect(try stage.witness.report().adopted?.isEmpty == true)
        let session = try #require(try client.ask(.register(app: app)).session)
        try client.ask(.submit(.configure(session, .category(.playback, options: .duckOthers))))
        try client.ask(.submit(.activate(session)))
        #expect(stage.gate.waits { $0.attenuation > 0 }, "It lowers the other session, as any app's would.")
        let adopted = try #require(try stage.witness.report().adopted)
        #expect(adopted.map(\.app) == [app])
        #expect(adopted.first?.program.hasSuffix("/sleep") == true)
        #expect(adopted.first?.by == AppID(UInt64(getpid())))
        try client.ask(.submit(.unregister(session)))
        #expect(try stage.witness.report().adopted?.isEmpty == true)
        let connected = try TestClient(stage.folder.socket)
        _ = try connected.play(.mixWithOthers)
        let own = try client.answer(to: .register(app: AppID(UInt64(connected.process))))
        #expect(own.code == .notPermitted)
    }

    @Test("A call that is not kept ends with the connection that began it (ACT-12)")
    func callOfAConnection() throws {
        let stage = try ServiceFixture(trusted: true)
        var client: RawClient? = try stage.connect()
        try client?.ask(.beginSystemSession(rank: .call, isRinging: false, isKept: false))
        #expect(stage.gate.waits { $0.paused })
        client = nil
        try stage.witness.awaitNotice(stage.session) { $0 == .interruptionEnded(shouldResume: true) }
        #expect(try stage.witness.report().sessions.map(\.status.session.id) == [stage.session])
    }

    @Test("Another user is refused with an error", .enabled(if: getuid() == 0, "only root can become another user"))
    func otherUser() throws {
        let stage = try ServiceFixture()
        // The folder's mode excludes other users. Even with an open mode the service checks who
        // connects.
        for path in [stage.folder.path, stage.folder.service, stage.folder.socket] { chmod(path, 0o777) }
        let script = """
            from json import loads; import os, socket, sys
            os.setgid(65534); os.setuid(65534)
            s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            s.connect(sys.argv[1])
            print(loads(s.recv(65536))["error"]["code"], len(s.recv(65536)), flush=True)
            """
        let other = try Program("/usr/bin/env", ["python3", "-c", script, stage.folder.socket])
        #expect(try other.readLine() == "notPermitted 0")
        #expect(try stage.witness.report().clients.count == 1)
    }

    @Test("Only the user can access the folder and its files")
    func modes() throws {
        let stage = try ServiceFixture()
        for path in [stage.folder.service, stage.folder.socket, stage.folder.state] {
            var facts = stat()
            #expect(lstat(path, &facts) == 0, "\(path)")
            #expect(facts.st_mode & 0o077 == 0, "\(path)")
        }
    }
}
