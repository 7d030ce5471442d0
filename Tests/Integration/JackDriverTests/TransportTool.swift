import Foundation
import Glibc
import TestSupport

/// `jack_transport`, which controls a server's transport, and is its leader, by commands.
final class TransportTool {
    let process: ChildProcess
    private let folder: TemporaryDirectory
    private let input: FileHandle

    init(on server: JackServer) throws {
        folder = try TemporaryDirectory()
        let path = folder.file("input")
        mkfifo(path, 0o600)
        let descriptor = open(path, O_RDWR)
        guard descriptor >= 0 else { throw TestFailure("The pipe of jack_transport cannot be opened.") }
        input = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        process = try ChildProcess(
            "bash", ["-c", "exec jack_transport < \"$1\"", "bash", path], environment: server.environment)
    }

    deinit {
        process.send(SIGKILL)
        process.reap()
    }

    func send(_ commands: String...) {
        for command in commands { input.write(Data("\(command)\n".utf8)) }
    }
}
