import Foundation
import TestSupport
import Testing

extension RealServers {
    /// Tests of audiosession-server's handling of clients of its control socket.
    @Suite(
        "The control socket of audiosession-server",
        .jackdOnly("The managed server is a jackd; PipeWire has tests of its own."))
    struct ServerControlTests {
        let name: ServerName
        let directory: TemporaryDirectory
        let server: ChildProcess
        let path: String

        init() throws {
            name = try ServerName()
            directory = try TemporaryDirectory()
            path = directory.file("control")
            let said = Pipe()
            server = try ChildProcess(
                try BuiltProgram.path("audiosession-server"),
                ["--name", name.text, "--driver", "dummy", "--idle-exit", "0", "--control", path, "--ready-fd", "1"],
                printingTo: (output: said.fileHandleForWriting.fileDescriptor, errors: 2))
            try said.fileHandleForWriting.close()
            let line = String(decoding: said.fileHandleForReading.availableData, as: UTF8.self)
            guard line == "ready\n" else { throw TestFailure("The server is not ready: \(line)") }
        }

        private func end() {
            server.send(SIGTERM)
            #expect(server.waitForEnd(seconds: 20))
            #expect(server.reap() == 0)
            #expect(!FileManager.default.fileExists(atPath: path))
        }

        @Test("The server reports its status, changes the sample rate, and gives the reason for a refusal")
        func requests() throws {
            #expect(try ControlPeer(path).ask("status") == "ok rate=48000 period=1024 driver=dummy clients=0")
            #expect(try ControlPeer(path).ask("rate 44100") == "ok 44100")
            #expect(try ControlPeer(path).ask("status") == "ok rate=44100 period=1024 driver=dummy clients=0")
            for rate in ["7999", "384001", "-1", "", " 48000", "48000.5", "99999999999999999999", "x"] {
                #expect(
                    try ControlPeer(path).ask("rate \(rate)")
                        == "error A rate must be a whole number from 8000 to 384000, not '\(rate)'.")
            }
            #expect(
                try ControlPeer(path).ask("stop") == "error Unknown request 'stop'; use 'rate' or 'status'.")
            end()
        }

        @Test("Only this user can connect to the control socket")
        func permissions() throws {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o077 } == 0)
            end()
        }

        @Test("A client that sends nothing, too much, or does not read does not block others")
        func hostile() throws {
            let silent = try (0..<40).map { _ in try ControlPeer(path) }
            let loud = try ControlPeer(path)
            #expect(try loud.ask(String(repeating: "x", count: 60_000)) == "error A request has at most 63 bytes.")
            for _ in 0..<20 { try ControlPeer(path).send("rate 44100") }
            for _ in 0..<20 { try ControlPeer(path).send("\0\0\0") }
            #expect(try ControlPeer(path).ask("rate 96000") == "ok 96000")
            withExtendedLifetime(silent) {}
            end()
        }

        @Test("The socket of a killed server is replaced; any other file stays, and prevents the start")
        func leftovers() throws {
            server.send(SIGKILL)
            #expect(server.waitForEnd(seconds: 20))
            server.reap()
            #expect(FileManager.default.fileExists(atPath: path))
            let program = try BuiltProgram.path("audiosession-server")
            let arguments = ["--name", name.text, "--driver", "dummy", "--idle-exit", "1", "--control"]
            #expect(try ChildProcess.run(program, arguments + [path]).status == 0)
            try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
            let refused = try ChildProcess.run(program, arguments + [path])
            #expect(refused.status == 69 && refused.output.contains("control socket '\(path)' cannot be created"))
            #expect(readText(path) == "mine")
        }
    }
}
