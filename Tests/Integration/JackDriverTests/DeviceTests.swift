import AudioRendering
import Foundation
import TestSupport
import Testing

@testable import JackDriver

/// Tests of finding devices in lists of ports, as servers have reported them.
@Suite("Devices from ports")
struct DeviceTests {
    private static let kernel: [String: String] = [
        "cards": """
         0 [PCH            ]: HDA-Intel - HDA Intel PCH
                              HDA Intel PCH at 0xf7210000 irq 31
         1 [Scarlett       ]: USB-Audio - Scarlett 2i2 USB
                              Focusrite Scarlett 2i2 USB at usb-0000:00:14.0-2, high speed
         2 [Duet           ]: OXFW - Duet
                              Apogee Duet FireWire at fw1.0, S400
         3 [Hammerfall     ]: H-DSP - RME Hammerfall HDSP + Multiface
                              RME Hammerfall HDSP + Multiface at 0xfdf00000, irq 20
         4 [Loopback       ]: Loopback - Loopback
                              Loopback 1
        """,
        "card1/usbid": "1235:8210\n",
        "card0/pcm0p/info": "card: 0\ndevice: 0\nstream: PLAYBACK\nid: ALC892 Analog\nname: ALC892 Analog\n",
        "card0/pcm0c/info": "card: 0\ndevice: 0\nstream: CAPTURE\nid: ALC892 Analog\n",
        "card0/pcm3p/info": "card: 0\ndevice: 3\nstream: PLAYBACK\nid: HDMI 0\nname: HDMI 0\n",
    ]

    private let cards = SoundCards { Self.kernel[$0] }

    private func find(_ ports: [PortFacts], _ overrides: [DeviceOverride] = []) -> [FoundDevice] {
        FoundDevice.find(in: ports, cards: cards, overrides: overrides, server: "jackd2 1.9.21")
    }

    /// Returns a client's stereo ports.
    private func pair(
        _ client: String, _ direction: DevicePort.Direction, port: String, alias: String? = nil,
        isPhysical: Bool = true, isTerminal: Bool = true
    ) -> [PortFacts] {
        (1...2).map { channel in
            PortFacts(
                "\(client):\(port)\(channel)", aliases: alias.map { [$0 + "\(channel)"] } ?? [], direction: direction,
                isPhysical: isPhysical, isTerminal: isTerminal)
        }
    }

    @Test("jackd2's dummy driver: the server's ports, of no known kind")
    func dummy() throws {
        let found = find(
            pair("system", .input, port: "capture_", alias: "dummy_pcm:dummy:out")
                + pair("system", .output, port: "playback_", alias: "dummy_pcm:dummy:in"))
        #expect(found.map(\.device.uid) == [AudioDevice.serverUID])
        let ports = try #require(found.first?.device.ports)
        #expect(ports.map(\.uid) == ["output", "input"])
        #expect(ports.map(\.name) == ["Output of jackd2 1.9.21", "Input of jackd2 1.9.21"])
        #expect(ports.map(\.type) == [.virtual, .virtual])
        #expect(ports.map(\.channels) == [2, 2])
        #expect(found.first?.channels["output"] == ["system:playback_1", "system:playback_2"])
        #expect(found.first?.channels["input"] == ["system:capture_1", "system:capture_2"])
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var client: String
        var direction: DevicePort.Direction
        var port = "playback_"
        var alias: String?
        var isPhysical = true
        var isTerminal = true
        var kind: PortType?
        var uid: String?
        var name: String?
        var testDescription: String { "\(client):\(port) \(alias ?? "") \(direction)" }
    }

    static let cases: [Case] = [
        // ALSA under jackd2: the card identifies the device.
        .init(
            client: "system", direction: .output, alias: "alsa_pcm:hw:0:in", kind: .builtInSpeaker, uid: "alsa:PCH",
            name: "HDA Intel PCH"),
        .init(client: "system", direction: .input, alias: "alsa_pcm:hw:PCH:out", kind: .builtInMic, uid: "alsa:PCH"),
        .init(client: "system", direction: .output, alias: "alsa_pcm:hw:PCH,3:in", kind: .hdmi, uid: "alsa:PCH,3"),
        .init(
            client: "system", direction: .output, alias: "alsa_pcm:hw:CARD=PCH,DEV=3:in", kind: .hdmi,
            name: "HDA Intel PCH HDMI 0"),
        .init(
            client: "system", direction: .output, alias: "alsa_pcm:hw:1:in", kind: .usbAudio, uid: "usb:1235:8210",
            name: "Scarlett 2i2 USB"),
        .init(client: "system", direction: .input, alias: "alsa_pcm:plughw:Scarlett,0:out", kind: .usbAudio),
        .init(client: "system", direction: .output, alias: "alsa_pcm:hw:Duet:in", kind: .fireWire, uid: "alsa:Duet"),
        .init(client: "system", direction: .output, alias: "alsa_pcm:hw:Hammerfall:in", kind: .pci),
        .init(client: "system", direction: .output, alias: "alsa_pcm:hw:Loopback:in", kind: .virtual),
        .init(client: "system", direction: .output, alias: "alsa_pcm:hw:9:in", kind: .pci, uid: "alsa:9"),
        // JACK's other drivers.
        .init(
            client: "system", direction: .output, alias: "firewire_pcm:000a9200c7062b_Analog_in", kind: .fireWire,
            uid: "firewire_pcm:000a9200c7062b", name: "FireWire"),
        .init(
            client: "system", direction: .output, alias: "net_pcm:to_master_:in", kind: .airPlay, uid: "net_pcm",
            name: "Network"),
        .init(
            client: "system", direction: .input, alias: "net_pcm:from_master_:out", kind: .airPlay, uid: "net_pcm"),
        // Bridges.
        .init(client: "netadapter", direction: .output, kind: .airPlay, uid: "netadapter"),
        .init(client: "zita-j2n", direction: .output, port: "in_", kind: .airPlay),
        .init(client: "zita-n2j-01", direction: .input, port: "out_", kind: .airPlay, uid: "zita-n2j"),
        .init(client: "zita-j2a", direction: .output, kind: .usbAudio),
        .init(client: "zita-a2j", direction: .input, port: "capture_", kind: .usbAudio),
        .init(
            client: "zita-j2a-Hammerfall", direction: .output, kind: .pci, uid: "alsa:Hammerfall",
            name: "RME Hammerfall HDSP + Multiface"),
        .init(client: "audioadapter", direction: .output, kind: .usbAudio),
        .init(client: "zalsa_out", direction: .output, kind: .usbAudio),
        .init(client: "alsa_out", direction: .output, isPhysical: false, isTerminal: false, kind: .usbAudio),
        .init(client: "alsa_in-02", direction: .input, isPhysical: false, isTerminal: false, kind: .usbAudio),
        .init(client: "kitchen", direction: .output, port: "to_slave_", isPhysical: false, kind: .airPlay),
        .init(client: "kitchen", direction: .input, port: "from_slave_", isPhysical: false, kind: .airPlay),
        // PipeWire: the card, if an alias names it, otherwise words in the name.
        .init(
            client: "Built-in Audio Analog Stereo", direction: .output, port: "playback_F",
            alias: "alsa:pcm:0:front:0:playback:playback_", kind: .builtInSpeaker, uid: "alsa:PCH"),
        .init(
            client: "Built-in Audio Digital Stereo (HDMI)", direction: .output, port: "playback_F",
            alias: "alsa:pcm:PCH:hdmi:0,3:playback:playback_", kind: .hdmi, uid: "alsa:PCH,3"),
        .init(
            client: "Scarlett 2i2 USB-57", direction: .input, port: "capture_F",
            alias: "alsa:acp:Scarlett:0:capture:capture_", kind: .usbAudio, uid: "usb:1235:8210"),
        .init(
            client: "Speakers next door", direction: .output, alias: "alsa:pcm:7:front:7:playback:playback_",
            kind: .builtInSpeaker, uid: "Speakers next door"),
        .init(client: "WH-1000XM4-42", direction: .output, alias: "bluez_output.AA_BB:playback_", kind: .bluetoothA2DP),
        .init(client: "WH-1000XM4", direction: .input, alias: "bluez_input.AA_BB:capture_", kind: .bluetoothHFP),
        .init(client: "Buds A2DP", direction: .output, kind: .bluetoothA2DP, uid: "Buds A2DP"),
        .init(client: "Buds Headset (HFP)", direction: .output, kind: .bluetoothHFP),
        .init(client: "USB Headset-31", direction: .output, kind: .headphones, uid: "USB Headset"),
        .init(client: "USB Headset", direction: .input, kind: .headsetMic),
        .init(client: "Monitor HDMI", direction: .output, kind: .hdmi),
        .init(client: "Laptop Speakers", direction: .output, kind: .builtInSpeaker),
        .init(client: "Null Output-7", direction: .output, kind: .virtual, uid: "Null Output", name: "Null Output"),
        // Virtual devices.
        .init(
            client: "Phones", direction: .output, alias: "virtual-device:headphones:My phones:", kind: .headphones,
            uid: "My phones", name: "My phones"),
        .init(
            client: "Phones", direction: .input, alias: "virtual-device:headphones:My phones:", kind: .headsetMic,
            uid: "My phones"),
        .init(client: "Car", direction: .output, alias: "virtual-device:no such kind:Car:", kind: .virtual, uid: "Car"),
        // Ordinary apps.
        .init(client: "ardour", direction: .input, port: "out_", isPhysical: false, isTerminal: false),
        .init(client: "synth", direction: .input, port: "out_", isPhysical: false, isTerminal: true),
    ]

    @Test("The device of a port", arguments: cases)
    func origin(_ known: Case) {
        let found = find(
            pair(
                known.client, known.direction, port: known.port, alias: known.alias, isPhysical: known.isPhysical,
                isTerminal: known.isTerminal))
        guard let kind = known.kind else {
            #expect(found.isEmpty)
            return
        }
        #expect(found.count == 1)
        let device = found.first?.device
        #expect(device?.ports.map(\.type) == [kind])
        #expect(device?.ports.map(\.channels) == [2])
        if let uid = known.uid {
            #expect(device?.uid == uid)
            #expect(device?.ports.map(\.uid) == ["\(uid):\(known.direction.rawValue)"])
        }
        if let name = known.name { #expect(device?.ports.map(\.name) == [name]) }
    }

    @Test(
        "A client with several cards yields several devices; inputs and outputs of one card are one device, even from different clients"
    )
    func groups() {
        let split = find(
            pair("system", .output, port: "playback_", alias: "alsa_pcm:hw:0:in")
                + pair("system", .output, port: "playback_b", alias: "alsa_pcm:hw:1:in"))
        #expect(split.map(\.device.uid) == ["alsa:PCH", "usb:1235:8210"])
        let joined = find(
            pair("Scarlett Sink", .output, port: "playback_", alias: "alsa:acp:Scarlett:0:playback:playback_")
                + pair("Scarlett Source", .input, port: "capture_", alias: "alsa:acp:Scarlett:0:capture:capture_"))
        #expect(joined.count == 1)
        #expect(joined.first?.device.ports.map(\.direction) == [.output, .input])
    }

    @Test("Two equal devices are distinguished by their order")
    func twins() {
        let found = find(pair("Speaker-4", .output, port: "playback_") + pair("Speaker-9", .output, port: "playback_"))
        #expect(found.map(\.device.uid) == ["Speaker", "Speaker#2"])
        #expect(found.map { $0.channels.values.first?.first } == ["Speaker-4:playback_1", "Speaker-9:playback_1"])
    }

    @Test(
        "ROUTE-2: of two equal devices, the second keeps its number when the first is unplugged, and when that returns"
    )
    func twinsKeepTheirNumbers() {
        let first = pair("box-1", .output, port: "p_", alias: "virtual-device:headphones:Headset:")
        let second = pair("box-2", .output, port: "p_", alias: "virtual-device:headphones:Headset:")
        let third = pair("box-3", .output, port: "p_", alias: "virtual-device:headphones:Headset:")
        var devices: [FoundDevice] = []
        func look(_ ports: [PortFacts]) -> [String] {
            devices = FoundDevice.find(in: ports, cards: cards, server: "", before: devices)
            return devices.map { "\($0.device.uid) \($0.channels.values.first?.first ?? "")" }
        }
        #expect(look(first + second) == ["Headset box-1:p_1", "Headset#2 box-2:p_1"])
        #expect(look(second) == ["Headset#2 box-2:p_1"])
        #expect(look(third + second) == ["Headset box-3:p_1", "Headset#2 box-2:p_1"])
        #expect(look(first + third + second) == ["Headset#3 box-1:p_1", "Headset box-3:p_1", "Headset#2 box-2:p_1"])
        #expect(look(first + second) == ["Headset#3 box-1:p_1", "Headset#2 box-2:p_1"])
    }

    @Test("The user's overrides take precedence: kind, name, hidden; the first matching override counts")
    func overrides() {
        let ports =
            pair("system", .output, port: "playback_", alias: "alsa_pcm:hw:Scarlett:in")
            + pair("zita-j2a", .output, port: "playback_")
            + pair("Phones", .output, port: "playback_", alias: "virtual-device:headphones:Phones:")
        let found = find(
            ports,
            [
                DeviceOverride(pattern: "scarlett", type: .lineOut, name: "Amplifier"),
                DeviceOverride(pattern: "zita-*", isHidden: true),
                DeviceOverride(pattern: "virtual-device:headphones:*", type: .carAudio),
                DeviceOverride(pattern: "*", type: .avb),
            ])
        #expect(found.flatMap(\.device.ports).map(\.type) == [.lineOut, .carAudio])
        #expect(found.flatMap(\.device.ports).map(\.name) == ["Amplifier", "Phones"])
        #expect(found.map(\.device.uid) == ["usb:1235:8210", "Phones"])
        let known = find(
            pair("system", .output, port: "playback_", alias: "dummy_pcm:dummy:in"),
            [DeviceOverride(pattern: "system:playback_[12]", type: .headphones)])
        #expect(known.map(\.device.uid) == ["system"])
        #expect(known.first?.device.ports.map(\.type) == [.headphones])
    }

    @Test("A device's port has at most 64 channels, and the highest latency among them")
    func bounds() {
        let ports = (1...100).map {
            PortFacts("Wall:playback_\($0)", direction: .output, latencyFrames: $0 == 7 ? 480 : 64)
        }
        let wall = find(ports).first
        #expect(wall?.device.ports.map(\.channels) == [FoundDevice.maximumChannels])
        #expect(wall?.latencies == ["Wall:output": 480])
    }

    @Test(
        "Patterns",
        arguments: [
            ("*", "", true), ("*", "anything", true), ("", "", true), ("", "a", false), ("a?c", "ABC", true),
            ("a?c", "ac", false), ("*usb*", "Scarlett USB", true), ("a*b*c", "a1b2b3c", true), ("a*b", "a1b2", false),
            ("[a-c]x", "bx", true), ("[!a-c]x", "bx", false), ("[abc", "[abc", true),
            ("hw:[0-9],[0-9]", "hw:1,3", true),
            ("**a**", "bab", true), ("[z-a]", "m", false), ("[]", "[]", true),
        ])
    func globs(_ pattern: String, _ text: String, _ matches: Bool) {
        #expect(Glob(pattern).matches(text) == matches)
    }

    @Test("Documentation/Devices.md shows the actual tables")
    func documentation() throws {
        let tables = [
            DeviceTables.cardParts, DeviceTables.cardDrivers, DeviceTables.aliases, DeviceTables.clients,
            DeviceTables.terminals, DeviceTables.words,
        ]
        let page = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../Documentation/Devices.md")
        let text = try String(contentsOf: page.standardizedFileURL, encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") && $0.split(separator: "|").count == 3 }
        let expected = tables.joined().map { row in
            "| `\(row.pattern)` | \(row.types.output.rawValue) | \(row.types.input.rawValue) |"
        }
        #expect(rows.map(String.init) == expected)
    }

    @Test("DisplayPort, if the screen reports it")
    func displayPort() {
        var kernel = Self.kernel
        kernel["card0/eld#2.0"] = "monitor_present\t\t0\neld_valid\t\t0\n"
        kernel["card0/eld#2.1"] = "monitor_present\t\t1\nmonitor_name\t\tScreen\nconnection_type\t\tDisplayPort\n"
        let cards = SoundCards { [kernel] in kernel[$0] }
        let port = PortFacts("system:playback_1", aliases: ["alsa_pcm:hw:0,3:in1"], direction: .output)
        let found = FoundDevice.find(in: [port], cards: cards, server: "")
        #expect(found.first?.device.ports.first?.type == .displayPort)
    }
}
