import FakeArbiter
import Foundation
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// `audiosession run`, with an arbiter and apps of its own.
@Suite("audiosession: run", .serialized)
struct RunCommandTests {
    private let audiosession: AudiosessionRun

    init() throws { audiosession = try AudiosessionRun() }

    /// A shell command that prints its process id and waits for a signal.
    private static let waiting = ["sh", "-c", "echo $$; exec sleep 100"]

    /// Starts `run` with a command that waits. Returns its process and the command's.
    private func start(
        _ sink: LineSink, _ options: [String] = [], command: [String] = waiting
    ) throws -> (run: ChildProcess, command: pid_t) {
        let run = try audiosession.start(["run"] + options + ["--"] + command, printingTo: sink)
        return (run, try #require(pid_t(try sink.line())))
    }

    private func ends(_ child: ChildProcess) -> Int32? { child.waitForEnd(seconds: 30) ? child.reap() : nil }

    /// The state of a process: "S" sleeping, "T" stopped; nil if it does not exist.
    private func state(of process: pid_t) -> String? {
        readText("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ").first.map(String.init)
    }

    private func sessions() throws -> [[String: Any]] {
        try #require(try audiosession.object("status")["sessions"] as? [[String: Any]])
    }

    private func state(ofCommand name: String) throws -> String? {
        try sessions().first { $0["command"] as? String == name }?["state"] as? String
    }

    // MARK: Other sessions

    @Test("DUCK-1, ACT-7: others are lowered while the command runs, and return to full level when it ends")
    func ducks() throws {
        _ = try audiosession.run(["volume", "1"])
        let app = try AppSession(audiosession)
        let sink = try LineSink()
        let (run, command) = try start(
            sink, command: ["sh", "-c", "echo $$; echo $AUDIOSESSION_SESSION; exec sleep 100"])
        #expect(app.isLowered(true))
        let number = try #require(Int(try sink.line()))
        let session = try #require(try sessions().first { $0["id"] as? Int == number })
        #expect(session["command"] as? String == "run: sh")
        #expect(session["playing"] as? Bool == true, "ACT-17: it is in use while the command runs")
        #expect(
            try audiosession.run(["status"]).output.contains("session \(number) (run: sh, pid \(run.identifier)): "))
        #expect(try audiosession.run(["why", "\(app.id.rawValue)"]).output.contains("(run: sh, pid"))
        kill(command, SIGTERM)
        #expect(ends(run) == 128 + SIGTERM)
        #expect(app.isLowered(false))
        #expect(try sessions().count == 1)
    }

    @Test("INT-3: with --interrupt, others pause, and resume when the command ends")
    func interrupts() throws {
        _ = try audiosession.run(["volume", "1"])
        let (music, game) = (try AppSession(audiosession), try AppSession(audiosession, .mixWithOthers))
        let sink = try LineSink()
        let (run, command) = try start(sink, ["--interrupt"])
        #expect(music.isNotified(.interruptionBegan(.default)))
        kill(command, SIGINT)
        #expect(ends(run) == 128 + SIGINT)
        #expect(music.isNotified(.interruptionEnded(shouldResume: true)))
        #expect(!game.wasNotified(.interruptionBegan(.default)), "ACT-2: sessions that mix continue")
    }

    @Test("INT-3: an interrupted session is active again after the call; the command runs on")
    func resumes() throws {
        let sink = try LineSink()
        let (run, command) = try start(sink)
        #expect(try audiosession.run(["call", "ring"]).status == 0)
        #expect(try eventually { try state(ofCommand: "run: sh") == "interrupted" })
        #expect(eventually { state(of: command) == "S" })
        #expect(try audiosession.run(["call", "decline"]).status == 0)
        #expect(try eventually { try state(ofCommand: "run: sh") == "running" })
        kill(command, SIGTERM)
        #expect(ends(run) == 128 + SIGTERM)
    }

    @Test("--on-interruption stop terminates the command; pause stops and continues its process group")
    func reacts() throws {
        let sink = try LineSink()
        let (stopped, _) = try start(sink, ["--on-interruption", "stop"])
        #expect(try audiosession.run(["call", "ring"]).status == 0)
        #expect(ends(stopped) == 128 + SIGTERM)
        #expect(try audiosession.run(["call", "decline"]).status == 0)

        let other = try LineSink()
        let script = "echo $$; sleep 100 & echo $!; wait"
        let (paused, command) = try start(other, ["--on-interruption", "pause"], command: ["sh", "-c", script])
        let grandchild = try #require(pid_t(try other.line()))
        #expect(try audiosession.run(["call", "ring"]).status == 0)
        #expect(eventually { state(of: command) == "T" && state(of: grandchild) == "T" })
        #expect(try audiosession.run(["call", "decline"]).status == 0)
        #expect(eventually { state(of: command) == "S" && state(of: grandchild) == "S" })
        #expect(try audiosession.run(["call", "ring"]).status == 0)
        #expect(eventually { state(of: command) == "T" && state(of: grandchild) == "T" })
        // It continues to receive the signal.
        paused.send(SIGTERM)
        #expect(ends(paused) == 128 + SIGTERM)
        #expect(eventually { state(of: grandchild) == nil }, "signals reach the whole group")
    }

    @Test("ACT-18: a session in mode voiceChat is a conversation while the command runs")
    func conversation() throws {
        _ = try audiosession.run(["volume", "1"])
        let app = try AppSession(audiosession, .mixWithOthers)
        let sink = try LineSink()
        let (run, command) = try start(sink, ["--category", "playAndRecord", "--mode", "voiceChat"])
        #expect(app.isNotified(.interruptionBegan(.default)), "a call interrupts sessions that mix")
        #expect(try audiosession.run(["run", "--category", "ambient", "--", "true"]).status == 75)
        kill(command, SIGTERM)
        #expect(ends(run) == 128 + SIGTERM)
        #expect(app.isNotified(.interruptionEnded(shouldResume: true)))
    }

    // MARK: Refusals

    @Test("ACT-5: during a ringing call, the activation is refused with the reason, and the command does not run")
    func refused() throws {
        #expect(try audiosession.run(["call", "ring"]).status == 0)
        let marker = audiosession.folder.file("marker")
        let (status, output) = try audiosession.run(["run", "--", "touch", marker])
        #expect(status == 75)
        #expect(output.hasPrefix("audiosession: session "), "\(output)")
        #expect(output.contains("ringing call"), "\(output)")
        #expect(!FileManager.default.fileExists(atPath: marker))
    }

    @Test("ACT-14: with --wait, the command starts when the call has ended; a signal ends the wait")
    func waits() throws {
        #expect(try audiosession.run(["call", "ring"]).status == 0)
        let (sink, other) = (try LineSink(), try LineSink())
        let run = try audiosession.start(["run", "--wait", "--", "echo", "started"], printingTo: sink)
        let canceled = try audiosession.start(["run", "--wait", "--", "echo", "started"], printingTo: other)
        #expect(try eventually { try sessions().filter { $0["command"] as? String == "run: echo" }.count == 2 })
        canceled.send(SIGTERM)
        #expect(ends(canceled) == 128 + SIGTERM)
        #expect(try other.text() == "")
        // SRV-3: the request waits at the next arbiter too.
        let first = try #require(try audiosession.arbiter)
        kill(first, SIGKILL)
        try OtherProcess.waitForEnd(of: first)
        #expect(try eventually { try audiosession.arbiter != nil && state(ofCommand: "run: echo") == "inactive" })
        #expect(try audiosession.run(["call", "decline"]).status == 0)
        #expect(try sink.line() == "started")
        #expect(ends(run) == 0)
    }

    @Test("A command that cannot be run lowers nobody: the arbiter is not even started")
    func unknownCommand() throws {
        let (status, output) = try audiosession.run(["run", "--", "no-such-command-of-this-test"])
        #expect(status == 127)
        #expect(output.contains("'no-such-command-of-this-test' is not on PATH"), "\(output)")
        #expect(try audiosession.run(["run", "--", audiosession.folder.file("none")]).status == 127)
        #expect(try audiosession.run(["run", "--", ""]).status == 127)
        #expect(try audiosession.run(["run", "--", "/"]).status == 126)
        #expect(try audiosession.run(["run", "--", "/etc/passwd"]).status == 126)
        #expect(try audiosession.run(["run", "--interrupt", "--option", "duckOthers", "--", "true"]).status == 64)
        #expect(try audiosession.arbiter == nil)
    }

    @Test("A script without an interpreter line runs in the shell; a damaged program is an error, and frees others")
    func formats() throws {
        let script = audiosession.folder.file("script")
        try "echo \"$0 $1\"\n".write(toFile: script, atomically: true, encoding: .utf8)
        chmod(script, 0o755)
        let (status, output) = try audiosession.run(["run", "--", script, "a b"])
        #expect(status == 0)
        #expect(output == "\(script) a b\n")
        try "#!/no/such/interpreter\n".write(toFile: script, atomically: true, encoding: .utf8)
        chmod(script, 0o755)
        #expect(try audiosession.run(["run", "--", script]).status == 127)
        #expect(try sessions().isEmpty)
    }

    // MARK: Exit statuses, arguments, signals

    @Test(
        "The exit status is that of the command, or 128 plus the signal",
        arguments: [("exit 0", 0), ("exit 3", 3), ("exit 255", 255), ("kill -KILL $$", 137), ("kill -SEGV $$", 139)])
    func statuses(script: String, status: Int32) throws {
        #expect(try audiosession.run(["run", "--", "sh", "-c", script]).status == status)
    }

    @Test("Arguments reach the command unchanged: options like ours, empty, long, and not UTF-8")
    func arguments() throws {
        let (_, output) = try audiosession.run(
            ["run", "--mix", "--", "printf", "<%s>", "--duck", "--json", "--help", "--", "", "a b", "-h"])
        #expect(output == "<--duck><--json><--help><--><><a b><-h>")
        let long = String(repeating: "x", count: 100_000)
        #expect(try audiosession.run(["run", "--", "printf", "%s", long]).output == long)
        let script = "\"$0\" run -- printf %s \"$(printf '\\377\\001')\" | od -An -tx1"
        let bytes = try ChildProcess.run(
            "sh", ["-c", script, try BuiltProgram.path("audiosession")], environment: audiosession.environment)
        #expect(bytes.output == " ff 01\n")
    }

    @Test(
        "SIGTERM, SIGINT, SIGHUP, SIGUSR1 reach the command, which decides", arguments: ["TERM", "INT", "HUP", "USR1"])
    func signals(name: String) throws {
        let number = try #require(["TERM": SIGTERM, "INT": SIGINT, "HUP": SIGHUP, "USR1": SIGUSR1][name])
        let sink = try LineSink()
        let script = "trap 'echo \(name); exit 5' \(name); echo $$; while :; do sleep 0.02; done"
        let (run, _) = try start(sink, command: ["sh", "-c", script])
        run.send(number)
        #expect(try sink.line() == name)
        #expect(ends(run) == 5)
    }

    @Test("Ignored signals stay ignored, as under nohup, and the signal mask is unchanged")
    func inheritedSignals() throws {
        let line = "grep -E 'Sig(Blk|Ign)' /proc/self/status"
        let program = try BuiltProgram.path("audiosession")
        func masks(_ command: String) throws -> [UInt64] {
            let script = "trap '' HUP USR2; exec \(command)"
            let output = try ChildProcess.run(
                "sh", ["-c", script, program], environment: audiosession.environment
            ).output
            // glibc ignores its two internal signals, 32 and 33, in a spawned process.
            return output.split(separator: "\n").compactMap { UInt64($0.suffix(16), radix: 16) }
                .map { $0 & ~(3 << 31) }
        }
        #expect(try masks("\"$0\" run -- \(line)") == masks(line))
    }

    // MARK: Killed processes

    @Test("ACT-12: if run is killed, others return to full level, and the command continues")
    func killed() throws {
        _ = try audiosession.run(["volume", "1"])
        let app = try AppSession(audiosession)
        let sink = try LineSink()
        let (run, command) = try start(sink)
        defer { kill(command, SIGKILL) }
        #expect(app.isLowered(true))
        run.send(SIGKILL)
        #expect(ends(run) == 128 + SIGKILL)
        #expect(app.isLowered(false))
        // It may just be starting.
        #expect(eventually { state(of: command) == "S" })
    }

    @Test("SRV-3: the session continues with the next arbiter if the arbiter is killed")
    func killedArbiter() throws {
        let sink = try LineSink()
        let (run, command) = try start(sink)
        let first = try #require(try audiosession.arbiter)
        kill(first, SIGKILL)
        try OtherProcess.waitForEnd(of: first)
        #expect(try eventually { try audiosession.arbiter != nil && state(ofCommand: "run: sh") == "running" })
        #expect(try sessions().first?["playing"] as? Bool == true)
        let app = try AppSession(audiosession)
        #expect(app.isLowered(true))
        kill(command, SIGTERM)
        #expect(ends(run) == 128 + SIGTERM)
        #expect(app.isLowered(false))
    }

    @Test("The command runs on if its session is active and the arbiter's reply to the activation comes too late")
    func lateReply() throws {
        let (gate, requested) = (try FakeGate(), EventLog<Int>())
        let activated = SessionNotice(decision: 1, effect: Effect(SessionID(1), .activated, .act1))
        let arbiter = try FakeArbiter { peer in
            peer.welcome()
            while let message = peer.receive() {
                var reply = Reply()
                switch message.request {
                case .register:
                    reply.session = SessionID(1)
                    peer.send(.reply(message.serial, reply), descriptor: gate.descriptor)
                case .submit(.activate): peer.send(.notice(activated))
                case .submit(.setRunning):
                    peer.send(.reply(message.serial, reply))
                    requested.note(peer.number)
                default: peer.send(.reply(message.serial, reply))
                }
            }
        }
        let sink = try LineSink()
        let run = try ChildProcess(
            try BuiltProgram.path("audiosession"), ["run", "--"] + Self.waiting,
            environment: audiosession.environment.merging(["AUDIOSESSION_SOCKET": arbiter.address.path]) { $1 },
            printingTo: (sink.writing, sink.writing))
        let command = try #require(pid_t(try sink.line()))
        defer { kill(command, SIGKILL) }
        // The requests of a session follow one another: the activation has failed before.
        #expect(requested.wait { !$0.isEmpty })
        kill(command, SIGTERM)
        #expect(ends(run) == 128 + SIGTERM)
    }

    @Test("An arbiter that hangs delays neither signals nor the end by more than a second")
    func hangingArbiter() throws {
        let sink = try LineSink()
        let (run, _) = try start(sink)
        let arbiter = try #require(try audiosession.arbiter)
        kill(arbiter, SIGSTOP)
        defer { kill(arbiter, SIGCONT) }
        run.send(SIGTERM)
        #expect(run.waitForEnd(seconds: 3))
        #expect(ends(run) == 128 + SIGTERM)
        let (status, output) = try audiosession.run(["run", "--", "echo", "no"])
        #expect(status == 69)
        #expect(output.hasPrefix("audiosession: The arbiter is unavailable: "), "\(output)")
    }

    @Test("ACT-12: a process that was stopped for longer than the arbiter waits lowers others again when it continues")
    func stopped() throws {
        _ = try audiosession.run(["volume", "1"])
        let app = try AppSession(audiosession)
        let sink = try LineSink()
        let (run, command) = try start(sink)
        #expect(app.isLowered(true))
        run.send(SIGSTOP)
        #expect(app.isLowered(false))
        run.send(SIGCONT)
        #expect(app.isLowered(true))
        kill(command, SIGTERM)
        #expect(ends(run) == 128 + SIGTERM)
    }
}
