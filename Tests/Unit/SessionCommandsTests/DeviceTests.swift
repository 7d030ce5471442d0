import Foundation
import SessionPolicy
import Testing

@testable import SessionCommands

/// Virtual devices on an audio server, and the display of devices.
@Suite struct DeviceTests {
    private let arbiter: PolicyArbiterClient

    init() throws { arbiter = try PolicyArbiterClient.scene() }

    /// Reports devices like an app that uses the server.
    private func see(_ app: UInt64, _ server: String, _ devices: AudioDevice...) throws {
        try arbiter.decide(.setDevices(AppID(app), server: server, devices))
    }

    private static func device(_ uid: String, _ name: String, _ type: PortType) -> AudioDevice {
        AudioDevice(
            uid: uid,
            ports: [DevicePort(uid: uid + ":output", name: name, type: type, direction: .output, channels: 2)])
    }

    @Test("SIM-4: a virtual device is a program on the running server; apps on that server report it to the policy")
    func programs() throws {
        let programs = FakePrograms(on: FakePrograms.server("audiosession"))
        let devices = Devices(arbiter, programs)
        let done = try devices.plug("phones", .headphones, outputs: nil, inputs: 1)
        #expect(done.text == "phones is plugged in as headphones on audiosession.")
        #expect(
            try done.json == """
                {"done":"device plug phones","message":"phones is plugged in as headphones on audiosession.",\
                "server":"audiosession","silent":false}
                """)
        #expect(programs.devices.map(\.type) == [.headphones])
        #expect(programs.devices.map(\.outputs) == [2] && programs.devices.map(\.inputs) == [1])
        #expect(arbiter.state.devices.isEmpty, "the apps report it")
        #expect(
            try devices.list().text == "phones (virtual device: headphones 2 out, headsetMic 1 in, on audiosession)")
        try see(101, "audiosession", Self.device("phones", "phones", .headphones))
        #expect(
            try devices.list().text
                == "phones (virtual device: headphones 2 out, on audiosession, used by music (pid 101))")
        let twice = CommandError(
            .usage, "A virtual device 'phones' is already plugged in; unplug it first, or use another name.")
        #expect(throws: twice) { try devices.plug("phones", .hdmi, outputs: nil, inputs: nil, policyOnly: true) }
        #expect(try devices.unplug("phones").text == "phones is unplugged.")
        #expect(programs.devices.isEmpty)
        #expect(arbiter.state.devices.count == 1, "the apps report its removal")
    }

    @Test("SIM-4: without a server, or with --policy-only, a virtual device exists for the policy only, as reported")
    func policyOnly() throws {
        let devices = Devices(arbiter, FakePrograms(on: FakePrograms.server(nil)))
        let done = try devices.plug("tv", .hdmi, outputs: nil, inputs: nil, policyOnly: true)
        #expect(done.text == "tv is plugged in as hdmi for the policy only, without sound.")
        #expect(try done.json.contains(#""silent":true"#))
        let object = try JSONSerialization.jsonObject(with: Data(devices.list().json.utf8)) as? [String: Any]
        let listed = try #require((object?["devices"] as? [[String: Any]])?.first)
        #expect(Set(listed.keys) == ["uid", "name", "virtual", "silent", "usedBy", "ports"])
        #expect(listed["silent"] as? Bool == true && listed["usedBy"] as? [Int] == [101, 102, 103])
        #expect(try devices.unplug("tv").text == "tv is unplugged.")
        #expect(arbiter.state.devices.isEmpty)
    }

    @Test("A virtual device that fails to start, and invalid names, change nothing")
    func failures() throws {
        let programs = FakePrograms(on: FakePrograms.server(nil))
        programs.failure = CommandError(.unavailable, "no")
        let devices = Devices(arbiter, programs)
        #expect(throws: CommandError(.unavailable, "no")) {
            try devices.plug("phones", .headphones, outputs: nil, inputs: nil)
        }
        let name = CommandError(
            .usage, #"Invalid device name 'a:b': on an audio server, names must not contain :, /, " or \."#)
        #expect(throws: name) { try devices.plug("a:b", .headphones, outputs: nil, inputs: nil) }
        #expect(arbiter.state.devices.isEmpty && programs.devices.isEmpty)
    }

    @Test("status and device list show the servers, including PipeWire, and which apps use each device")
    func servers() throws {
        try see(101, "pipewire", Self.device("server", "Output of PipeWire", .virtual))
        try see(102, "default", Self.device("alsa:PCH", "PCH", .pci), Self.device("tv", "tv", .hdmi))
        let programs = FakePrograms(on: FakePrograms.server(nil))
        #expect(
            try Devices(arbiter, programs).list().text == """
                Output of PipeWire (virtual 2 out, on PipeWire, used by music (pid 101))
                PCH (pci 2 out, on default)
                tv (hdmi 2 out, on default, used by podcast (pid 102))
                """)
        let server = FakePrograms.server(nil, "PipeWire 1.2.7")
        let outcome = StatusResult(
            server: server, library: "3.0.0.0 (using PipeWire 1.2.7)", report: arbiter.report, socket: "/s",
            now: arbiter.now)
        let lines = outcome.text.split(separator: "\n")
        #expect(lines[0].hasPrefix("server          PipeWire: PipeWire 1.2.7, 48000 Hz"))
        #expect(
            lines[1]
                == "JACK library    3.0.0.0 (using PipeWire 1.2.7), provided by PipeWire; connects to PipeWire")
        #expect(lines[3] == "apps' servers   default: podcast (pid 102); PipeWire: music (pid 101)")
        #expect(try outcome.json.contains(#""servers":{"default":[102],"pipewire":[101]}"#))
    }

    @Test("doctor reports apps on different servers, and devices of unknown type with the setting to add")
    func doctor() throws {
        var machine = Machine()
        machine.configuration = "/home/x/audiosession.yaml"
        func findings() -> [Finding] {
            let report = arbiter.report
            machine.arbiter = { .running(report, path: "/s") }
            return DeviceTypes().examine(machine)
        }
        #expect(findings().isEmpty)
        try see(101, "default", Self.device("alsa:PCH", "PCH", .pci))
        #expect(findings().map(\.finding) == ["default: music (pid 101)", "1 device of known type"])
        try see(102, "pipewire", Self.device("server", "Output of PipeWire", .virtual))
        let found = findings()
        #expect(found.map(\.state) == [.warning, .warning] && found.map(\.check) == ["apps' servers", "devices"])
        #expect(
            found.map(\.finding) == [
                "default: music (pid 101); PipeWire: podcast (pid 102): apps on one server cannot use the devices of another",
                "'Output of PipeWire' (PipeWire) is of unknown type, so other devices are preferred",
            ])
        #expect(found.last?.fix?.contains("under 'devices'") == true)
        #expect(found.last?.fix?.contains("/home/x/audiosession.yaml") == true)
    }
}
