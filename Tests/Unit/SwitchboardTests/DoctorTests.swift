import Foundation
import JackDriver
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

@testable import Switchboard

/// Each hazard is planted on a machine that is fine, and is named with its cure.
@Suite struct DoctorTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        try write("/proc/version", "Linux version 6.12 (gcc) #1 SMP PREEMPT_DYNAMIC")
        try write(
            "/proc/asound/cards", " 0 [PCH            ]: HDA-Intel - HDA Intel PCH\n                      HDA at 0xf7")
        try write("/dev/snd/pcmC0D0p", "")
        try write("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n")
        try write("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n")
        try write("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n")
        try write("/run/user/1000/audiosession/x", "")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o700], ofItemAtPath: folder.path + "/run/user/1000/audiosession")
    }

    private func write(_ path: String, _ text: String) throws {
        let url = URL(filePath: folder.path + path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: folder.path + path) }

    /// Nothing is wrong with it.
    private var machine: Machine {
        var machine = Machine()
        machine.root = folder.path
        // Whoever runs the tests owns the files.
        machine.user = getuid()
        machine.realtimePriority = 95
        machine.environment = ["XDG_RUNTIME_DIR": "/run/user/1000"]
        machine.jackLibrary = "1.9.21"
        machine.server = { Self.server(period: 256) }
        machine.arbiter = { .running(PolicyDesk().report, path: "/run/user/1000/audiosession/arbiter.socket") }
        machine.program = { "/usr/bin/" + $0 }
        machine.configuration = "/home/x/audiosession.toml"
        return machine
    }

    private static func server(period: Int) -> ServerView {
        ServerView(
            name: nil,
            ServerFacts(description: "jackd2 1.9.21", sampleRate: 48_000, periodFrames: period, outputs: 2, inputs: 2))
    }

    /// What is wrong, and no more.
    private func hazards(_ change: (inout Machine) -> Void) -> [Finding] {
        var machine = machine
        change(&machine)
        return DoctorOutcome(machine).findings.filter { $0.state == .hazard }
    }

    private func expectOne(
        _ check: String, _ part: String, cure: String, _ change: (inout Machine) -> Void = { _ in },
        at place: SourceLocation = #_sourceLocation
    ) {
        let found = hazards(change)
        #expect(found.map(\.check) == [check], sourceLocation: place)
        #expect(found.first?.finding.contains(part) == true, "\(found)", sourceLocation: place)
        #expect(found.first?.cure?.contains(cure) == true, "\(found)", sourceLocation: place)
    }

    @Test("A machine without a fault is called that, and the status is 0")
    func clean() throws {
        let outcome = DoctorOutcome(machine)
        #expect(outcome.findings.filter { $0.state != .fine } == [])
        #expect(outcome.findings.allSatisfy { $0.cure == nil })
        #expect(outcome.words.hasSuffix("\nNothing is wrong."))
        #expect(outcome.exitStatus == 0)
        let object = try JSONSerialization.jsonObject(with: Data(outcome.json.utf8)) as? [String: Any]
        #expect(object?["healthy"] as? Bool == true)
        let first = (object?["findings"] as? [[String: Any]])?.first
        #expect(first?["state"] as? String == "fine")
        #expect(Set(first?.keys.map { $0 } ?? []) == ["check", "state", "finding"])
    }

    @Test("A hazard is told with its cure, and the status is 69")
    func words() {
        var machine = machine
        machine.arbiter = { .stale(path: "/run/a.socket") }
        let outcome = DoctorOutcome(machine)
        #expect(
            outcome.words.contains(
                """
                HAZARD  arbiter: the socket '/run/a.socket' is there, but nobody listens: it died
                        cure: rm /run/a.socket
                """))
        #expect(outcome.words.hasSuffix("\n1 hazard."))
        #expect(outcome.exitStatus == 69)
    }

    @Test("Limits of an ordinary user")
    func limits() throws {
        // Another user's folders would be found too: these have none.
        func user(_ machine: inout Machine) {
            machine.user = 1_000
            machine.environment = [:]
        }
        #expect(hazards(user) == [])
        expectOne("real-time priority", "up to 0 only", cure: "rtprio 95") {
            user(&$0)
            $0.realtimePriority = 0
        }
        expectOne("memory lock", "up to 8 MiB only", cure: "memlock unlimited") {
            user(&$0)
            $0.lockedMemory = 8 << 20
        }
    }

    @Test("A governor that lets one processor slow down")
    func governor() throws {
        try write("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n")
        expectOne(
            "processor speed", "governor performance and powersave", cure: "cpupower frequency-set -g performance")
    }

    @Test("A kernel without preemption and a slow clock are noted")
    func kernel() throws {
        try write("/proc/version", "Linux version 6.12 (gcc) #1 SMP")
        try write("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n")
        let notes = DoctorOutcome(machine).findings.filter { $0.state == .note }
        #expect(notes.map(\.check) == ["kernel", "clock"])
        #expect(notes.allSatisfy { $0.cure != nil })
    }

    @Test("No sound card, and one that this user may not open")
    func soundCard() throws {
        try remove("/dev/snd/pcmC0D0p")
        expectOne("audio group", "no /dev/snd", cure: "usermod -aG audio")
        try write("/proc/asound/cards", "--- no soundcards ---\n")
        expectOne("sound card", "none: sound is rendered and goes nowhere", cure: "snd-dummy")
    }

    @Test("A server with a period that is too long, or too short")
    func period() {
        expectOne("server period", "period 4096 frames (85.3 ms)", cure: "server restart --period 1024") {
            $0.server = { Self.server(period: 4_096) }
        }
        expectOne("server period", "period 16 frames (0.3 ms)", cure: "server restart --period 128") {
            $0.server = { Self.server(period: 16) }
        }
    }

    @Test("No server is noted; none although PipeWire runs is a hazard")
    func library() throws {
        let absent: (inout Machine) -> Void = {
            $0.server = { ServerView(name: nil, unreachable: "no JACK server runs") }
        }
        #expect(hazards(absent) == [])
        try write("/run/user/1000/pipewire-0", "")
        expectOne("JACK server", "load the JACK library 1.9.21, not PipeWire's", cure: "pw-jack", absent)
        #expect(
            hazards { machine in
                absent(&machine)
                machine.jackLibrary = "3.0.0.0 (using PipeWire 0.3.65)"
            } == [])
    }

    /// jackd2's registry of servers.
    private func registry(_ servers: [(process: Int32, name: String)]) -> Data {
        var data = Data("KCAJ".utf8) + Data(repeating: 0, count: 20)
        for server in servers {
            withUnsafeBytes(of: server.process.littleEndian) { data.append(contentsOf: $0) }
            let name = Data("jack-0:\(server.name):".utf8)
            data += name + Data(repeating: 0, count: 260 - name.count)
        }
        return data + Data(repeating: 0, count: 4_096)
    }

    @Test("Shared memory of servers that are gone")
    func sharedMemory() throws {
        let url = URL(filePath: folder.path + "/dev/shm/jack-shm-registry")
        try write("/dev/shm/jack-shm-registry", "")
        try write("/proc/77/stat", "")
        try registry([(77, "live")]).write(to: url)
        #expect(hazards { _ in } == [])
        try registry([(77, "live"), (78, "dead")]).write(to: url)
        expectOne(
            "JACK shared memory", "servers that are gone hold 1 of 8 places: 'dead'", cure: "jackd -n dead")
        try remove("/proc/77")
        expectOne("JACK shared memory", "2 of 8 places", cure: "rm -rf /dev/shm/jack*")
        try Data("KCAJ".utf8).write(to: url)
        #expect(hazards { _ in } == [])
    }

    @Test("The runtime folder of another user, and one that others may enter")
    func runtimeFolder() throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: folder.path + "/run/user/1000/audiosession")
        expectOne(
            "runtime folder", "is not a folder of this user's alone", cure: "chmod 700 /run/user/1000/audiosession")
        expectOne("runtime folder", "belongs to user", cure: "export XDG_RUNTIME_DIR=/run/user/4242") {
            $0.user = 4_242
            $0.realtimePriority = 95
        }
        try write("/tmp/audiosession-\(getuid())", "")
        expectOne("runtime folder", "is not a folder of this user's alone", cure: "sudo rm -rf /tmp/audiosession-") {
            $0.environment = [:]
        }
    }

    @Test("An arbiter that died, one that is silent, an app that is silent, and none to be found")
    func arbiter() {
        expectOne("arbiter", "nobody listens", cure: "rm /run/a.socket") {
            $0.arbiter = { .stale(path: "/run/a.socket") }
        }
        expectOne("arbiter", "It hangs.", cure: "fuser") { $0.arbiter = { .silent(reason: "It hangs.") } }
        expectOne("arbiter", "no program 'audiosessiond'", cure: "AUDIOSESSIOND") {
            $0.arbiter = { .absent(path: "/run/a.socket") }
            $0.program = { _ in nil }
        }
        expectOne("arbiter", "pid 9 (/usr/bin/hung) does not answer", cure: "kill -CONT 9") {
            $0.arbiter = {
                var report = PolicyDesk().report
                report.clients = [
                    ArbiterReport.Client(
                        app: AppID(9), process: 9, program: "/usr/bin/hung", isTrusted: false, isAnswering: false)
                ]
                return .running(report, path: "/run/a.socket")
            }
        }
        #expect(hazards { $0.arbiter = { .absent(path: "/run/a.socket") } } == [])
    }

    @Test("Settings that cannot be applied are a hazard, unknown ones are noted")
    func settings() throws {
        try write("/home/x/audiosession.toml", "[duck]\nattack = 99\n")
        expectOne("settings", "line 2: duck.attack takes", cure: "/home/x/audiosession.toml")
        try write("/home/x/audiosession.toml", "[duck]\natack = 0.1\n")
        let notes = DoctorOutcome(machine).findings.filter { $0.state == .note }
        #expect(notes.map(\.check) == ["settings"])
    }

    @Test("The real machine can be looked at, and every finding says something")
    func real() {
        let findings = DoctorOutcome(.real).findings
        #expect(findings.count >= 10)
        #expect(findings.allSatisfy { !$0.finding.isEmpty && ($0.state != .hazard || $0.cure != nil) })
    }
}
