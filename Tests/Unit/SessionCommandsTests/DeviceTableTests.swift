import SessionArbiter
import SessionPolicy
import Testing

@testable import ArbiterService

/// Device tables in the settings.
@Suite struct DeviceTableTests: ConfigurationReading {
    @Test("Each [[device]] describes the devices that match its pattern, in the order of the file")
    func tables() throws {
        let (settings, warnings) = try read(
            """
            [[device]]
            match = "Scarlett*"
            type = "usbAudio"
            name = "Studio interface"

            [duck]
            attack = 1

            [[device]]
            match = "loopback-?"
            hidden = true
            """)
        #expect(warnings == [])
        #expect(
            settings.arbiter.deviceOverrides == [
                DeviceOverride(pattern: "Scarlett*", type: .usbAudio, name: "Studio interface"),
                DeviceOverride(pattern: "loopback-?", isHidden: true),
            ])
        #expect(try read("device = [{ match = \"a\", name = \"b\" }]").settings.arbiter.deviceOverrides.count == 1)
    }

    @Test(
        "Errors in a device are reported with line and key",
        arguments: [
            (
                "[device]\nmatch = \"x\"",
                "line 1: 'device' is a list of tables; write [[device]] and the settings of one device below it"
            ),
            (
                "[[device]]\nmatch = \"a\"\nhidden = true\n[[device]]\ntype = \"hdmi\"",
                "line 4: this [[device]] names no devices; write match = \"…\", a pattern such as \"USB*\""
            ),
            (
                "[[device]]\nmatch = \"\"\nhidden = true",
                "line 2: device.match takes a string of 1 to 128 bytes without control characters, not \"\""
            ),
            (
                "[[device]]\nmatch = 3\nhidden = true",
                "line 2: device.match takes a string of 1 to 128 bytes without control characters, not 3"
            ),
            (
                "[[device]]\nmatch = \"a\"",
                "line 1: this [[device]] changes nothing; give it a type, a name, or hidden = true"
            ),
            (
                "[[device]]\nmatch = \"a\"\nname = \"b\"\n\n[[device]]\nmatch = \"a\"\nhidden = true\nname = \"b\"",
                "line 5: this [[device]] is hidden, but also has a type or a name; remove one or the other"
            ),
            ("[[device]]\nmatch = \"a\"\nhidden = 1", "line 3: device.hidden takes true or false, not 1"),
        ])
    func wrong(_ text: String, _ problem: String) {
        #expect(problems(text) == [problem])
    }

    @Test("An unknown type gets a suggestion; an unknown key is a warning; 64 devices at most")
    func more() throws {
        let wrongType = problems("[[device]]\nmatch = \"a\"\ntype = \"headphone\"")
        #expect(wrongType.first?.hasPrefix("line 3: device.type takes one of lineIn, ") == true)
        #expect(wrongType.first?.hasSuffix("not \"headphone\" (did you mean \"headphones\"?)") == true)
        let warnings = try read("[[device]]\nmatch = \"a\"\nhiden = true\nhidden = true").warnings
        #expect(warnings == ["'x.toml', line 3: unknown setting 'device.hiden'; did you mean 'device.hidden'?"])
        let table = "[[device]]\nmatch = \"a\"\nhidden = true\n"
        #expect(try read(String(repeating: table, count: 64)).settings.arbiter.deviceOverrides.count == 64)
        #expect(
            problems(String(repeating: table, count: 65)) == [
                "line 1: there are 65 tables [[device]]; the limit is 64"
            ])
    }

    @Test("The examples in the sample are valid once uncommented")
    func examples() throws {
        let lines = try ConfigurationTests.sample.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "# [[device]]"))
        let text = lines[start...].map { $0.hasPrefix("# ") ? $0.dropFirst(2) : $0.drop { $0 == "#" } }
            .joined(separator: "\n")
        let (settings, warnings) = try read(text)
        #expect(settings.arbiter.deviceOverrides.map(\.pattern) == ["Scarlett*", "loopback-?"] && warnings == [])
    }
}
