import Foundation
import TestSupport
import Testing

/// `audiosession-hand --inspect`, and what `audiosession doctor` makes of it, on a real PipeWire.
@Suite("foreign programs: inspection", .serialized)
struct InspectionTests {
    private func inspect(_ desktop: ForeignDesktop) throws -> (status: Int32, lines: [String]) {
        let (status, output) = try desktop.run(BuiltProgram.path("audiosession-hand"), ["--inspect"])
        return (status, output.split(separator: "\n").map(String.init))
    }

    @Test("It shows the version and pipewire-pulse, changes nothing, and exits")
    func plain() throws {
        let desktop = try ForeignDesktop(pulse: true)
        let program = try desktop.play()
        defer { program.send(SIGKILL) }
        let (status, lines) = try inspect(desktop)
        #expect(status == 0)
        #expect(lines.first?.hasPrefix("pipewire=") == true)
        #expect(lines.dropFirst() == ["pulse=1"])
        #expect(!FileManager.default.fileExists(atPath: desktop.folder.file("audiosession")))
    }

    @Test("A pulse server that systemd starts for the first program counts for doctor; --repair is refused")
    func activation() throws {
        let stage = try AdoptionStage()
        let pulse = stage.desktop.folder.file("pulse")
        try FileManager.default.createDirectory(atPath: pulse, withIntermediateDirectories: true)
        try "".write(toFile: pulse + "/native", atomically: false, encoding: .utf8)
        let (_, output) = try stage.desktop.run(BuiltProgram.path("audiosession"), ["doctor"])
        #expect(output.contains("ok       adoption: running") && !output.contains("pipewire-pulse"), "\(output)")
        let (status, error) = try stage.desktop.run(
            BuiltProgram.path("audiosession-hand"), ["--inspect", "--repair"])
        #expect(status == 64 && error.contains("cannot be combined"))
    }

    @Test("It shows JACK clients")
    func jack() throws {
        let desktop = try ForeignDesktop()
        let device = try ChildProcess(
            "pw-jack",
            [
                BuiltProgram.path("audiosession-device"), "--name", "counter", "--type", "headphones", "--inputs", "1",
                "--outputs", "0", "--ramp",
            ], environment: desktop.environment)
        defer { device.send(SIGKILL) }
        #expect(try eventually { try inspect(desktop).lines.contains("jack=counter") }, "\(device.output)")
        #expect(try !inspect(desktop).lines.contains("pulse=1"))
    }

    /// Writes a role policy with one role for WirePlumber 0.4, and one for 0.5. Each version reads
    /// its own.
    private func writeRolePolicy(_ desktop: ForeignDesktop) throws {
        let folder = desktop.folder.file("config/wireplumber")
        for name in ["policy.lua.d", "wireplumber.conf.d"] {
            try FileManager.default.createDirectory(atPath: folder + "/" + name, withIntermediateDirectories: true)
        }
        try """
        default_policy.policy.roles = { ["Multimedia"] = { ["priority"] = 25, ["action.default"] = "cork" } }
        default_policy.endpoints = { ["endpoint.multimedia"] = { ["media.class"] = "Audio/Sink", ["role"] = "Multimedia" } }
        """.write(toFile: folder + "/policy.lua.d/50-endpoints-config.lua", atomically: true, encoding: .utf8)
        try """
        wireplumber.profiles = { main = { loopback.sink.role.multimedia = required } }
        wireplumber.components = [
          { name = libpipewire-module-loopback, type = pw-module, provides = loopback.sink.role.multimedia
            arguments = {
              node.name = "loopback.sink.role.multimedia"
              capture.props = {
                device.intended-roles = [ "Music", "Movie" ], media.class = Audio/Sink
                policy.role-based.target = true, policy.role-based.priority = 10
                policy.role-based.action.same-priority = "mix", policy.role-based.action.lower-priority = "cork"
              }
              playback.props = { node.passive = true, media.role = "Loopback" }
            } }
        ]
        """.write(toFile: folder + "/wireplumber.conf.d/roles.conf", atomically: true, encoding: .utf8)
    }

    @Test("It shows the nodes of a role policy, and doctor warns about them")
    func roles() throws {
        let stage = try AdoptionStage()
        let desktop = stage.desktop
        #expect(try !inspect(desktop).lines.contains { $0.hasPrefix("role=") })
        try writeRolePolicy(desktop)
        desktop.killSessionManager()
        try desktop.startSessionManager()
        #expect(
            try eventually {
                try inspect(desktop).lines.contains { $0.hasPrefix("role=") && $0.hasSuffix(".multimedia") }
            })
        // It finds errors of this machine, such as a missing sound card.
        let (_, output) = try desktop.run(BuiltProgram.path("audiosession"), ["doctor"])
        #expect(output.contains("warning  adoption: WirePlumber lowers and pauses programs by their role, too"))
        #expect(output.contains("ok       adoption: running, pid \(stage.adoptionProcess)"), "\(output)")
        #expect(output.contains("warning  adoption: pipewire-pulse does not run"))
    }

    @Test("Without PipeWire it says so and exits with 69; one that does not answer is given up after 2 s")
    func absent() throws {
        let desktop = try ForeignDesktop()
        kill(desktop.pipeWire.identifier, SIGSTOP)
        let stopped = try inspect(desktop)
        kill(desktop.pipeWire.identifier, SIGCONT)
        #expect(stopped.status == 69 && stopped.lines.last?.contains("does not answer") == true)
        desktop.killPipeWire()
        let ended = try inspect(desktop)
        #expect(ended.status == 69 && ended.lines.last?.contains("Cannot connect to PipeWire") == true)
    }
}
