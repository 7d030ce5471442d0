import DesktopBridge
import Testing

@testable import SessionCommands

/// What `audiosession doctor` says about programs that do not use the library.
@Suite struct AdoptionDoctorTests {
    private func findings(_ lines: String? = "pipewire=0.3.65\npulse=1\n", _ change: (inout Machine) -> Void = { _ in })
        -> [Finding]
    {
        var machine = Machine()
        machine.adoption = { 4_711 }
        machine.program = { "/usr/bin/" + $0 }
        machine.sessionBus = { .reachable(address: "unix:path=/run/user/1000/bus") }
        machine.pipeWire = { lines.map { .running(.init(lines: $0)) } ?? .absent(reason: "PipeWire does not run") }
        change(&machine)
        return AdoptionCheck().examine(machine)
    }

    @Test("A desktop on which everything can be reached has no problem")
    func complete() {
        #expect(
            findings() == [.ok("adoption", "running, pid 4711: streams and media players, PipeWire 0.3.65")])
    }

    @Test("Without audiosession-adopt, that is no problem, unless a program is missing")
    func notRunning() {
        let idle = findings { $0.adoption = { nil } }
        #expect(idle.map(\.state) == [.ok] && idle.first?.finding.contains("does not run") == true)
        for name in ["audiosession-adopt", "audiosession-hand"] {
            let missing = findings {
                $0.adoption = { nil }
                $0.program = { $0 == name ? nil : "/usr/bin/" + $0 }
            }
            #expect(missing.map(\.state) == [.warning] && missing.first?.finding.contains(name) == true)
        }
    }

    @Test("A bus, PipeWire or pipewire-pulse that is missing is a warning that says what is not seen")
    func missingParts() {
        let bus = findings { $0.sessionBus = { .absent(reason: "no address") } }
        #expect(bus.map(\.state) == [.ok, .warning] && bus.last?.finding.contains("no address") == true)
        #expect(bus.first?.finding.contains("streams, PipeWire") == true)
        let streams = findings(nil)
        #expect(streams.map(\.state) == [.warning])
        #expect(streams.first?.finding.contains("PipeWire does not run") == true)
        let pulse = findings("pipewire=0.3.65\n")
        #expect(pulse.map(\.state) == [.ok, .warning] && pulse.last?.fix?.contains("pipewire-pulse") == true)
    }

    @Test(
        "A role policy of WirePlumber would lower programs, too",
        arguments: [("endpoint.multimedia", "policy.lua.d"), ("loopback.sink.role.multimedia", "role-based.loopbacks")])
    func roles(node: String, fix: String) {
        let found = findings("pipewire=1.2.0\npulse=1\nrole=\(node)\nrole=x\n")
        #expect(found.map(\.state) == [.ok, .warning])
        #expect(found.last?.finding.contains("(\(node) and x)") == true, "\(found)")
        #expect(found.last?.fix?.contains(fix) == true)
    }

    @Test("Programs of JACK are named; that is no problem")
    func jack() {
        let found = findings("pipewire=0.3.65\npulse=1\njack=a%20b\njack=c\njack=d\njack=e\nunknown=1\nbroken\n")
        #expect(found.map(\.state) == [.ok, .ok])
        #expect(found.last?.finding.contains("cannot be lowered: a b, c, d and others;") == true, "\(found)")
    }
}
