import ArbiterTesting
import Foundation
import SessionArbiter
import SessionPolicy
import Testing

/// The service when its socket or its folder is removed: there is one arbiter, and it is reachable.
@Suite("Loss of the socket file", .serialized)
struct SocketLossTests {
    /// Waits until a service listens, and returns its process.
    private func listening(_ folder: TrialFolder) throws -> pid_t {
        var process: pid_t = 0
        let isListening = Limit.waits {
            guard let client = try? RawClient(folder.socket), (try? client.hello()) != nil else { return false }
            process = (try? client.report().process) ?? 0
            return process > 0
        }
        guard isListening else { throw TrialError("No service listens at '\(folder.socket)'.") }
        return process
    }

    @Test("A removed socket is made again, and the service and its clients continue", arguments: [1, 3])
    func socket(times: Int) throws {
        let stage = try ServiceFixture()
        for _ in 0..<times {
            unlink(stage.folder.socket)
            #expect(try listening(stage.folder) == stage.service.process)
        }
        #expect(try stage.witness.answer(to: .synchronise).code == nil)
        #expect(try stage.service.end() == 0)
        #expect(!stage.folder.files.contains("arbiter.socket"))
    }

    @Test("A socket that was renamed is replaced")
    func renamed() throws {
        let stage = try ServiceFixture()
        rename(stage.folder.socket, stage.folder.socket + ".old")
        #expect(try listening(stage.folder) == stage.service.process)
    }

    @Test("A removed folder is made again with the lock, so that no second service can start")
    func removedFolder() throws {
        let stage = try ServiceFixture()
        for _ in 0..<2 {
            try FileManager.default.removeItem(atPath: stage.folder.service)
            #expect(try listening(stage.folder) == stage.service.process)
            var facts = stat()
            #expect(stat(stage.folder.service, &facts) == 0 && facts.st_mode & 0o777 == 0o700)
            let second = try Program(
                try Program.built("audiosessiond"), ["--foreground"], environment: stage.folder.environment)
            #expect(try second.waitForEnd() == 75)
        }
        #expect(try stage.witness.answer(to: .synchronise).code == nil)
        #expect(stage.folder.files.contains("arbiter.state.json"))
    }

    @Test("A service in the background continues its log in the new folder")
    func log() throws {
        let folder = try TrialFolder()
        mkdir(folder.service, 0o700)
        let starter = try Program(
            try Program.built("arbiter-test-client"), ["--start", folder.socket],
            environment: folder.environment.merging(["AUDIOSESSIOND": try Program.built("audiosessiond")]) { $1 })
        let process = pid_t(try starter.readLine() ?? "") ?? 0
        #expect(process > 0)
        try FileManager.default.removeItem(atPath: folder.service)
        #expect(try listening(folder) == process)
        #expect(folder.text("audiosession/arbiter.log").contains("made again"))
        kill(process, SIGTERM)
        #expect(Limit.waits { !folder.files.contains("arbiter.socket") })
    }

    @Test("If a second service has started meanwhile, the older one leaves and disturbs nothing")
    func replaced() throws {
        let folder = try TrialFolder()
        let first = try Service(in: folder)
        let client = try RawClient(folder.socket)
        try client.hello()
        _ = try client.makeSession()
        first.program.send(SIGSTOP)
        try FileManager.default.removeItem(atPath: folder.service)
        let second = try Service(in: folder)
        let state = folder.text("audiosession/arbiter.state.json")
        first.program.send(SIGCONT)
        #expect(try first.program.waitForEnd() == 0)
        #expect(first.report.contains("another audiosessiond"), "\(first.report)")
        #expect(try listening(folder) == second.process)
        #expect(folder.text("audiosession/arbiter.state.json") == state)
        #expect(try second.end() == 0)
    }
}
