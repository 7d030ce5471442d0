import Foundation
import TestSupport
import Testing

/// The player after its server has been killed.
@Suite("player: server lost", .serialized)
struct LossTests {
    static let rate = 48_000
    let directory: TemporaryDirectory
    let name: ServerName
    let file: String
    /// The shared memory of killed clients of this server's name: virtual devices that were
    /// unplugged.
    private let strangers: Set<String>

    init() throws {
        directory = try TemporaryDirectory()
        name = try ServerName()
        file = directory.file("long.wav")
        try SoundFile.write([Signal.counting(frames: Self.rate * 60)], sampleRate: Self.rate, to: file)
        let name = name.text
        strangers = Set(
            try FileManager.default.contentsOfDirectory(atPath: "/dev/shm").filter {
                $0.hasPrefix("jack_sem.") && $0.contains("_\(name)_") && !$0.hasSuffix("_player")
            })
    }

    private func startServer() throws -> JackServer {
        try JackServer(name, sampleRate: Self.rate, periodFrames: 256)
    }

    /// Starts a player and waits until it plays.
    private func startPlayer(_ arguments: String...) throws -> PlayerRun {
        let run = try PlayerRun(["--server", name.text, "--events", "json"] + arguments + [file])
        guard run.waitForLine("\"event\":\"position\"") else {
            throw TestFailure("The player did not play: \(run.errorLines)")
        }
        return run
    }

    private func positions(_ run: PlayerRun) -> [Double] {
        run.outLines.compactMap(parsed).filter { $0["event"] as? String == "position" }
            .compactMap { $0["seconds"] as? Double }
    }

    /// Returns what JACK keeps in shared memory under this server's name, without the semaphores of
    /// other clients that were killed before this test.
    private func sharedMemory() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/dev/shm").filter {
            $0.contains("_\(name.text)_") && !strangers.contains($0)
        }
    }

    @Test("SRV-1, SRV-2: ten players, each with a server that is killed: half of the servers return, half do not")
    func tenPlayers() throws {
        for round in 1...10 {
            let server = try startServer()
            let run = try startPlayer("--wait", round.isMultiple(of: 2) ? "1" : "20")
            server.kill()
            #expect(run.waitForLine("\"state\":\"lost\""))
            if round.isMultiple(of: 2) {
                #expect(run.exit() == 69)
                let sentence = "The JACK server died and did not return; start it again, then restart the player."
                #expect(run.errorLines == ["player: \(sentence)"])
                let last = try #require(run.outLines.last.flatMap(parsed))
                #expect(last["event"] as? String == "error" && last["code"] as? Int == 69)
                #expect(last["message"] as? String == sentence)
                #expect((last["time"] as? Double ?? 0) >= 1)
            } else {
                let next = try startServer()
                #expect(run.waitForLine("\"state\":\"reset\""))
                let count = positions(run).count
                #expect(run.waitForLine("\"event\":\"position\"", count: count + 1))
                run.send(SIGINT)
                #expect(run.exit() == 0)
                #expect(run.errorLines.isEmpty, "\(run.errorLines)")
                next.stop()
            }
            #expect(try run.outLines.allSatisfy { try parsed($0).map(hasPromisedKeys) == true })
        }
        // The next server of the name reuses what a killed one left, except its clients'
        // semaphores: one per client name, however often the server was killed. The next client of
        // that name removes it.
        try startServer().stop()
        let left = try sharedMemory()
        #expect(left.isEmpty || left == ["jack_sem.\(getuid())_\(name.text)_player"], "\(left)")
        let server = try startServer()
        let run = try startPlayer()
        run.send(SIGINT)
        #expect(run.exit() == 0)
        server.stop()
        let rest = try sharedMemory()
        #expect(rest.isEmpty, "\(rest)")
    }

    @Test("SRV-1, SRV-2: a player whose server is killed ten times continues; no thread and no descriptor leaks")
    func killedTenTimes() throws {
        var server = try startServer()
        let run = try startPlayer()
        var early: ResourceSnapshot?
        for round in 1...10 {
            server.kill()
            #expect(run.waitForLine("\"state\":\"lost\"", count: round))
            server = try startServer()
            #expect(run.waitForLine("\"state\":\"reset\"", count: round))
            let count = positions(run).count
            #expect(run.waitForLine("\"event\":\"position\"", count: count + 1))
            if round == 2 { early = try ResourceSnapshot(of: run.identifier) }
        }
        let before = try #require(early)
        let after = try ResourceSnapshot(of: run.identifier)
        // Dispatch creates and ends threads as needed: the count varies, but must not grow with
        // each round.
        #expect(after.threadCount <= before.threadCount + 4, "\(before.threads) became \(after.threads)")
        #expect(
            after.descriptorCount <= before.descriptorCount + 1, "\(before.descriptors) became \(after.descriptors)")
        let seconds = positions(run)
        #expect(zip(seconds, seconds.dropFirst()).allSatisfy { $0 < $1 + 0.001 }, "\(seconds)")
        run.send(SIGINT)
        #expect(run.exit() == 0)
    }

    @Test("SRV-2: a player that is suspended and resumed continues, whether or not its server removed it meanwhile")
    func frozenAndThawed() throws {
        let server = try startServer()
        defer { server.stop() }
        let run = try startPlayer()
        for _ in 1...3 {
            run.send(SIGSTOP)
            let before = positions(run).count
            #expect(!run.waitForLine("\"event\":\"position\"", count: before + 3, within: 1), "it is suspended")
            run.send(SIGCONT)
            #expect(run.waitForLine("\"event\":\"position\"", count: positions(run).count + 3))
        }
        let seconds = positions(run)
        #expect(zip(seconds, seconds.dropFirst()).allSatisfy { $0 < $1 + 0.001 }, "\(seconds)")
        run.send(SIGINT)
        #expect(run.exit() == 0)
        #expect(run.errorLines.isEmpty, "\(run.errorLines)")
    }

    @Test("A signal ends the player while the server is gone, and while it is suspended", arguments: [true, false])
    func signalMeanwhile(isKilled: Bool) throws {
        let server = try startServer()
        let heard = directory.file("heard.wav")
        let run = try startPlayer("--wait", "60", "--capture", heard)
        #expect(run.waitForLine("\"event\":\"position\"", count: 2))
        if isKilled {
            server.kill()
            #expect(run.waitForLine("\"state\":\"lost\""))
        } else {
            server.freeze()
        }
        run.send(SIGTERM)
        #expect(run.exit() == 0)
        #expect(run.errorLines.isEmpty, "\(run.errorLines)")
        let played = try SoundFile.read(heard).planes[0].filter { $0 != 0 }
        #expect(played.count > Self.rate / 2)
        #expect(Signal.firstDifference(played, Signal.counting(frames: played.count)) == nil)
    }
}
