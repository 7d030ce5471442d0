import Foundation
import SessionPolicy
import Testing

@testable import Switchboard

/// Stand-ins on an audio server, and what is shown of devices.
@Suite struct DeviceTests {
    private let desk: PolicyDesk

    init() throws { desk = try PolicyDesk.scene() }

    /// As an app that uses the server tells it.
    private func see(_ app: UInt64, _ server: String, _ devices: Device...) throws {
        try desk.decide(.setDevices(AppID(app), server: server, devices))
    }

    private static func device(_ uid: String, _ name: String, _ type: PortType) -> Device {
        Device(
            uid: uid,
            ports: [DevicePort(uid: uid + ":output", name: name, type: type, direction: .output, channels: 2)])
    }

    @Test("SIM-4: a stand-in is a program on the server that runs; the rules hear of it by the apps there")
    func programs() throws {
        let programs = FakePrograms(on: FakePrograms.server("audiosession"))
        let devices = Devices(desk, programs)
        let done = try devices.plug("phones", .headphones, outputs: nil, inputs: 1)
        #expect(done.words == "phones is plugged in as headphones on audiosession.")
        #expect(
            try done.json == """
                {"done":"device plug phones","message":"phones is plugged in as headphones on audiosession.",\
                "server":"audiosession","silent":false}
                """)
        #expect(programs.devices.map(\.type) == [.headphones])
        #expect(programs.devices.map(\.outputs) == [2] && programs.devices.map(\.inputs) == [1])
        #expect(desk.state.devices.isEmpty, "whoever sees it tells")
        #expect(try devices.list().words == "phones (stand-in: headphones 2 out, headsetMic 1 in, on audiosession)")
        try see(101, "audiosession", Self.device("phones", "phones", .headphones))
        #expect(
            try devices.list().words
                == "phones (stand-in: headphones 2 out, on audiosession, used by music (pid 101))")
        let twice = SwitchboardError(
            .usage, "A stand-in device 'phones' is plugged in already; unplug it first, or use another name.")
        #expect(throws: twice) { try devices.plug("phones", .hdmi, outputs: nil, inputs: nil, policyOnly: true) }
        #expect(try devices.unplug("phones").words == "phones is unplugged.")
        #expect(programs.devices.isEmpty)
        #expect(desk.state.devices.count == 1, "whoever saw it tells that it is gone")
    }

    @Test("SIM-4: without a server, and with --policy-only, a stand-in exists for the rules alone, and says so")
    func policyOnly() throws {
        let devices = Devices(desk, FakePrograms(on: FakePrograms.server(nil)))
        let done = try devices.plug("tv", .hdmi, outputs: nil, inputs: nil, policyOnly: true)
        #expect(done.words == "tv is plugged in as hdmi, for the rules alone: no sound comes out of it.")
        #expect(try done.json.contains(#""silent":true"#))
        let object = try JSONSerialization.jsonObject(with: Data(devices.list().json.utf8)) as? [String: Any]
        let listed = try #require((object?["devices"] as? [[String: Any]])?.first)
        #expect(Set(listed.keys) == ["uid", "name", "standIn", "silent", "usedBy", "ports"])
        #expect(listed["silent"] as? Bool == true && listed["usedBy"] as? [Int] == [101, 102, 103])
        #expect(try devices.unplug("tv").words == "tv is unplugged.")
        #expect(desk.state.devices.isEmpty)
    }

    @Test("A stand-in that does not begin, and names that none can have, change nothing")
    func failures() throws {
        let programs = FakePrograms(on: FakePrograms.server(nil))
        programs.failure = SwitchboardError(.unavailable, "no")
        let devices = Devices(desk, programs)
        #expect(throws: SwitchboardError(.unavailable, "no")) {
            try devices.plug("phones", .headphones, outputs: nil, inputs: nil)
        }
        let name = SwitchboardError(
            .usage, #"A device 'a:b' was to be plugged in; on an audio server its name has none of :/"\."#)
        #expect(throws: name) { try devices.plug("a:b", .headphones, outputs: nil, inputs: nil) }
        #expect(desk.state.devices.isEmpty && programs.devices.isEmpty)
    }

    @Test("status and device list name the servers, PipeWire among them, and who uses what")
    func servers() throws {
        try see(101, "pipewire", Self.device("server", "Output of PipeWire", .virtual))
        try see(102, "default", Self.device("alsa:PCH", "PCH", .pci), Self.device("tv", "tv", .hdmi))
        let programs = FakePrograms(on: FakePrograms.server(nil))
        #expect(
            try Devices(desk, programs).list().words == """
                Output of PipeWire (virtual 2 out, on PipeWire, used by music (pid 101))
                PCH (pci 2 out, on default)
                tv (hdmi 2 out, on default, used by podcast (pid 102))
                """)
        let server = FakePrograms.server(nil, "PipeWire 1.2.7")
        let outcome = StatusOutcome(
            server: server, library: "3.0.0.0 (using PipeWire 1.2.7)", report: desk.report, socket: "/s", now: desk.now)
        let lines = outcome.words.split(separator: "\n")
        #expect(lines[0].hasPrefix("server          PipeWire: PipeWire 1.2.7, 48000 Hz"))
        #expect(
            lines[1]
                == "JACK library    3.0.0.0 (using PipeWire 1.2.7), PipeWire's own; it reaches PipeWire")
        #expect(lines[3] == "apps' servers   default: podcast (pid 102); PipeWire: music (pid 101)")
        #expect(try outcome.json.contains(#""servers":{"default":[102],"pipewire":[101]}"#))
    }

    @Test("doctor names apps on different servers, and devices of which the kind is not known, with what to write")
    func doctor() throws {
        var machine = Machine()
        machine.configuration = "/home/x/audiosession.toml"
        func findings() -> [Finding] {
            let report = desk.report
            machine.arbiter = { .running(report, path: "/s") }
            return DeviceKinds().examine(machine)
        }
        #expect(findings().isEmpty)
        try see(101, "default", Self.device("alsa:PCH", "PCH", .pci))
        #expect(findings().map(\.finding) == ["default: music (pid 101)", "1 device of known kinds"])
        try see(102, "pipewire", Self.device("server", "Output of PipeWire", .virtual))
        let found = findings()
        #expect(found.map(\.state) == [.note, .note] && found.map(\.check) == ["apps' servers", "devices"])
        #expect(
            found.map(\.finding) == [
                "default: music (pid 101); PipeWire: podcast (pid 102): apps on one see and hear nothing of the other's devices",
                "it is not known what 'Output of PipeWire' (PipeWire) is, so any other goes before",
            ])
        #expect(found.last?.cure?.contains("[[device]]") == true)
        #expect(found.last?.cure?.contains("/home/x/audiosession.toml") == true)
    }
}
