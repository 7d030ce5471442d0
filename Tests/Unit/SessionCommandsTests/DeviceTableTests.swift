import SessionArbiter
import SessionPolicy
import Testing

@testable import ArbiterService

/// Devices in the settings.
@Suite struct DeviceTableTests: ConfigurationReading {
    @Test("Each entry of 'devices' describes the devices that match its pattern, in the order of the file")
    func tables() throws {
        let (settings, warnings) = try read(
            """
            devices:
              - match: "Scarlett*"
                type: usbAudio
                name: Studio interface
              - {match: loopback-?, hidden: true}
            """)
        #expect(warnings == [])
        #expect(
            settings.arbiter.deviceOverrides == [
                DeviceOverride(pattern: "Scarlett*", type: .usbAudio, name: "Studio interface"),
                DeviceOverride(pattern: "loopback-?", isHidden: true),
            ])
        #expect(try read("devices:\n- match: 3\n  name: no").settings.arbiter.deviceOverrides.first?.name == "no")
    }

    @Test(
        "Errors in a device are reported with line and key",
        arguments: [
            (
                "devices:\n  match: x",
                "line 1: devices takes a list: '- match: …' and the settings of each device, not a mapping"
            ),
            ("devices:\n- x", "line 2: a device consists of settings, such as 'match: \"USB*\"', not of x"),
            (
                "devices:\n- match: a\n  hidden: true\n- type: hdmi",
                "line 4: this device has no pattern; add 'match', such as 'match: \"USB*\"'"
            ),
            (
                "devices:\n- match: \"\"\n  hidden: true",
                "line 2: devices.match takes text of 1 to 128 bytes without control characters, not \"\""
            ),
            (
                "devices:\n- match: [a]\n  hidden: true",
                "line 2: devices.match takes text of 1 to 128 bytes without control characters, not a list"
            ),
            (
                "devices:\n- match: a\n  name: \"\\0\"",
                "line 3: devices.name takes text of 1 to 128 bytes without control characters, not \"\\0\""
            ),
            (
                "devices:\n- match: a",
                "line 2: this device changes nothing; add a type, a name, or 'hidden: true'"
            ),
            (
                "devices:\n- match: a\n  name: b\n\n- match: a\n  hidden: true\n  name: b",
                "line 5: this device is hidden, but also has a type or a name; remove one or the other"
            ),
            ("devices:\n- match: a\n  hidden: on", "line 3: devices.hidden takes true or false, not on"),
        ])
    func wrong(_ text: String, _ problem: String) {
        #expect(problems(text) == [problem])
    }

    @Test("An unknown type gets a suggestion; an unknown key is a warning; 64 devices at most")
    func more() throws {
        let wrongType = problems("devices:\n- match: a\n  type: headphone")
        #expect(wrongType.first?.hasPrefix("line 3: devices.type takes one of lineIn, ") == true)
        #expect(wrongType.first?.hasSuffix("not headphone (did you mean headphones?)") == true)
        let warnings = try read("devices:\n- match: a\n  hiden: true\n  hidden: true").warnings
        #expect(warnings == ["'x.yaml', line 3: unknown setting 'devices.hiden'; did you mean 'devices.hidden'?"])
        let device = "\n- {match: a, hidden: true}"
        #expect(
            try read("devices:" + String(repeating: device, count: 64)).settings.arbiter.deviceOverrides.count == 64)
        #expect(
            problems("devices:" + String(repeating: device, count: 65)) == [
                "line 1: there are 65 devices; the limit is 64"
            ])
    }

    @Test("The examples in the sample are valid once uncommented")
    func examples() throws {
        let lines = try ConfigurationTests.sample.split(separator: "\n", omittingEmptySubsequences: false)
        /// Each example extends from its section to the end of the comment.
        let examples = try ["# devices:", "# foreign-programs:"].map { section in
            let start = try #require(lines.firstIndex(of: Substring(section)))
            return lines[start...].prefix { $0.hasPrefix("# ") }.map { $0.dropFirst(2) }
        }
        let (settings, warnings) = try read(examples.joined().joined(separator: "\n"))
        #expect(settings.arbiter.deviceOverrides.map(\.pattern) == ["Scarlett*", "loopback-?"] && warnings == [])
        #expect(settings.adoption.programs.map(\.name) == ["mpv", "gnss-voice", "org.ardour.Ardour"])
    }
}
