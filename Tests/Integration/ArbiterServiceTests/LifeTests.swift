import ArbiterTesting
import CSessionGate
import Foundation
import SessionArbiter
import SessionPolicy
import Testing

/// How the service begins and ends, and the state that it leaves for the next one.
@Suite("Life of the service", .serialized)
struct LifeTests {
    @Test("Without clients, the service exits and removes its socket")
    func idleExit() throws {
        let folder = try TrialFolder()
        let service = try Service(in: folder, configuration: "service: {idle-exit: 2}")
        var client: RawClient? = try RawClient(folder.socket)
        try client?.hello()
        client = nil
        #expect(try service.program.waitForEnd() == 0)
        #expect(!folder.files.contains("arbiter.socket"))
        #expect(Set(folder.files).isSubset(of: ["arbiter.lock", "arbiter.running", "arbiter.state.json"]))
    }

    @Test("The service does not exit while there is a call that no connection holds")
    func staysForACall() throws {
        let folder = try TrialFolder()
        let service = try Service(in: folder, configuration: try Service.trusting(nil, "service: {idle-exit: 2}"))
        var client: RawClient? = try RawClient(folder.socket)
        try client?.hello()
        let call = try #require(
            try client?.ask(.beginSystemSession(rank: .call, isRinging: true, isKept: true)).session)
        client = nil
        let before = try processorTime(of: service.process)
        #expect(throws: TrialError.self) { try service.program.waitForEnd(within: 4) }
        #expect(try processorTime(of: service.process) - before < 20, "it waits without a busy loop")
        client = try RawClient(folder.socket)
        try client?.hello()
        try client?.ask(.endSystemSession(call, shouldResume: true))
        client = nil
        #expect(try service.program.waitForEnd() == 0)
    }

    @Test("A second service reports that one is running: status 75")
    func second() throws {
        let stage = try ServiceFixture()
        let second = try Program(
            try Program.built("audiosessiond"), ["--foreground"], environment: stage.folder.environment)
        #expect(try second.waitForEnd() == 75)
        #expect(try stage.witness.answer(to: .synchronise).code == nil)
        let reported = try Program(
            try Program.built("audiosessiond"), ["--ready-fd", "3"], environment: stage.folder.environment,
            outputAlsoAt3: true)
        let line = try #require(try reported.readLine())
        #expect(line.contains("is already running there"))
        #expect(try reported.waitForEnd() >= 0)
    }

    @Test("In the background, --socket and --config may be relative to the working directory")
    func relativePaths() throws {
        let folder = try TrialFolder()
        mkdir(folder.service, 0o700)
        _ = try folder.write("service: {idle-exit: 60.0}", as: "own.yaml")
        let start = """
            cd '\(folder.path)' &&
            exec '\(try Program.built("audiosessiond"))' --socket audiosession/arbiter.socket --config own.yaml
            """
        let command = try Program("/bin/sh", ["-c", start], environment: folder.environment)
        #expect(try command.waitForEnd() == 0)
        var accepted: RawClient?
        #expect(
            Limit.waits {
                accepted = try? RawClient(folder.socket)
                return accepted != nil
            }, "\(folder.text("audiosession/arbiter.log"))")
        let client = try #require(accepted)
        try client.hello()
        kill(try client.report().process, SIGTERM)
        try client.awaitEnd()
    }

    @Test("The next service removes the socket of a killed one", arguments: [SIGKILL, SIGTERM])
    func staleSocket(signal: Int32) throws {
        let folder = try TrialFolder()
        for _ in 0..<3 {
            let service = try Service(in: folder)
            try RawClient(folder.socket).hello()
            let status = try service.end(signal)
            #expect(status == (signal == SIGKILL ? 128 + SIGKILL : 0))
        }
        #expect(folder.files.contains("arbiter.socket") == (signal == SIGKILL))
    }

    @Test("A kept system session outlives its connection and the service")
    func kept() throws {
        let folder = try TrialFolder()
        var service = try Service(in: folder, configuration: try Service.trusting())
        var client = try RawClient(folder.socket)
        try client.hello()
        let call = try #require(try client.ask(.beginSystemSession(rank: .call, isRinging: true, isKept: true)).session)
        try client.ask(.setSilentSwitch(true))
        try client.ask(.setVolume(0.25))
        let headphones = AudioDevice(
            uid: "headphones",
            ports: [
                DevicePort(
                    uid: "headphones-out", name: "Headphones", type: .headphones, direction: .output, channels: 2)
            ])
        try client.ask(.plug(headphones))
        try client.ask(.pick(.output, "headphones-out"))
        try client.ask(.acceptCall(call))
        let before = try client.report()
        #expect(try service.end(SIGKILL) == 128 + SIGKILL)
        service = try Service(in: folder, configuration: try Service.trusting())
        client = try RawClient(folder.socket)
        try client.hello()
        let after = try client.report()
        #expect(after.arbiter != before.arbiter)
        #expect(after.sessions.map(\.status.session.id) == [call])
        var system = after.system
        system.reservedGrants = before.system.reservedGrants
        #expect(system == before.system)
        let (_, gate) = try client.makeSession()
        #expect(gate.waits { $0.paused })
        #expect(gate.volume.gain == 0.25)
        try client.ask(.endSystemSession(call, shouldResume: true))
        #expect(try client.ask(.register(app: nil)).session != call, "no number is used twice")
    }

    @Test(
        "However it ends, the next service relaxes no grant before its clients have reconnected (SRV-3)",
        arguments: [SIGKILL, SIGTERM])
    func waitsForClients(signal: Int32) throws {
        let folder = try TrialFolder()
        let configuration = "service: {rebuild-limit: 4}"
        let first = try Service(in: folder, configuration: configuration)
        let (a, b) = (try TestClient(folder.socket), try TestClient(folder.socket))
        let interrupted = try a.play()
        let playing = try b.play()
        try a.awaitNotice(interrupted, .interruptionBegan(.default))
        let records = try [(a, interrupted), (b, playing)].map { client, id in
            let update = try #require(client.status(of: id))
            return ClientMessage.Restoration(
                record: SessionRecord(
                    session: update.status.session, grantNumber: update.grantNumber, pending: update.pending,
                    app: AppState(id: update.status.session.app), resolvedGrant: update.status.resolvedGrant),
                gate: GateWords(grant: 0, volume: 0))
        }
        let arbiter = try RawClient(folder.socket).hello().arbiter
        _ = try first.end(signal)
        let second = try Service(in: folder, configuration: configuration)
        for client in [a, b] {
            try client.awaitEnd()
            client.reconnect()
            client.messages = []
            _ = try client.ask(.hello(.init(arbiter: arbiter, restoring: 1))).get()
        }
        // The waiting session is restored first. The decision is made only when the other one is
        // restored.
        try a.say(.restore(records[0]))
        #expect(try b.ask(.restore(records[1])).get().session == playing)
        _ = try a.ask(.synchronise).get()
        #expect(
            a.messages.allSatisfy { if case .notice = $0 { false } else { true } },
            "nothing changed for it: \(a.messages)")
        #expect(a.status(of: interrupted)?.status.session.activity == records[0].record.session.activity)
        withExtendedLifetime(second) {}
    }

    @Test("No client can take over the arbiter's own call after its death by restoring its number (SRV-3, SIM-1)")
    func keptCallIsNobodys() throws {
        let folder = try TrialFolder()
        let first = try Service(in: folder, configuration: try Service.trusting())
        let tool = try RawClient(folder.socket)
        try tool.hello()
        let call = try #require(
            try tool.ask(.beginSystemSession(rank: .call, isRinging: false, isKept: true)).session)
        // A client with a session of its own, so that the next service waits for it.
        let client = try TestClient(folder.socket)
        _ = try client.ask(.hello(.init())).get()
        _ = try client.ask(.register(app: nil)).get()
        _ = try first.end(SIGKILL)
        let second = try Service(in: folder, configuration: "service: {rebuild-limit: 2}")
        let thief = try RawClient(folder.socket)
        let app = try thief.hello(.init(arbiter: 1, restoring: 1)).app
        let record = SessionRecord(
            session: SessionState(id: call, app: app), grantNumber: .max / 2, app: AppState(id: app))
        let gate = GateWords(grant: 0, volume: 0)
        let answer = try thief.answer(to: .restore(.init(record: record, gate: gate)))
        #expect(throws: RequestError.self) { try answer.get() }
        #expect(throws: RequestError.self) { try thief.ask(.endSystemSession(call, shouldResume: true)) }
        #expect(try thief.report().system.sessions.map(\.session.id) == [call])
        withExtendedLifetime((second, client)) {}
    }

    @Test("No number is used twice, even after deaths")
    func numbers() throws {
        let folder = try TrialFolder()
        var given: Set<SessionID> = []
        for round in 0..<4 {
            let service = try Service(in: folder)
            let client = try RawClient(folder.socket)
            try client.hello()
            for _ in 0..<30 {
                let id = try #require(try client.ask(.register(app: nil)).session)
                #expect(given.insert(id).inserted, "\(id) was used before")
                try client.ask(.unregister(id))
            }
            _ = try service.end(round % 2 == 0 ? SIGKILL : SIGTERM)
        }
    }

    @Test(
        "A damaged state file is moved aside with a warning, and the service starts with an empty state",
        arguments: ["", "{", "[]", "{\"version\": 99}", "\u{0}", #"{"version":1,"arbiter":1}"#])
    func damagedState(text: String) throws {
        let folder = try TrialFolder()
        mkdir(folder.service, 0o700)
        try text.write(toFile: folder.state, atomically: false, encoding: .utf8)
        let service = try Service(in: folder)
        let client = try RawClient(folder.socket)
        try client.hello()
        #expect(try client.report().sessions.isEmpty)
        #expect(folder.files.contains("arbiter.state.json.damaged"))
        #expect(service.report.contains("damaged"))
    }

    @Test("A state file with valid syntax but nonsensical content does not end the service")
    func strangeState() throws {
        let folder = try TrialFolder()
        var service = try Service(in: folder, configuration: try Service.trusting())
        var client = try RawClient(folder.socket)
        try client.hello()
        try client.ask(.beginSystemSession(rank: .call, isRinging: false, isKept: true))
        _ = try client.makeSession()
        _ = try service.end(SIGKILL)
        let text = try String(contentsOfFile: folder.state, encoding: .utf8)
        for (old, new) in [
            ("\"volume\" : 1", "\"volume\" : -7"),
            ("\"reservedSessions\" : 100", "\"reservedSessions\" : 18446744073709551615"),
        ] {
            try text.replacingOccurrences(of: old, with: new).write(
                toFile: folder.state, atomically: false, encoding: .utf8)
            service = try Service(in: folder, configuration: try Service.trusting())
            client = try RawClient(folder.socket)
            try client.hello()
            _ = try client.answer(to: .register(app: nil))
            #expect(try client.answer(to: .synchronise).code == nil, "\(new)")
            _ = try service.end(SIGKILL)
        }
    }

    @Test(
        "Session numbers that no arbiter assigns are dropped from a state file, and numbers continue",
        arguments: [UInt64.max, UInt64.max - 1, UInt64.max / 2, 0])
    func impossibleNumbers(number: UInt64) throws {
        let folder = try TrialFolder()
        var service = try Service(in: folder, configuration: try Service.trusting())
        var client = try RawClient(folder.socket)
        try client.hello()
        try client.ask(.beginSystemSession(rank: .call, isRinging: false, isKept: true))
        _ = try service.end(SIGKILL)
        let data = try Data(contentsOf: URL(filePath: folder.state))
        var state = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        var system = try #require(state["system"] as? [String: Any])
        var sessions = try #require(system["sessions"] as? [[String: Any]])
        var session = try #require(sessions.first?["session"] as? [String: Any])
        session["id"] = number
        sessions[0]["session"] = session
        system["sessions"] = sessions
        state["system"] = system
        try JSONSerialization.data(withJSONObject: state).write(to: URL(filePath: folder.state))
        for _ in 0..<2 {
            service = try Service(in: folder, configuration: try Service.trusting())
            client = try RawClient(folder.socket)
            try client.hello()
            #expect(try client.report().sessions.isEmpty)
            for _ in 0..<3 {
                let id = try #require(try client.ask(.register(app: nil)).session)
                #expect((1...1_000).contains(id.rawValue))
            }
            _ = try service.end(SIGKILL)
        }
        #expect(service.report.contains("dropped"), "\(service.report)")
    }

    @Test("systemd's socket activation starts the service on demand")
    func socketActivation() throws {
        let folder = try TrialFolder()
        mkdir(folder.service, 0o700)
        let activation = try Program(
            "/usr/bin/env",
            [
                "systemd-socket-activate", "--seqpacket", "--listen=\(folder.socket)",
                "--setenv=XDG_RUNTIME_DIR=\(folder.path)", "--setenv=XDG_CONFIG_HOME=\(folder.path)",
                try Program.built("audiosessiond"), "--foreground",
            ], environment: folder.environment, errorsTo: folder.path + "/activation.err")
        #expect(Limit.waits { FileManager.default.fileExists(atPath: folder.socket) })
        #expect(!folder.files.contains("arbiter.running"), "no client has connected yet")
        // The socket has its name before it listens. A connection that it refuses does not activate
        // the service.
        var accepted: RawClient?
        #expect(
            Limit.waits {
                accepted = try? RawClient(folder.socket)
                return accepted != nil
            })
        let client = try #require(accepted)
        try client.hello()
        let (id, gate) = try client.makeSession()
        try client.ask(.activate(id))
        #expect(gate.waits { !$0.paused })
        #expect(try client.report().process == activation.process, "it has become the service")
        activation.send(SIGTERM)
        #expect(try activation.waitForEnd() == 0)
        #expect(folder.files.contains("arbiter.socket"), "the socket belongs to systemd")
    }

    @Test("Twenty clients at once start one service")
    func race() throws {
        let folder = try TrialFolder()
        mkdir(folder.service, 0o700)
        let environment = folder.environment.merging(["AUDIOSESSIOND": try Program.built("audiosessiond")]) { $1 }
        let starters = try (0..<20).map { _ in
            try Program(
                try Program.built("arbiter-test-client"), ["--start", folder.socket], environment: environment,
                errorsTo: folder.path + "/starters.err")
        }
        let processes = try starters.map { try $0.readLine() ?? "" }
        #expect(Set(processes).count == 1, "\(processes)")
        let service = pid_t(processes[0]) ?? 0
        #expect(service > 0)
        let client = try RawClient(folder.socket)
        try client.hello()
        #expect(try Limit.waits { try client.report().clients.count == 21 })
        for starter in starters { starter.endInput() }
        for starter in starters { #expect(try starter.waitForEnd() == 0) }
        #expect(try Limit.waits { try client.report().clients.count == 1 })
        kill(service, SIGTERM)
        try client.awaitEnd()
        #expect(Limit.waits { kill(service, 0) != 0 || isZombie(service) })
    }

    private func isZombie(_ process: pid_t) -> Bool {
        ((try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? "").contains(") Z ")
    }
}
