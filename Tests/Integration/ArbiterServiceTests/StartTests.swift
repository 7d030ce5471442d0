import ArbiterTesting
import Foundation
import SessionArbiter
import SessionPolicy
import Testing

/// What the service takes over from the program that starts it: nothing that could harm other apps.
@Suite("The surroundings of a started service", .serialized)
struct StartTests {
    private let folder: TrialFolder

    init() throws {
        folder = try TrialFolder()
        mkdir(folder.service, 0o700)
    }

    /// Starts the service through a client that a shell starts in these surroundings.
    private func starter(_ preparation: String) throws -> Program {
        try Program(
            "/bin/sh",
            [
                "-c", "\(preparation) \"$0\" --start \"$1\"", try Program.built("arbiter-test-client"), folder.socket,
            ],
            environment: folder.environment.merging(["AUDIOSESSIOND": try Program.built("audiosessiond")]) { $1 },
            errorsTo: folder.path + "/starter.err")
    }

    private func text(_ path: String) -> String {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Returns the soft and the hard limit of a process, as the kernel writes them.
    private func limits(_ name: String, of process: pid_t) -> (soft: String, hard: String) {
        let line = text("/proc/\(process)/limits").split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        let words = line.dropFirst(name.count).split(separator: " ")
        return words.count >= 2 ? (String(words[0]), String(words[1])) : ("", "")
    }

    @Test("It has the hard limits, its own environment and folder, and the usual priority")
    func surroundings() throws {
        let client = try starter(
            """
            cd '\(folder.path)'; ulimit -S -n 200; ulimit -S -f 1000; ulimit -S -v 60000000
            LD_PRELOAD=libm.so.6 FOREIGN=1 LC_TIME=C exec nice -n 3
            """)
        let process = pid_t(try client.readLine() ?? "") ?? 0
        #expect(process > 0, "\(folder.text("starter.err"))")
        for limit in ["Max file size", "Max address space"] {
            let (soft, hard) = limits(limit, of: process)
            #expect(soft == hard && !soft.isEmpty, "\(limit): \(soft)")
        }
        let files = limits("Max open files", of: process)
        #expect(Int(files.soft) == min(65_536, Int(files.hard) ?? 65_536), "\(files)")
        let variables = text("/proc/\(process)/environ").split(separator: "\0").map { $0.prefix { $0 != "=" } }
        #expect(!variables.contains("FOREIGN") && !variables.contains("LD_PRELOAD"), "\(variables)")
        #expect(variables.contains("XDG_RUNTIME_DIR") && variables.contains("LC_TIME"), "\(variables)")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd") == "/")
        let fields = text("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
        // Raising the priority again needs a right that users may lack.
        if getuid() == 0 { #expect(fields.count > 16 && fields[16] == "0", "the nice value") }
        client.endInput()
        kill(process, SIGTERM)
    }

    @Test("It does not serve with a descriptor limit that is too low for 64 clients")
    func fewDescriptors() throws {
        let service = try Program(
            "/bin/sh", ["-c", "ulimit -n 100; exec \"$0\" --foreground", try Program.built("audiosessiond")],
            environment: folder.environment, errorsTo: folder.path + "/service.err")
        #expect(try service.waitForEnd() == 69)
        #expect(folder.text("service.err").contains("limit of 100 open files"), "\(folder.text("service.err"))")
        let command = try Program(
            "/bin/sh", ["-c", "ulimit -n 100; exec \"$0\" volume 1", try Program.built("audiosession")],
            environment: folder.environment, errorsTo: folder.path + "/command.err")
        #expect(try command.waitForEnd() == 69)
        let message = folder.text("command.err")
        #expect(message.contains("limit of 100 open files"), "\(message)")
        #expect(message.components(separatedBy: "unavailable").count == 2, "\(message)")
        #expect(!folder.files.contains("arbiter.socket"))
    }

    @Test("A reason that the service reports is not introduced twice")
    func oneSentence() throws {
        let path = folder.service + "/" + String(repeating: "x", count: 120)
        let service = try Program(
            try Program.built("audiosessiond"), ["--foreground", "--socket", path], environment: folder.environment,
            errorsTo: folder.path + "/service.err")
        #expect(try service.waitForEnd() == 69)
        #expect(!folder.text("service.err").contains("The arbiter is unavailable"), "\(folder.text("service.err"))")
    }

    @Test("A soft limit of the file size does not disturb it; with a hard one, it does not serve")
    func sizeLimit() throws {
        let limited = try Program(
            "/bin/sh", ["-c", "ulimit -f 0; exec \"$0\" --foreground", try Program.built("audiosessiond")],
            environment: folder.environment, errorsTo: folder.path + "/limited.err")
        #expect(try limited.waitForEnd() == 69)
        let service = try Program(
            "/bin/sh",
            ["-c", "ulimit -S -f 0; exec \"$0\" --foreground --ready-fd 3", try Program.built("audiosessiond")],
            environment: folder.environment, outputAlsoAt3: true)
        #expect(try service.readLine() == "ready")
        let client = try RawClient(folder.socket)
        try client.hello()
        _ = try client.makeSession()
        #expect(try client.report().process == service.process)
        service.send(SIGTERM)
        #expect(try service.waitForEnd() == 0)
    }
}
