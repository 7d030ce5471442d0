import AudioRendering
import Foundation
import JackDriver
import TestSupport
import Testing

extension RealServers {
    @Suite("Managed server", .jackdOnly("The managed server is a jackd."))
    struct ManagedServerTests {
        let name: ServerName

        init() throws { name = try ServerName() }

        private func configuration(
            recovery: JackDriver.Recovery = .never, idleExit: Int = 1, periodFrames: Int = 256
        ) -> JackDriver.Configuration {
            JackDriver.Configuration(
                server: .managed, clientName: "managed-test", recovery: recovery,
                managedServer: ManagedServer(
                    name: name.text, sampleRate: 44_100, periodFrames: periodFrames, device: .none,
                    idleExit: idleExit))
        }

        /// Returns the processes that host the managed server, without those that wait to reap
        /// them.
        private func hosts() -> [pid_t] {
            let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            let programs = processes.compactMap { pid_t($0) }.filter { process in
                let words = readText("/proc/\(process)/cmdline").split(separator: "\0")
                return words.first?.hasSuffix("audiosession-server") == true && words.contains(name.text[...])
            }
            return programs.filter { programs.contains(parent(of: $0)) }
        }

        private func parent(of process: pid_t) -> pid_t {
            let line = readText("/proc/\(process)/status").split(separator: "\n").first { $0.hasPrefix("PPid:") }
            return line.flatMap { pid_t($0.dropFirst(5).filter { !$0.isWhitespace }) } ?? 0
        }

        /// Waits until a process that is not a child of this one has ended.
        private func waitForEnd(of process: pid_t) throws {
            try ChildProcess.run("tail", ["--pid=\(process)", "-s", "0.05", "-f", "/dev/null"])
        }

        @Test("Concurrent callers start one server with the requested values; it exits after the last client closes")
        func race() async throws {
            let players = try (0..<4).map { _ in try JackPlayer(configuration()) }
            let formats = try await withThrowingTaskGroup(of: HardwareFormat.self) { group in
                for player in players { group.addTask { try player.engine.open() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(formats.allSatisfy { $0.sampleRate == 44_100 && $0.periodFrames == 256 })
            let host = try #require(hosts().first)
            #expect(hosts().count == 1)
            for player in players { player.engine.close() }
            try waitForEnd(of: host)
            #expect(hosts().isEmpty)
        }

        @Test("The server runs while any client is connected, and serves clients that open meanwhile")
        func staysInUse() throws {
            let player = try JackPlayer(configuration())
            _ = try player.start()
            let host = try #require(hosts().first)
            #expect(try player.waitForFrames(44_100 * 2), "twice the idle timeout")
            #expect(hosts() == [host])
            player.engine.close()
            try waitForEnd(of: host)
        }

        @Test("After a kill, the next open starts it again")
        func killed() throws {
            let player = try JackPlayer(configuration())
            _ = try player.start()
            let host = try #require(hosts().first)
            kill(host, SIGKILL)
            #expect(player.waitForEvent { $0 == .serverGone })
            try player.engine.start()
            #expect(try player.waitForFrames(1000))
            let next = try #require(hosts().first)
            #expect(next != host)
            player.engine.close()
            try waitForEnd(of: next)
        }

        @Test("SRV-2: a server that is killed during playback is restarted by recovery")
        func recovers() throws {
            let player = try JackPlayer(configuration(recovery: .within(seconds: 30)))
            _ = try player.start()
            let host = try #require(hosts().first)
            kill(host, SIGKILL)
            #expect(
                player.waitForEvent {
                    if case .serverReturned = $0 { true } else { false }
                })
            #expect(try player.waitForFrames(1000))
            let next = try #require(hosts().first)
            #expect(next != host)
            player.engine.close()
            try waitForEnd(of: next)
        }

        @Test(
            "Callers wait for a server that starts more slowly than the call timeout, including those that did not start it"
        )
        func slow() async throws {
            let folder = try TemporaryDirectory()
            let server = (try VirtualDevice.program() as NSString).deletingLastPathComponent + "/audiosession-server"
            let script = folder.file("audiosession-server")
            // Simulates a device that opens slowly.
            try "#!/bin/sh\nsleep 5\nexec '\(server)' \"$@\"\n".write(
                toFile: script, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
            var configuration = configuration()
            configuration.managedServer.executable = script
            configuration.callTimeout = 3
            // The second player waits for the server that the first one starts.
            let players = [try JackPlayer(configuration), try JackPlayer(configuration)]
            try await withThrowingTaskGroup(of: Int.self) { group in
                for player in players { group.addTask { try player.engine.open().sampleRate } }
                for try await rate in group { #expect(rate == 44_100) }
            }
            let host = try #require(hosts().first)
            for player in players { player.engine.close() }
            try waitForEnd(of: host)
        }

        @Test("A failed start reports the reason")
        func cannotStart() throws {
            var configuration = configuration()
            configuration.managedServer.executable = "/nowhere/audiosession-server"
            #expect(
                throws: DriverError.cannotStartServer(
                    reason: "'/nowhere/audiosession-server' is not an executable program")
            ) { try JackPlayer(configuration).engine.open() }
            configuration.managedServer.executable = nil
            configuration.managedServer.sampleRate = 3
            do {
                try JackPlayer(configuration).engine.open()
                Issue.record("A rate of 3 Hz was accepted.")
            } catch {
                #expect("\(error)".contains("--rate takes a whole number from 8000 to 384000, not '3'"))
            }
        }
    }
}
