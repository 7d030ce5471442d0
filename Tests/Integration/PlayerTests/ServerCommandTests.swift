import Foundation
import TestSupport
import Testing

/// The command `audiosession server` on a real JACK server without a device.
@Suite("audiosession: server", .serialized)
struct ServerCommandTests {
    private func run(_ line: String) throws -> (status: Int32, output: String) {
        let program = (try PlayerRun.program as NSString).deletingLastPathComponent + "/audiosession"
        return try ChildProcess.run(
            program, line.split(separator: " ").map(String.init), environment: ["JACK_NO_AUDIO_RESERVATION": "1"])
    }

    @Test(
        "A server is started, shown, restarted with its previous settings, and stopped; commands in a wrong state are usage errors"
    )
    func life() throws {
        let name = try ServerName()
        let server = name.text
        #expect(try run("server status --name \(server)").status == 69)
        #expect(try run("server stop --name \(server)").status == 64)

        let started = try run("server start --driver dummy --rate 44100 --period 256 --name \(server)")
        #expect(started.status == 0)
        #expect(started.output.hasPrefix("Started. \(server): jackd2 "), "\(started.output)")
        #expect(started.output.contains("44100 Hz, period 256 frames (5.8 ms)"))
        #expect(try run("server start --name \(server)").output.hasPrefix("Already running. "))
        #expect(try run("server start --period 512 --name \(server)").status == 64)

        let status = try run("server status --json --name \(server)")
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any])
        #expect(object["reachable"] as? Bool == true)
        #expect(object["periodFrames"] as? Int == 256)
        let first = try #require(object["process"] as? Int)

        let restarted = try run("server restart --period 512 --name \(server)")
        #expect(restarted.output.contains("44100 Hz, period 512 frames"), "\(restarted.output)")
        #expect(kill(pid_t(first), 0) == -1)

        let stopped = try run("server stop --name \(server)")
        #expect(stopped.status == 0)
        #expect(stopped.output.hasPrefix("Server '\(server)' (pid "))
        #expect(OtherProcess.find(program: "audiosession-server", arguments: ["--name", server]).isEmpty)
    }

    @Test("A server that is not managed is not ended")
    func others() throws {
        let server = try JackServer(ServerName())
        let (status, output) = try run("server stop --name \(server.name)")
        #expect(status == 77)
        #expect(output.contains("is not a managed server of this user"), "\(output)")
        #expect(try run("server status --name \(server.name)").status == 0)
    }

    @Test("doctor reports a default server that hangs as an error, and waits for it once")
    func hangingServer() throws {
        let server = try JackServer(ServerName())
        let program = (try PlayerRun.program as NSString).deletingLastPathComponent + "/audiosession"
        server.freeze()
        defer { server.thaw() }
        let begin = ContinuousClock.now
        let (status, output) = try ChildProcess.run(program, ["doctor", "--json"], environment: server.environment)
        #expect(ContinuousClock.now - begin < .seconds(9), "it looks for the server once")
        #expect(status == 69)
        let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
        let findings = try #require(object?["findings"] as? [[String: Any]])
        let finding = try #require(findings.first { $0["check"] as? String == "JACK server" })
        #expect(finding["state"] as? String == "error")
        #expect((finding["fix"] as? String)?.contains("kill -CONT") == true, "\(finding)")
    }
}
