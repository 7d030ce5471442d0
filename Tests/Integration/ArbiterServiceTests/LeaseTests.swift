import ArbiterTesting
import CSessionGate
import Foundation
import Glibc
import SessionArbiter
import SessionPolicy
import Testing

/// No session stays interrupted or ducked because of a client that has died or hangs (ACT-12).
@Suite("Leases", .serialized)
struct LeaseTests {
    private static let short = "service: {ping-interval: 0.05, lease-limit: 3}"
    /// The limit in seconds. On a machine without load, the service detects the death of a process
    /// within 5 ms; the test machine may be loaded.
    private static let bound = 0.5

    @Test(
        "The death of a process is detected at once: the session that it interrupted is notified to resume",
        .tags(.timed))
    func death() throws {
        let stage = try ServiceFixture(mixes: false)
        var times: [Double] = []
        for _ in 0..<10 {
            let client = try TestClient(stage.folder.socket)
            _ = try client.play()
            #expect(stage.gate.waits { $0.paused })
            try stage.witness.awaitNotice(stage.session) { $0 == .interruptionBegan(.default) }
            times.append(
                try ServiceFixture.seconds {
                    client.program.send(SIGKILL)
                    try stage.witness.awaitNotice(stage.session) { $0 == .interruptionEnded(shouldResume: true) }
                })
            try stage.witness.ask(.activate(stage.session))
        }
        times.sort()
        print("death to 'ended': median \(times[5] * 1_000) ms, longest \(times[9] * 1_000) ms")
        #expect(times[5] < Self.bound)
        #expect(try stage.witness.report().sessions.map(\.status.session.id) == [stage.session])
    }

    @Test("A process that dies no longer ducks others: the gate returns to unity (DUCK-5)", .tags(.timed))
    func deathOfADucker() throws {
        let stage = try ServiceFixture()
        var times: [Double] = []
        for _ in 0..<10 {
            let client = try TestClient(stage.folder.socket)
            _ = try client.play(.duckOthers)
            #expect(stage.gate.waits { $0.attenuation > 0 })
            times.append(
                ServiceFixture.seconds {
                    client.program.send(SIGKILL)
                    #expect(stage.gate.waits { $0.attenuation == 0 })
                })
        }
        times.sort()
        print("death to unity in the gate: median \(times[5] * 1_000) ms, longest \(times[9] * 1_000) ms")
        #expect(times[5] < Self.bound)
    }

    @Test("A dead process is removed even if a child process holds its connection open")
    func heldSocket() throws {
        let stage = try ServiceFixture(mixes: false)
        let pair = try Heir(stage.folder.socket)
        #expect(stage.gate.waits { $0.paused })
        pair.kill()
        try stage.witness.awaitNotice(stage.session) { $0 == .interruptionEnded(shouldResume: true) }
        #expect(pair.heirLives)
        #expect(try stage.witness.report().clients.count == 1)
    }

    @Test("A stopped process is disconnected when its lease ends, and finds its session deactivated by the system")
    func stopped() throws {
        let stage = try ServiceFixture(mixes: false, Self.short)
        let client = try TestClient(stage.folder.socket)
        let id = try client.play()
        let arbiter = try stage.witness.report().arbiter
        try stage.witness.awaitNotice(stage.session) { $0 == .interruptionBegan(.default) }
        let record = try #require(client.status(of: id))
        client.program.send(SIGSTOP)
        let time = try ServiceFixture.seconds {
            try stage.witness.awaitNotice(stage.session) { $0 == .interruptionEnded(shouldResume: true) }
        }
        print("stopped to 'ended': \(time) s of a lease of 3 s")
        #expect(time > 2, "it had its full lease")
        #expect(try stage.witness.report().sessions.map(\.status.session.id) == [stage.session])
        try stage.witness.ask(.activate(stage.session))

        client.program.send(SIGCONT)
        try client.awaitEnd()
        client.reconnect()
        client.messages = []
        _ = try client.ask(.hello(.init(arbiter: arbiter, restoring: 1))).get()
        let restored = SessionRecord(
            session: record.status.session, grantNumber: record.grantNumber, pending: record.pending,
            app: AppState(id: record.status.session.app))
        let gate = GateWords(grant: 0, volume: 0)
        #expect(try client.ask(.restore(.init(record: restored, gate: gate))).get().session == id)
        try client.awaitNotice(id, .deactivatedBySystem)
        let now = try #require(try stage.witness.report().sessions.first { $0.status.session.id == id })
        #expect(!now.status.session.isActive)
        #expect(now.status.resolvedGrant.grant.isPaused)
        #expect(!stage.gate.grant.paused, "other playback continues")
        #expect(try client.ask(.submit(.activate(id))).code == nil, "it may activate again")
        #expect(stage.gate.waits { $0.paused })
    }

    @Test("A client that answers pings keeps its lease, and one that sends nothing loses it")
    func silent() throws {
        let stage = try ServiceFixture(mixes: true, Self.short)
        let client = try TestClient(stage.folder.socket)
        let id = try client.play(.mixWithOthers)
        let silent = try RawClient(stage.folder.socket)
        let deaf = try stage.connect()
        deaf.answersPings = false
        // The witness answers its own pings only while it reads, so it reads until both have ended.
        let limit = Limit(seconds: 20)
        while !(silent.hasEnded && deaf.hasEnded), !limit.hasPassed {
            _ = try? stage.witness.awaitNotice(stage.session, within: 0.02) { _ in false }
            for client in [silent, deaf] { while !client.hasEnded, try client.receiveNow() != nil {} }
        }
        #expect(silent.hasEnded && deaf.hasEnded)
        #expect(try stage.witness.report().sessions.map(\.status.session.id).contains(id))
        #expect(try stage.witness.report().clients.count == 2)
    }

    @Test("An unsolicited pong renews no lease")
    func falsePong() throws {
        let stage = try ServiceFixture(mixes: true, Self.short)
        let deaf = try stage.connect()
        deaf.answersPings = false
        let limit = Limit(seconds: 20)
        while !deaf.hasEnded, !limit.hasPassed {
            deaf.say(.pong(0))
            _ = try? stage.witness.awaitNotice(stage.session, within: 0.02) { _ in false }
            while try deaf.receiveNow() != nil {}
        }
        #expect(deaf.hasEnded)
    }
}

extension Tag {
    /// Reports a measured time.
    @Tag static var timed: Self
}

/// A client whose child process holds its connection open after its end.
private final class Heir {
    private let parent: Program
    private let heir: pid_t

    init(_ socket: String) throws {
        let script = """
            from json import dumps, loads; import os, socket, sys
            s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            s.connect(sys.argv[1])
            serial = 0
            def ask(**message):
                global serial
                serial += 1
                s.send(dumps({"serial": serial, **message}).encode())
                while True:
                    reply = loads(s.recv(65536))
                    if reply.get("reply") == serial:
                        return reply
            ask(request="hello", version=1)
            id = ask(request="register")["session"]
            ask(action="configure", session=id, category="playback")
            ask(action="activate", session=id)
            child = os.fork()
            if child == 0:
                os.close(1)
                os.read(0, 1)
                os._exit(0)
            print(child, flush=True)
            while True:
                message = loads(s.recv(65536))
                if "ping" in message:
                    serial += 1
                    s.send(dumps({"serial": serial, "request": "pong", "ping": message["ping"]}).encode())
            """
        parent = try Program("/usr/bin/env", ["python3", "-c", script, socket])
        heir = pid_t(try parent.readLine() ?? "") ?? 0
        guard heir > 0 else { throw TrialError("The client has no child.") }
    }

    func kill() { parent.send(SIGKILL) }

    var heirLives: Bool { Glibc.kill(heir, 0) == 0 }
}
