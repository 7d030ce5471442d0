import DesktopBridge
import Foundation
import JackDriver
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

@testable import SessionCommands

/// Each error is injected into a healthy machine. It must be reported with its fix.
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

    /// A machine without problems.
    private var machine: Machine {
        var machine = Machine()
        machine.root = folder.path
        // The user that runs the tests owns the files.
        machine.user = getuid()
        machine.realtimePriority = 95
        machine.environment = ["XDG_RUNTIME_DIR": "/run/user/1000"]
        machine.jackLibrary = "1.9.21"
        machine.server = { Self.server(period: 256) }
        machine.arbiter = { .running(PolicyArbiterClient().report, path: "/run/user/1000/audiosession/arbiter.socket") }
        machine.program = { "/usr/bin/" + $0 }
        machine.sessionBus = { .reachable(address: "unix:path=/run/user/1000/bus") }
        machine.configuration = "/home/x/audiosession.yaml"
        return machine
    }

    private static func server(period: Int) -> ServerView {
        ServerView(
            name: nil,
            ServerFacts(description: "jackd2 1.9.21", sampleRate: 48_000, periodFrames: period, outputs: 2, inputs: 2))
    }

    /// Returns the errors, without warnings.
    private func errors(_ change: (inout Machine) -> Void) -> [Finding] {
        var machine = machine
        change(&machine)
        return DoctorResult(machine).findings.filter { $0.state == .error }
    }

    private func expectOne(
        _ check: String, _ part: String, fix: String, _ change: (inout Machine) -> Void = { _ in },
        at place: SourceLocation = #_sourceLocation
    ) {
        let found = errors(change)
        #expect(found.map(\.check) == [check], sourceLocation: place)
        #expect(found.first?.finding.contains(part) == true, "\(found)", sourceLocation: place)
        #expect(found.first?.fix?.contains(fix) == true, "\(found)", sourceLocation: place)
    }

    @Test("A healthy machine has no findings to fix, and the exit status is 0")
    func clean() throws {
        let outcome = DoctorResult(machine)
        #expect(outcome.findings.filter { $0.state != .ok } == [])
        #expect(outcome.findings.allSatisfy { $0.fix == nil })
        #expect(outcome.text.hasSuffix("\nNo problems found."))
        #expect(outcome.exitStatus == 0)
        let object = try JSONSerialization.jsonObject(with: Data(outcome.json.utf8)) as? [String: Any]
        #expect(object?["healthy"] as? Bool == true)
        let first = (object?["findings"] as? [[String: Any]])?.first
        #expect(first?["state"] as? String == "ok")
        #expect(Set(first?.keys.map { $0 } ?? []) == ["check", "state", "finding"])
    }

    @Test("An error is reported with its fix, and the exit status is 69")
    func text() {
        var machine = machine
        machine.arbiter = { .stale(path: "/run/a.socket") }
        let outcome = DoctorResult(machine)
        #expect(
            outcome.text.contains(
                """
                ERROR    arbiter: the socket '/run/a.socket' exists, but the arbiter that created it has died
                         fix: rm /run/a.socket
                """))
        #expect(outcome.text.hasSuffix("\n1 error."))
        #expect(outcome.exitStatus == 69)
    }

    @Test("REMOTE-1: without a session bus, media keys do not work, and that is no problem; a broken bus is a warning")
    func mediaControl() {
        func finding(_ change: (inout Machine) -> Void) -> Finding? {
            var machine = machine
            change(&machine)
            return DoctorResult(machine).findings.first { $0.check == "media control" }
        }
        #expect(finding { _ in }?.state == .ok)
        let absent = finding { $0.sessionBus = { .absent(reason: "no address") } }
        #expect(absent?.state == .ok && absent?.finding.contains("no address") == true)
        let broken = finding { $0.sessionBus = { .unreachable(reason: "it did not reply") } }
        #expect(broken?.state == .warning && broken?.fix?.contains("DBUS_SESSION_BUS_ADDRESS") == true)
        let missing = finding { $0.program = { $0 == "audiosession-mpris" ? nil : "/usr/bin/" + $0 } }
        #expect(missing?.state == .warning && missing?.fix?.contains("AUDIOSESSION_MPRIS") == true)
        let headless = finding {
            $0.program = { $0 == "audiosession-mpris" ? nil : "/usr/bin/" + $0 }
            $0.sessionBus = { .absent(reason: "no address") }
        }
        #expect(headless?.state == .ok)
        try? write("/home/x/audiosession.yaml", "desktop: {media-control: false}\n")
        #expect(finding { $0.sessionBus = { .unreachable(reason: "x") } }?.finding.contains("turned off") == true)
    }

    @Test("Resource limits that are too low for audio are errors")
    func limits() throws {
        // The folders of another user would be checked too: this user has none.
        func user(_ machine: inout Machine) {
            machine.user = 1_000
            machine.environment = [:]
        }
        #expect(errors(user) == [])
        expectOne("real-time priority", "limited to 0", fix: "rtprio 95") {
            user(&$0)
            $0.realtimePriority = 0
        }
        expectOne("memory lock", "limited to 8 MiB", fix: "memlock unlimited") {
            user(&$0)
            $0.lockedMemory = 8 << 20
        }
    }

    @Test("A governor that lets one processor slow down is an error")
    func governor() throws {
        try write("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n")
        expectOne(
            "processor speed", "governor performance and powersave", fix: "cpupower frequency-set -g performance")
    }

    @Test("A kernel without preemption and a slow clocksource are warnings")
    func kernel() throws {
        try write("/proc/version", "Linux version 6.12 (gcc) #1 SMP")
        try write("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n")
        let notes = DoctorResult(machine).findings.filter { $0.state == .warning }
        #expect(notes.map(\.check) == ["kernel", "clock"])
        #expect(notes.allSatisfy { $0.fix != nil })
    }

    @Test("A missing sound card, and one without device files, are errors")
    func soundCard() throws {
        try remove("/dev/snd/pcmC0D0p")
        expectOne("audio group", "/dev/snd has no files", fix: "usermod -aG audio")
        try write("/proc/asound/cards", "--- no soundcards ---\n")
        expectOne("sound card", "none, so sound is rendered but not played", fix: "snd-dummy")
    }

    @Test("A server period that is too long or too short is an error")
    func period() {
        expectOne("server period", "period 4096 frames (85.3 ms)", fix: "server restart --period 1024") {
            $0.server = { Self.server(period: 4_096) }
        }
        expectOne("server period", "period 16 frames (0.3 ms)", fix: "server restart --period 128") {
            $0.server = { Self.server(period: 16) }
        }
    }

    @Test("No server is a warning; no server although PipeWire is running is an error")
    func library() throws {
        let absent: (inout Machine) -> Void = {
            $0.server = { ServerView(name: nil, unreachable: "no JACK server is running") }
        }
        #expect(errors(absent) == [])
        try write("/run/user/1000/pipewire-0", "")
        expectOne("JACK server", "load the JACK library 1.9.21, not PipeWire's", fix: "pw-jack", absent)
        #expect(
            errors { machine in
                absent(&machine)
                machine.jackLibrary = "3.0.0.0 (using PipeWire 0.3.65)"
            } == [])
    }

    /// Returns the contents of jackd2's registry of servers.
    private func registry(_ servers: [(process: Int32, name: String)]) -> Data {
        var data = Data("KCAJ".utf8) + Data(repeating: 0, count: 20)
        for server in servers {
            withUnsafeBytes(of: server.process.littleEndian) { data.append(contentsOf: $0) }
            let name = Data("jack-0:\(server.name):".utf8)
            data += name + Data(repeating: 0, count: 260 - name.count)
        }
        return data + Data(repeating: 0, count: 4_096)
    }

    @Test("Entries of dead servers in JACK's shared memory are an error")
    func sharedMemory() throws {
        let url = URL(filePath: folder.path + "/dev/shm/jack-shm-registry")
        try write("/dev/shm/jack-shm-registry", "")
        try write("/proc/77/stat", "")
        try registry([(77, "live")]).write(to: url)
        #expect(errors { _ in } == [])
        try registry([(77, "live"), (78, "dead")]).write(to: url)
        expectOne(
            "JACK shared memory", "servers that have died occupy 1 of 8 slots: 'dead'", fix: "jackd -n dead")
        try remove("/proc/77")
        expectOne("JACK shared memory", "2 of 8 slots", fix: "rm -rf /dev/shm/jack*")
        try Data("KCAJ".utf8).write(to: url)
        #expect(errors { _ in } == [])
    }

    @Test("A runtime folder of another user, or one that others may enter, is an error")
    func runtimeFolder() throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: folder.path + "/run/user/1000/audiosession")
        expectOne(
            "runtime folder", "is not a private folder of this user", fix: "chmod 700 /run/user/1000/audiosession")
        expectOne("runtime folder", "belongs to user", fix: "export XDG_RUNTIME_DIR=/run/user/4242") {
            $0.user = 4_242
            $0.realtimePriority = 95
        }
        try write("/tmp/audiosession-\(getuid())", "")
        expectOne("runtime folder", "is not a private folder of this user", fix: "sudo rm -rf /tmp/audiosession-") {
            $0.environment = [:]
        }
    }

    @Test("The mode of one's own runtime folder is mended with chmod")
    func runtimeFolderMode() throws {
        let subfolder = folder.path + "/run/user/1000/audiosession"
        for mode in [0o000, 0o500, 0o701] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: subfolder)
            expectOne(
                "runtime folder", "its mode is \(String(mode, radix: 8))", fix: "chmod 700 /run/user/1000/audiosession")
        }
        let fallback = "/tmp/audiosession-\(getuid())"
        try FileManager.default.createDirectory(
            atPath: folder.path + fallback, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        expectOne("runtime folder", "its mode is 755", fix: "chmod 700 \(fallback)") {
            $0.environment = [:]
            $0.arbiter = { .noFolder(reason: "There is no folder.") }
        }
    }

    @Test("A dead or hanging arbiter, a hanging app, and a missing arbiter program are errors")
    func arbiter() {
        expectOne("arbiter", "has died", fix: "rm /run/a.socket") {
            $0.arbiter = { .stale(path: "/run/a.socket") }
        }
        expectOne("arbiter", "It hangs.", fix: "fuser") { $0.arbiter = { .unreachable(reason: "It hangs.") } }
        expectOne("arbiter", "program 'audiosessiond' was not found", fix: "AUDIOSESSIOND") {
            $0.arbiter = { .absent(path: "/run/a.socket") }
            $0.program = { _ in nil }
        }
        expectOne("arbiter", "pid 9 (/usr/bin/hung) does not respond", fix: "kill -CONT 9") {
            $0.arbiter = {
                var report = PolicyArbiterClient().report
                report.clients = [
                    ArbiterReport.Client(
                        app: AppID(9), process: 9, program: "/usr/bin/hung", isTrusted: false, isAnswering: false)
                ]
                return .running(report, path: "/run/a.socket")
            }
        }
        #expect(errors { $0.arbiter = { .absent(path: "/run/a.socket") } } == [])
    }

    @Test("Settings that cannot be applied are an error, unknown ones are a warning")
    func settings() throws {
        try write("/home/x/audiosession.toml", "[duck]\nattack = 0.1\n")
        expectOne("settings", "/home/x/audiosession.toml' is not read", fix: "/home/x/audiosession.yaml")
        try write("/home/x/audiosession.yaml", "duck:\n  attack: 99\n")
        expectOne("settings", "line 2: duck.attack takes", fix: "/home/x/audiosession.yaml")
        try write("/home/x/audiosession.yaml", "duck:\n  atack: 0.1\n")
        let notes = DoctorResult(machine).findings.filter { $0.state == .warning }
        #expect(notes.map(\.check) == ["settings"])
    }

    @Test("doctor runs on the real machine, and every finding has a text")
    func real() {
        let findings = DoctorResult(.real).findings
        #expect(findings.count >= 10)
        #expect(findings.allSatisfy { !$0.finding.isEmpty && ($0.state != .error || $0.fix != nil) })
    }
}
