import Foundation
import JackDriver
import TestSupport
import Testing

extension RealServers {
    @Suite("The program audiosession-server", .jackdOnly("The managed server is a jackd."))
    struct ServerProgramTests {
        let name: ServerName
        let program: String

        init() throws {
            name = try ServerName()
            program = try BuiltProgram.path("audiosession-server")
        }

        private func run(_ arguments: String...) throws -> (status: Int32, output: String) {
            try ChildProcess.run(program, arguments)
        }

        @Test("--help is complete and exits with 0")
        func help() throws {
            let (status, output) = try run("--help")
            #expect(status == 0)
            for option in ["--name", "--driver", "--device", "--rate", "--period", "--idle-exit", "--sync", "--detach"]
            {
                #expect(output.contains(option))
            }
        }

        @Test(
            "An invalid argument is a usage error, in one sentence",
            arguments: [
                (["--loud"], "Unknown option '--loud'; --help lists the options."),
                (["--rate"], "--rate needs a value; see --help."),
                (["--rate", "3"], "--rate takes a whole number from 8000 to 384000, not '3'."),
                (["--rate", "48000.5"], "--rate takes a whole number from 8000 to 384000, not '48000.5'."),
                (["--period", "-1"], "--period takes a whole number from 16 to 8192, not '-1'."),
                (
                    ["--idle-exit", "99999999999999999999"],
                    "--idle-exit takes a whole number from 0 to 86400, not '99999999999999999999'."
                ),
                (["--driver", "tape"], "--driver takes auto, alsa or dummy, not 'tape'."),
                (["--name", ""], "--name takes 1 to 31 letters, digits, '-', '_' or '.', not ''."),
                (["--name", "a/b"], "--name takes 1 to 31 letters, digits, '-', '_' or '.', not 'a/b'."),
                (["--ready-fd", "77"], "--ready-fd names descriptor 77, which is not open."),
            ])
        func usage(arguments: [String], sentence: String) throws {
            let (status, output) = try ChildProcess.run(program, arguments)
            #expect(status == 64)
            #expect(output == "audiosession-server: \(sentence)\n")
        }

        @Test("A name in use is reported, and the server with that name continues to run")
        func nameTaken() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let (status, output) = try run("--name", name.text, "--driver", "dummy")
            #expect(status == 69)
            #expect(output.contains("The JACK server '\(name.text)' cannot run"))
            let listing = try ChildProcess.run("jack_lsp", [], environment: server.environment)
            #expect(listing.output.contains("system:playback_1"))
        }

        @Test("Without clients, the server exits on its own, without output")
        func idle() throws {
            let (status, output) = try run("--name", name.text, "--driver", "dummy", "--idle-exit", "1")
            #expect(status == 0)
            #expect(output.isEmpty)
        }

        @Test("SIGTERM and SIGINT shut the server down in order", arguments: [SIGTERM, SIGINT])
        func signals(signal: Int32) throws {
            let server = try ChildProcess(program, ["--name", name.text, "--driver", "dummy", "--idle-exit", "0"])
            let wait = try ChildProcess.run("jack_wait", ["-w", "-s", name.text, "-t", "20"])
            #expect(wait.status == 0)
            server.send(signal)
            #expect(server.waitForEnd(seconds: 20))
            #expect(server.reap() == 0)
            #expect(server.output.isEmpty)
        }

        @Test("Detached by a program that ignores SIGCHLD, no process is left after the server's exit")
        func ignoredChildSignal() throws {
            let arguments = ["--name", name.text, "--driver", "dummy", "--idle-exit", "1", "--detach"]
            let start = try ChildProcess.run("env", ["--ignore-signal=CHLD", program] + arguments)
            #expect(start.status == 0, "\(start.output)")
            // The server and its reaping parent.
            for process in OtherProcess.find(program: "audiosession-server", arguments: ["--name", name.text]) {
                try OtherProcess.waitForEnd(of: process, seconds: 60)
            }
        }
    }
}
