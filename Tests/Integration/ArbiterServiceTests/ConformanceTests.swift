import Foundation
import TestSupport
import Testing

/// `audiosession-conformance`: clients in three languages pass all checks, and each check detects
/// the faults that are injected into a client.
@Suite("Conformance of clients", .serialized)
struct ConformanceTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let python = ["python3", root.appending(path: "Tests/Support/ProtocolClient/client.py").path]

    private func start(_ options: [String], _ client: [String]) throws -> ChildProcess {
        try ChildProcess(BuiltProgram.path("audiosession-conformance"), options + ["--"] + client)
    }

    /// Returns the exit status and the output.
    private func end(_ run: ChildProcess) throws -> (status: Int32, output: String) {
        try #require(run.waitForEnd(seconds: 300), "it does not end")
        return (run.reap(), run.output)
    }

    @Test("Clients in Python, in C and in Swift pass all checks")
    func clients() throws {
        let clients = try [
            Self.python, [BuiltProgram.path("c-session-client")], [BuiltProgram.path("swift-session-client")],
        ]
        let runs = try clients.map { try start([], $0) }
        for run in runs {
            let (status, output) = try end(run)
            #expect(status == 0 && output.contains("12 passed, 0 failed"), "\(output)")
            #expect(!output.contains("does not activate"), "\(output)")
        }
    }

    private struct Fault {
        let name: String
        let check: String
        let text: String
        /// Some faults are detected only because nothing comes: after a limit that is shorter, but
        /// long enough for a busy machine to start the client.
        let isWait: Bool

        init(_ name: String, _ check: String, _ text: String, isWait: Bool = false) {
            (self.name, self.check, self.text, self.isWait) = (name, check, text, isWait)
        }
    }

    private static let faults = [
        Fault("absent", "hello", "Expected a connection; none came.", isWait: true),
        Fault("silent", "hello", "Expected `hello`; nothing of the kind came", isWait: true),
        Fault("exit", "hello", "exited with status 1"),
        Fault("first", "hello", "Expected `hello` first"),
        Fault("serial", "hello", "Expected a serial above 1; 1 came."),
        Fault("descriptor", "hello", "a packet carries one"),
        Fault("garbage", "hello", "{nonsense"),
        Fault("long", "hello", "a longer one came"),
        Fault("category", "session", "its category is not playback", isWait: true),
        Fault("idle", "session", "`setRunning` has not been sent", isWait: true),
        Fault("other", "session", "Expected requests for the client's own session, session 900000000001"),
        Fault("deaf", "ping", "Expected an answer to a ping", isWait: true),
        Fault("late", "ping", "Expected an answer to a ping", isWait: true),
        Fault("strict", "unknown", "unknown message"),
        Fault("keys", "unknown", "unknown key"),
        Fault("text", "unknown", "nothing of the kind came", isWait: true),
        Fault("double", "unknown", #""ping": 1.8446744073709552e+19"#),
        Fault("insist", "refusal", "Expected fewer than 50 requests"),
        Fault("leave", "refusal", "client.py: refused"),
        Fault("codes", "error", "client.py: unknown code"),
        Fault("slow-exit", "error", "ended the connection, and its process exited with status 1."),
        Fault("give-up", "interruption", "client.py: interrupted"),
        Fault("lose", "loss", "Expected a connection; none came.", isWait: true),
        Fault("forget", "loss", "none came"),
        Fault("arbiter", "loss", "Expected `arbiter` 18364758544493064721 in `hello`"),
        Fault("words", "loss", "Expected `gate` in `restore`"),
        Fault("stale", "loss", "Expected `session` in `restore`"),
        Fault("old-page", "loss", "Expected `gate` in `restore`"),
        Fault("again", "forgotten", "it came again after an error"),
        Fault("hammer", "absence", "Expected at most 100 connections a second"),
        Fault("hammer", "version", "Expected at most 100 connections a second"),
        Fault("hasty", "version", "Expected nothing but `hello` until it is accepted"),
        Fault("stubborn", "end", "it still runs"),
    ]

    @Test("Each check detects the faults that concern it")
    func faults() throws {
        // A few at a time: most of them wait.
        for first in stride(from: 0, to: Self.faults.count, by: 10) {
            let faults = Self.faults[first..<min(first + 10, Self.faults.count)]
            let runs = try faults.map { fault in
                (fault, try start(options(fault), Self.python + ["--fault", fault.name]))
            }
            for (fault, run) in runs {
                let (status, output) = try end(run)
                #expect(status == 1 && output.contains("FAIL  \(fault.check)"), "\(fault.name): \(output)")
                #expect(output.contains(fault.text), "\(fault.name): \(output)")
                #expect(output.contains("Documentation/Protocol.md, section '"))
                #expect(!output.contains("Exception ignored"), "disturbed while it exited: \(output)")
            }
        }
    }

    private func options(_ fault: Fault) -> [String] {
        ["--only", fault.check, "--timeout", fault.isWait ? "10" : "20"]
    }

    @Test("It says which checks there are, in words and as JSON, and reports as JSON")
    func json() throws {
        let program = try BuiltProgram.path("audiosession-conformance")
        let (status, list) = try ChildProcess.run(program, ["--list"])
        #expect(status == 0 && list.split(separator: "\n").count == 12, "\(list)")
        let (_, text) = try ChildProcess.run(program, ["--list", "--json"])
        let entries = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
        #expect(entries?.count == 12 && entries?.allSatisfy { $0["name"] is String } == true)
        let (failed, report) = try end(start(["--json", "--only", "hello"], Self.python + ["--fault", "exit"]))
        let object = try JSONSerialization.jsonObject(with: Data(report.utf8)) as? [String: Any]
        #expect(failed == 1 && object?["failed"] as? Int == 1, "\(report)")
        let check = (object?["checks"] as? [[String: Any]])?.first
        #expect(check?["passed"] as? Bool == false && check?["output"] as? [String] == ["client.py: exits"])
    }

    @Test("Each section that a check names is one of the page, and the page names each check")
    func sections() throws {
        let page = try String(contentsOf: Self.root.appending(path: "Documentation/Protocol.md"), encoding: .utf8)
        let program = try BuiltProgram.path("audiosession-conformance")
        let (_, text) = try ChildProcess.run(program, ["--list", "--json"])
        let entries = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]] ?? []
        for entry in entries {
            let (name, section) = (entry["name"] as? String ?? "", entry["section"] as? String ?? "")
            let hasSection = page.contains("\n## \(section)\n")
            #expect(hasSection, "\(section)")
            let hasCheck = page.contains("\n| `\(name)` |")
            #expect(hasCheck, "\(name)")
        }
    }

    @Test("A client that cannot be run, and wrong arguments, have exit codes of their own")
    func errors() throws {
        #expect(try end(start([], ["/no/such/client"])).status == 66)
        #expect(try end(start([], ["/"])).status == 69)
        #expect(try end(start(["--only", "nothing"], ["true"])).status == 64)
        #expect(try end(start(["--timeout", "0"], ["true"])).status == 64)
        #expect(try end(start([], [])).status == 64)
    }

    @Test("A client that writes without end and never connects fails in time, and SIGTERM ends the program")
    func bounds() throws {
        let (status, output) = try end(start(["--only", "hello", "--timeout", "1"], ["yes"]))
        #expect(status == 1 && output.contains("| y") && output.count < 5_000, "\(output.prefix(5_000))")
        let run = try start(["--timeout", "600"], Self.python + ["--fault", "absent"])
        run.send(SIGTERM)
        #expect(run.waitForEnd(seconds: 20))
        #expect(run.reap() > 128)
    }
}
