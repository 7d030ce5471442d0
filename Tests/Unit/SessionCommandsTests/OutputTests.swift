import Foundation
import TestSupport
import Testing

/// Programs whose standard output cannot be written. A script must learn that it has received
/// nothing.
@Suite("Output that cannot be written", .serialized)
struct OutputTests {
    private let audiosession: AudiosessionRun

    init() throws { audiosession = try AudiosessionRun() }

    /// Runs a program in a shell, with this redirection. Returns its status and standard error.
    private func run(
        _ program: String, _ arguments: String, _ redirection: String
    ) throws -> (status: Int32, errors: String) {
        let (status, output) = try ChildProcess.run(
            "sh", ["-c", "exec \"$0\" \(arguments) \(redirection)", try BuiltProgram.path(program)],
            environment: audiosession.environment)
        return (status, output)
    }

    /// Runs `audiosession` with a standard output whose reader is gone.
    private func runWithoutReader(_ line: String, ignoringSIGPIPE: Bool) throws -> (status: Int32, errors: String) {
        let writing = try ClosedPipe.makeWritingEnd()
        let errors = open(audiosession.folder.file("errors"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer {
            close(writing)
            close(errors)
        }
        let child = try ChildProcess(
            "sh",
            ["-c", "\(ignoringSIGPIPE ? "trap '' PIPE; " : "")exec \"$0\" \(line)", BuiltProgram.path("audiosession")],
            environment: audiosession.environment, printingTo: (writing, errors))
        guard child.waitForEnd(seconds: 60) else { throw TestFailure("audiosession \(line) did not end.") }
        return (child.reap(), readText(audiosession.folder.file("errors")))
    }

    private static let commands = [
        "status", "status --json", "log", "log --json", "log --follow", "device list", "route --json", "doctor",
    ]

    @Test("A full disk ends every command with 74 and one sentence", arguments: commands)
    func full(command: String) throws {
        #expect(try audiosession("do-not-disturb on").status == 0)
        let (status, errors) = try run("audiosession", command, "> /dev/full")
        #expect(status == 74, "\(errors)")
        #expect(errors == "audiosession: Standard output cannot be written: No space left on device.\n")
    }

    @Test(
        "A closed standard output ends every command with 74 and one sentence", arguments: ["status", "log", "volume"])
    func closed(command: String) throws {
        #expect(try audiosession("do-not-disturb on").status == 0)
        let (status, errors) = try run("audiosession", command, ">&-")
        #expect(status == 74, "\(errors)")
        #expect(errors == "audiosession: Standard output cannot be written: Bad file descriptor.\n")
    }

    @Test("Help that cannot be written ends every program with 74")
    func help() throws {
        for program in ["audiosession", "audiosessiond", "audiosession-server", "audiosession-device", "player"] {
            for redirection in ["> /dev/full", ">&-"] {
                let (status, errors) = try run(program, "--help", redirection)
                #expect(status == 74, "\(program) \(redirection): \(errors)")
                #expect(errors.hasPrefix("\(program): Standard output cannot be written"), "\(errors)")
            }
        }
    }

    @Test("A reader that is gone ends a command without a message", arguments: [false, true])
    func noReader(ignoringSIGPIPE: Bool) throws {
        #expect(try audiosession("do-not-disturb on").status == 0)
        for line in ["status", "log", "log --follow", "device list --json", "--help"] {
            let (status, errors) = try runWithoutReader(line, ignoringSIGPIPE: ignoringSIGPIPE)
            #expect(status == 128 + SIGPIPE, "\(line)")
            #expect(errors == "", "\(line)")
        }
    }
}
