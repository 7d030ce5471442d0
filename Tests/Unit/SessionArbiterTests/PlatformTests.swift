import Foundation
import Platform
import SessionArbiter
import TestSupport
import Testing

/// What the library needs of the system: a folder of its own, locks among processes, programs that it starts.
@Suite struct PlatformTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// A program that is a shell script; the descriptor for the answer is its second argument.
    /// A program of these lines. Another process makes it: one that this process had open to write, a child that is begun on another thread in
    /// that moment would hold open, too, and it could not be run ("text file busy").
    private func program(_ lines: String) throws -> String {
        let path = folder.file("program-\(UUID().uuidString)")
        try "#!/bin/sh\n\(lines)\n".write(toFile: path + ".text", atomically: true, encoding: .utf8)
        guard try ChildProcess.run("install", ["-m", "700", path + ".text", path]).status == 0 else {
            throw TestFailure("The program '\(path)' could not be made.")
        }
        return path
    }

    private func run(_ lines: String, limit: Double = 20) throws -> String? {
        let path = try program(lines)
        do throws(SystemFailure) {
            try ProgramLaunch.run(path, arguments: [], limit: limit)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("The runtime folder is made for the user alone")
    func runtimeFolder() throws {
        let path = try RuntimeFolder.path(environment: ["XDG_RUNTIME_DIR": folder.path])
        #expect(path == folder.path + "/audiosession")
        var facts = stat()
        #expect(lstat(path, &facts) == 0 && facts.st_mode & 0o777 == 0o700)
        #expect(try RuntimeFolder.path(environment: ["XDG_RUNTIME_DIR": folder.path]) == path, "and found again")
    }

    @Test("A folder that others could write, a link to one and a file are not taken")
    func notPrivate() throws {
        let open = folder.file("open")
        mkdir(open, 0o700)
        #expect(RuntimeFolder.isPrivate(open))
        chmod(open, 0o770)
        #expect(!RuntimeFolder.isPrivate(open))
        chmod(open, 0o700)
        symlink(open, folder.file("link"))
        #expect(!RuntimeFolder.isPrivate(folder.file("link")))
        try Data().write(to: URL(fileURLWithPath: folder.file("file")))
        #expect(!RuntimeFolder.isPrivate(folder.file("file")))
        symlink(open, folder.file("audiosession"))
        let path = try RuntimeFolder.path(environment: ["XDG_RUNTIME_DIR": folder.path])
        #expect(path == "/tmp/audiosession-\(getuid())")
    }

    @Test("A lock is one's at a time, and a wait for it has an end")
    func lock() throws {
        let path = folder.file("lock")
        let lock = try FileLock(path: path, within: 1)
        #expect(throws: SystemFailure.self) { try FileLock(path: path, within: 0.05) }
        let taken = Answer<Bool>()
        let thread = WorkerThread()
        #expect(
            thread.start(name: "waiter") {
                let lock = try? FileLock(path: path, within: 20)
                lock?.unlock()
                taken.set(lock != nil)
            })
        #expect(taken.wait(seconds: 0.05) == nil)
        lock.unlock()
        #expect(taken.wait(seconds: 20) == true)
        thread.join(seconds: 20)
    }

    @Test("A program that is started is ready, or says why not, or has nothing to say")
    func launch() throws {
        #expect(try run("eval \"echo ready >&$2\"") == nil)
        #expect(try run("eval \"echo The disk is full. >&$2\"; exit 3") == "The disk is full")
        #expect(try run("exit 7")?.hasSuffix("ended without a word, with status 7") == true)
        #expect(throws: SystemFailure.self) { try ProgramLaunch.run(folder.file("none"), arguments: [], limit: 1) }
    }

    @Test("A program that is not ready in time is ended; one that is ready and stays is left alone")
    func staying() throws {
        #expect(try run("exec tail -f /dev/null", limit: 0.2) == "it was not ready within 0.2 s")
        let fifo = folder.file("fifo")
        mkfifo(fifo, 0o600)
        #expect(try run("eval \"echo ready >&$2\"; read line <'\(fifo)'") == nil)
        let end = open(fifo, O_WRONLY | O_CLOEXEC)
        #expect(end >= 0, "it still reads")
        close(end)
    }

    @Test("Where no service is to be had a program arbitrates for itself, with one warning that says what to do")
    func fallback() throws {
        let player = try BuiltProgram.path("player")
        let sound = folder.file("silence.wav")
        try SoundFile.write([[Float](repeating: 0, count: 480)], sampleRate: 48_000, to: sound)
        let environment = [
            "AUDIOSESSION_ARBITER": "automatic", "AUDIOSESSIOND": folder.file("none"),
            "AUDIOSESSION_SOCKET": folder.file("a.socket"),
        ]
        let run = try ChildProcess.run(
            player, ["--server", "t-client-none", "--ui", "none", sound], environment: environment)
        let warnings = run.output.split(separator: "\n").filter { $0.hasPrefix("audio session: ") }
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("is not a program that can be run") == true)
        #expect(warnings.first?.contains("AUDIOSESSION_ARBITER=in-process") == true)
        #expect(ArbiterChoice.make() is InProcessArbiter, "which tests say")
    }
}
