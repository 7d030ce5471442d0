import Foundation
import Platform
import SessionArbiter
import TestSupport
import Testing

/// System services that the library needs: a folder of its own, locks between processes, starting
/// programs.
@Suite struct PlatformTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Writes a program with these shell lines; the descriptor for the answer is its second
    /// argument. Another process writes the file: if this process had it open for writing, a child
    /// started on another thread at that moment would inherit the descriptor, and running the
    /// program would fail ("text file busy").
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
            try ProgramLaunch.run(path, arguments: [], timeoutSeconds: limit)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("The runtime folder is created with access for the user only")
    func runtimeFolder() throws {
        let path = try RuntimeFolder.path(environment: ["XDG_RUNTIME_DIR": folder.path])
        #expect(path == folder.path + "/audiosession")
        var facts = stat()
        #expect(lstat(path, &facts) == 0 && facts.st_mode & 0o777 == 0o700)
        #expect(try RuntimeFolder.path(environment: ["XDG_RUNTIME_DIR": folder.path]) == path, "and reused")
    }

    @Test("A folder writable by others, a link to a folder, and a file are rejected")
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

    @Test("Only one owner holds a lock at a time, and waiting for it has a timeout")
    func lock() throws {
        let path = folder.file("lock")
        let lock = try FileLock(path: path, within: 1)
        #expect(throws: SystemFailure.self) { try FileLock(path: path, within: 0.05) }
        let taken = Promise<Bool>()
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

    @Test("A thread of the library blocks signals to the app, but not those that its own faults raise")
    func blockedSignals() throws {
        let mask = Promise<sigset_t>()
        let thread = WorkerThread()
        #expect(
            thread.start(name: "mask") {
                var blocked = sigset_t()
                pthread_sigmask(SIG_BLOCK, nil, &blocked)
                mask.set(blocked)
            })
        var blocked = try #require(mask.wait(seconds: 20))
        thread.join(seconds: 20)
        for signal in [SIGTERM, SIGINT, SIGCHLD, SIGALRM] { #expect(sigismember(&blocked, signal) == 1) }
        for fault in [SIGBUS, SIGSEGV, SIGILL, SIGFPE, SIGABRT] { #expect(sigismember(&blocked, fault) == 0) }
    }

    @Test("A started program reports that it is ready, or why not, or exits silently")
    func launch() throws {
        #expect(try run("eval \"echo ready >&$2\"") == nil)
        #expect(try run("eval \"echo The disk is full. >&$2\"; exit 3") == "The disk is full")
        #expect(try run("exit 7")?.hasSuffix("exited without a message, with status 7") == true)
        #expect(throws: SystemFailure.self) {
            try ProgramLaunch.run(folder.file("none"), arguments: [], timeoutSeconds: 1)
        }
    }

    @Test("A program that is not ready in time is terminated; one that is ready keeps running")
    func staying() throws {
        #expect(try run("exec tail -f /dev/null", limit: 0.2) == "the program was not ready within 0.2 s")
        let fifo = folder.file("fifo")
        mkfifo(fifo, 0o600)
        #expect(try run("eval \"echo ready >&$2\"; read line <'\(fifo)'") == nil)
        let end = open(fifo, O_WRONLY | O_CLOEXEC)
        #expect(end >= 0, "the program is still reading")
        close(end)
    }

    @Test("If no service is available, a program arbitrates in process, with one warning that says what to do")
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
        #expect(warnings.first?.contains("is not an executable program") == true)
        #expect(warnings.first?.contains("AUDIOSESSION_ARBITER=in-process") == true)
        #expect(ArbiterChoice.make() is InProcessArbiter, "which tests say")
    }

    @Test("A started program inherits the environment byte for byte, also what is not UTF-8")
    func environment() throws {
        let sound = folder.file("silence.wav")
        try SoundFile.write([[Float](repeating: 0, count: 480)], sampleRate: 48_000, to: sound)
        let service = try program("printf '%s' \"$XDG_FOLDER\" > '\(folder.file("inherited"))'; exit 1")
        let player = ["--server", "t-client-none", "--ui", "none", sound]
        try ChildProcess.run(
            "sh",
            ["-c", "XDG_FOLDER=$(printf 'j\\366rg') exec \"$0\" \"$@\"", try BuiltProgram.path("player")] + player,
            environment: [
                "AUDIOSESSION_ARBITER": "automatic", "AUDIOSESSIOND": service,
                "AUDIOSESSION_SOCKET": folder.file("a.socket"),
            ])
        #expect(Array(try Data(contentsOf: URL(filePath: folder.file("inherited")))) == [0x6a, 0xf6, 0x72, 0x67])
    }

    @Test("A broadcaster sends each event to its listeners, in their order, until they or it finish")
    func broadcaster() {
        let received = Mutex<[String]>([])
        func note(_ name: String) -> @Sendable (Int) -> Void {
            { event in received.withLock { $0.append("\(name)\(event)") } }
        }
        func end(_ name: String) -> @Sendable () -> Void { { received.withLock { $0.append("end of \(name)") } } }
        let broadcaster = Broadcaster<Int>()
        let endOfA = broadcaster.add(note("a"), finish: end("a"))
        _ = broadcaster.add(note("b"), finish: end("b"))
        broadcaster.send(1)
        endOfA()
        endOfA()
        broadcaster.send(2)
        broadcaster.finish()
        broadcaster.send(3)
        _ = broadcaster.add(note("c"), finish: end("c"))
        #expect(received.withLock { $0 } == ["a1", "b1", "b2", "end of b", "end of c"])
    }

    @Test("A listener may end itself or add another one while it receives an event, and a release finishes it")
    func broadcasterReentrance() {
        let received = Mutex<[Int]>([])
        let finished = Mutex(0)
        var broadcaster: Broadcaster<Int>? = Broadcaster()
        let end = Mutex<(@Sendable () -> Void)?>(nil)
        let registered = broadcaster?.add { [weak broadcaster] event in
            received.withLock { $0.append(event) }
            end.withLock { $0 }?()
            _ = broadcaster?.add({ _ in }, finish: { finished.withLock { $0 += 1 } })
        }
        end.withLock { $0 = registered }
        broadcaster?.send(1)
        broadcaster?.send(2)
        broadcaster = nil
        #expect(received.withLock { $0 } == [1])
        #expect(finished.withLock { $0 } == 1)
    }

    @Test("Control characters are printable as escape sequences; other text does not change")
    func printable() {
        #expect("Größe ä\u{301} 🎧 \\x".printable == "Größe ä\u{301} 🎧 \\x")
        #expect("\0\t\r\n\u{1b}\u{7f}\u{80}\u{9f}\u{a0}".printable == "\\x00\\x09\\x0d\\x0a\\x1b\\x7f\\x80\\x9f\u{a0}")
        #expect("\u{202e}\u{2066}\u{2028}".printable == "\\u{202e}\\u{2066}\\u{2028}")
    }

    @Test("The process that holds a lock is found without acquiring it; a lock whose file was removed is not current")
    func lockHolder() throws {
        let path = folder.file("held")
        #expect(!FileLock.possibleHolders(of: path).contains(getpid()))
        let lock = try #require(try FileLock(ifFree: path))
        #expect(FileLock.possibleHolders(of: path).contains(getpid()) && lock.isCurrent)
        unlink(path)
        #expect(!lock.isCurrent)
        let next = try #require(try FileLock(ifFree: path))
        #expect(!lock.isCurrent && next.isCurrent)
        lock.unlock()
        next.unlock()
        #expect(!FileLock.possibleHolders(of: path).contains(getpid()))
    }

    @Test("A token bucket allows a burst, then its rate; a debt is limited")
    func tokenBucket() {
        var bucket = TokenBucket(perSecond: 2, capacity: 3)
        #expect([0, 0, 0, 0].map { bucket.take(1, at: $0) } == [true, true, true, false])
        #expect([0.25, 0.5, 0.75, 1].map { bucket.take(1, at: $0) } == [false, true, false, true])
        #expect([100, 100, 100, 100].map { bucket.take(1, at: $0) } == [true, true, true, false])
        bucket.charge(1_000)
        #expect([101.75, 102].map { bucket.take(1, at: $0) } == [false, true])
    }
}
