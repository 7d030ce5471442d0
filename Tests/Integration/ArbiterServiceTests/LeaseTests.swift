import ArbiterTesting
import CSessionGate
import Foundation
import Glibc
import SessionArbiter
import SessionPolicy
import Testing

/// Nobody stays interrupted or ducked because of a client that no longer is, or hangs (ACT-12).
@Suite("Leases", .serialized)
struct LeaseTests {
    private static let short = "[service]\nping-interval = 0.05\nlease-limit = 3\n"
    /// Seconds. A process that dies is seen in less than 5 ms on a machine that is not loaded; this one may be.
    private static let bound = 0.5

    @Test("A process that dies is seen at once: who it interrupted is told to resume", .tags(.timed))
    func death() throws {
        let stage = try ServiceFixture(mixes: false)
        var times: [Double] = []
        for _ in 0..<10 {
            let puppet = try Puppet(stage.folder.socket)
            _ = try puppet.play()
            #expect(stage.gate.waits { $0.paused })
            try stage.witness.awaitNotice(stage.session) { $0 == .interruptionBegan(.default) }
            times.append(
                try ServiceFixture.seconds {
                    puppet.program.send(SIGKILL)
                    try stage.witness.awaitNotice(stage.session) { $0 == .interruptionEnded(shouldResume: true) }
                })
            try stage.witness.ask(.activate(stage.session))
        }
        times.sort()
        print("death to 'ended': median \(times[5] * 1_000) ms, longest \(times[9] * 1_000) ms")
        #expect(times[5] < Self.bound)
        #expect(try stage.witness.report().sessions.map(\.status.session.id) == [stage.session])
    }

    @Test("A process that dies lowers nobody any longer: the gate returns to unity (DUCK-5)", .tags(.timed))
    func deathOfADucker() throws {
        let stage = try ServiceFixture()
        var times: [Double] = []
        for _ in 0..<10 {
            let puppet = try Puppet(stage.folder.socket)
            _ = try puppet.play(.duckOthers)
            #expect(stage.gate.waits { $0.attenuation > 0 })
            times.append(
                ServiceFixture.seconds {
                    puppet.program.send(SIGKILL)
                    #expect(stage.gate.waits { $0.attenuation == 0 })
                })
        }
        times.sort()
        print("death to unity in the gate: median \(times[5] * 1_000) ms, longest \(times[9] * 1_000) ms")
        #expect(times[5] < Self.bound)
    }

    @Test("A process that is dead is gone, though a child of its holds the connection open")
    func heldSocket() throws {
        let stage = try ServiceFixture(mixes: false)
        let pair = try Heir(stage.folder.socket)
        #expect(stage.gate.waits { $0.paused })
        pair.kill()
        try stage.witness.awaitNotice(stage.session) { $0 == .interruptionEnded(shouldResume: true) }
        #expect(pair.heirLives)
        #expect(try stage.witness.report().clients.count == 1)
    }

    @Test("Who is stopped is cut off after its lease, and told when it comes back: inactive, by the system")
    func stopped() throws {
        let stage = try ServiceFixture(mixes: false, Self.short)
        let puppet = try Puppet(stage.folder.socket)
        let id = try puppet.play()
        let arbiter = try stage.witness.report().arbiter
        try stage.witness.awaitNotice(stage.session) { $0 == .interruptionBegan(.default) }
        let record = try #require(puppet.status(of: id))
        puppet.program.send(SIGSTOP)
        let time = try ServiceFixture.seconds {
            try stage.witness.awaitNotice(stage.session) { $0 == .interruptionEnded(shouldResume: true) }
        }
        print("stopped to 'ended': \(time) s of a lease of 3 s")
        #expect(time > 2, "it had its time")
        #expect(try stage.witness.report().sessions.map(\.status.session.id) == [stage.session])
        try stage.witness.ask(.activate(stage.session))

        puppet.program.send(SIGCONT)
        try puppet.awaitEnd()
        puppet.reconnect()
        puppet.news = []
        _ = try puppet.ask(.hello(.init(arbiter: arbiter, restoring: 1))).get()
        let restored = SessionRecord(
            session: record.status.session, grant: record.grant, pending: record.pending,
            app: AppState(id: record.status.session.app))
        let gate = GateWords(verdict: 0, volume: 0)
        #expect(try puppet.ask(.restore(.init(record: restored, gate: gate))).get().session == id)
        try puppet.awaitNotice(id, .deactivatedBySystem)
        let now = try #require(try stage.witness.report().sessions.first { $0.status.session.id == id })
        #expect(!now.status.session.isActive)
        #expect(now.status.standing.verdict.isPaused)
        #expect(!stage.gate.verdict.paused, "whoever plays meanwhile plays on")
        #expect(try puppet.ask(.submit(.activate(id))).code == nil, "it may activate again")
        #expect(stage.gate.waits { $0.paused })
    }

    @Test("Who answers pings keeps its lease, and who connects and says nothing does not")
    func silent() throws {
        let stage = try ServiceFixture(mixes: true, Self.short)
        let puppet = try Puppet(stage.folder.socket)
        let id = try puppet.play(.mixWithOthers)
        let silent = try RawClient(stage.folder.socket)
        let deaf = try stage.connect()
        deaf.answersPings = false
        // The witness's own pings are answered as it reads.
        _ = try? stage.witness.awaitNotice(stage.session, within: 5) { _ in false }
        try silent.awaitEnd()
        try deaf.awaitEnd()
        #expect(try stage.witness.report().sessions.map(\.status.session.id).contains(id))
        #expect(try stage.witness.report().clients.count == 2)
    }

    @Test("A pong that nobody asked for renews no lease")
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
    /// Tells a time that it measured.
    @Tag static var timed: Self
}

/// A client whose child holds its connection open beyond its end.
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
