import Foundation
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// The programs as a user runs them: `audiosession`, and the arbiter that it starts.
@Suite(.serialized) struct EndToEndTests {
    private let audiosession: AudiosessionRun

    init() throws { audiosession = try AudiosessionRun() }

    private func expectSays(_ line: String, _ text: String, at place: SourceLocation = #_sourceLocation) throws {
        let (status, output) = try audiosession(line)
        #expect(status == 0, sourceLocation: place)
        #expect(output == text + "\n", sourceLocation: place)
    }

    private func session(_ id: SessionID) throws -> [String: Any] {
        let sessions = try audiosession.object("status")["sessions"] as? [[String: Any]]
        return try #require(sessions?.first { ($0["id"] as? Int).map(UInt64.init) == id.rawValue })
    }

    @Test(
        "Usage errors exit with 64, and are reported on standard error only",
        arguments: [
            "bogus", "why", "why x", "why -1", "volume 2", "volume -- -1", "silent-switch maybe", "screen off",
            "interrupt", "interrupt begin --rank zebra", "interrupt end --zebra", "call hang-up", "app suspend",
            "app dance 1", "permission grant", "permission whatever", "device plug", "device plug x",
            "device plug x --type zebra", "device plug x --type hdmi --outputs 65", "device unplug",
            "route a --input b",
            "server", "server dance", "server start --rate 1", "server start --period 9", "server stop --rate 48000",
            "server start --name a/b", "doctor now", "status --yaml", "remote dance", "remote seek", "remote seek soon",
            "remote seek 1 2", "remote shuffle maybe", "remote repeat twice", "remote play 5", "remote skip --jsn",
            "remote rate nan", "remote --jsn", "run", "run espeak", "run --json -- ls", "run --duck --mix -- ls",
            "run --mode zebra -- ls", "run --category zebra -- ls", "run --option zebra -- ls", "duck 5",
            "pause --for 0",
        ])
    func wrongUse(_ line: String) throws {
        let folder = audiosession.folder
        let files = ["out", "errors"].map { open(folder.file($0), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
        defer { files.forEach { close($0) } }
        let child = try ChildProcess(
            try BuiltProgram.path("audiosession"), line.split(separator: " ").map(String.init),
            environment: audiosession.environment, printingTo: (files[0], files[1]))
        #expect(child.waitForEnd(seconds: 30))
        #expect(child.reap() == 64)
        #expect(readText(folder.file("out")) == "")
        #expect(!readText(folder.file("errors")).isEmpty)
        #expect(try audiosession.arbiter == nil, "a usage error starts nothing")
    }

    @Test("Every command prints its help")
    func help() throws {
        for command in [
            "", "status", "why", "log", "interrupt", "interrupt begin", "interrupt end", "call", "call ring",
            "call accept",
            "call decline", "call end", "silent-switch", "screen", "volume", "microphone", "route", "do-not-disturb",
            "run", "duck", "pause", "app", "permission", "device", "device plug", "device unplug", "device list",
            "server", "doctor", "remote",
        ] {
            let (status, output) = try audiosession("\(command) --help")
            #expect(status == 0)
            #expect(output.contains("OVERVIEW: ") && output.contains("USAGE: audiosession"), "\(command): \(output)")
        }
    }

    @Test("status and doctor only inspect, and start nothing")
    func looking() throws {
        #expect(try audiosession("status").output.contains("arbiter       not running"))
        #expect(try audiosession("doctor").output.contains("ok       arbiter: not running; "))
        #expect(!FileManager.default.fileExists(atPath: audiosession.folder.file("run/audiosession/arbiter.socket")))
    }

    // SIM-1, SIM-2, INT-6, ACT-13
    @Test("SIM-1, SIM-2, INT-6, ACT-13: a call interrupts an app's session, why explains it, and the app is notified")
    func callOverAnApp() throws {
        try expectSays("volume 1", "The volume is 1, the ring volume 1.")
        let notified = EventLog<SessionNotice>()
        let address = try ArbiterAddress(path: audiosession.folder.file("run/audiosession/arbiter.socket"))
        let app = try ArbiterConnection(
            address,
            receive: { message in
                if case .notice(let notice) = message { notified.note(notice) }
            })
        let id = try #require(try app.request(.register(app: nil)).session)
        _ = try app.request(.submit(.configure(id, .category(.playback))))
        _ = try app.request(.submit(.activate(id)))
        #expect(try session(id)["state"] as? String == "running")

        let call = try #require(try audiosession.object("call ring")["session"] as? Int)
        #expect(notified.wait(limit: 10) { $0.contains { $0.effect.kind == .interruptionBegan(.default) } })
        let interrupted = try session(id)
        #expect(interrupted["state"] as? String == "interrupted")
        #expect((interrupted["program"] as? String)?.hasPrefix("/") == true)
        #expect((interrupted["reasons"] as? [[String: Any]])?.first?["by"] as? Int == call)
        let why = try audiosession("why \(id.rawValue)").output
        #expect(why.contains("because of ringing call \(call), by rule INT-6: "))

        // A command in the wrong state changes nothing.
        #expect(try audiosession("interrupt end").status == 64)
        try expectSays("call decline", "Call \(call) is declined.")
        #expect(notified.wait(limit: 10) { $0.contains { $0.effect.kind == .interruptionEnded(shouldResume: true) } })
        #expect(try audiosession("call decline").status == 64)

        _ = try app.request(.submit(.configure(id, .category(.soloAmbient))))
        _ = try app.request(.submit(.activate(id)))
        try expectSays("silent-switch on", "The silent switch is on.")
        #expect(try session(id)["muted"] as? Bool == true)
        try expectSays("silent-switch off", "The silent switch is off.")
        #expect(try session(id)["muted"] as? Bool == false)

        let program = try #require(try session(id)["program"] as? String)
        try expectSays("permission grant \(getpid())", "\(program): granted")
        try expectSays("permission reset", "\(program): undetermined")
        app.close()
    }

    @Test("An interruption that a command begins outlives the command and the arbiter, until it is ended")
    func outlives() throws {
        let alarm = try #require(try audiosession.object("interrupt begin --rank alarm")["session"] as? Int)
        try expectSays(
            "device plug phones --type headphones --policy-only",
            "phones is plugged in as headphones for the policy only, without sound.")
        try expectSays("screen lock", "The screen is locked.")
        let first = try #require(try audiosession.arbiter)
        _ = kill(first, SIGKILL)
        try OtherProcess.waitForEnd(of: first)
        #expect(try audiosession("doctor").output.contains("the arbiter that created it has died"))
        try expectSays("device list", "phones (virtual device without sound: headphones 2 out)")
        #expect(try audiosession.arbiter != first)
        #expect(try audiosession.object("status")["screenLocked"] as? Bool == true)
        try expectSays(
            "interrupt end --no-resume", "Interruption ended: alarm \(alarm); sessions should not resume.")
    }

    @Test("An arbiter that runs without its socket is reported by status and doctor")
    func missingSocket() throws {
        try expectSays("do-not-disturb on", "Do-not-disturb is on.")
        let arbiter = try #require(try audiosession.arbiter)
        // A stopped arbiter cannot make its socket again.
        _ = kill(arbiter, SIGSTOP)
        defer {
            _ = kill(arbiter, SIGKILL)
            try? OtherProcess.waitForEnd(of: arbiter)
        }
        unlink(audiosession.folder.file("run/audiosession/arbiter.socket"))
        let status = try audiosession("status")
        #expect(status.status == 69)
        #expect(status.output.contains("pid \(arbiter) holds the lock"), "\(status.output)")
        let doctor = try audiosession("doctor")
        #expect(doctor.status == 69)
        #expect(doctor.output.contains("ERROR    arbiter: "), "\(doctor.output)")
        #expect(doctor.output.contains("kill \(arbiter)"), "\(doctor.output)")
    }

    @Test("log --follow runs until Ctrl-C, then exits with 0; with --json each line is an object")
    func followedLog() throws {
        try expectSays("do-not-disturb on", "Do-not-disturb is on.")
        let output = try LineSink()
        let child = try ChildProcess(
            try BuiltProgram.path("audiosession"), ["log", "--follow", "--json"],
            environment: audiosession.environment, printingTo: (output.writing, output.writing))
        #expect(try output.line().contains("setDoNotDisturb"))
        try expectSays("do-not-disturb off", "Do-not-disturb is off.")
        let line = try output.line()
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object?["number"] as? Int == 2)
        child.send(SIGINT)
        #expect(child.waitForEnd(seconds: 30))
        #expect(child.reap() == 0)
        #expect(try output.text() == "")
    }

    @Test("log --follow exits with 69 when the arbiter ends")
    func lostLog() throws {
        try expectSays("do-not-disturb on", "Do-not-disturb is on.")
        let output = try LineSink()
        let child = try ChildProcess(
            try BuiltProgram.path("audiosession"), ["log", "--follow"], environment: audiosession.environment,
            printingTo: (output.writing, output.writing))
        _ = try output.line()
        _ = kill(try #require(try audiosession.arbiter), SIGKILL)
        #expect(child.waitForEnd(seconds: 30))
        #expect(child.reap() == 69)
        #expect(try output.text().contains("has exited"))
    }
}
