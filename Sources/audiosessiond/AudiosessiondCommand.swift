import ArgumentParser
import CSessionSocket
import Glibc

/// `audiosessiond`: arbitrates between the apps of a user.
@main
struct AudiosessiondCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audiosessiond",
        abstract: "Arbitrates between the apps of a user: who sounds, who is lowered, who waits.",
        discussion: """
            Apps start it when they need it, and it leaves when nobody has for a while; systemd may start it by its socket; by hand it is \
            of use with --foreground. One per user and runtime folder.

            Exit status: 0 done, 64 wrong use, 66 no such file, 69 it cannot serve, 75 one serves already.
            """)

    @Option(
        help: ArgumentHelp(
            "Where to listen; default: what AUDIOSESSION_SOCKET says, else audiosession/arbiter.socket in XDG_RUNTIME_DIR.",
            valueName: "path"))
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "The settings; default: audiosession/audiosession.toml in XDG_CONFIG_HOME.", valueName: "file"))
    var config: String?

    @Flag(help: "Stay in the foreground, report on standard error, and serve until a signal ends it.")
    var foreground = false

    @Option(help: ArgumentHelp("Where to say that it is ready, or why not.", visibility: .private))
    var readyFd: Int32?

    /// Before there is a second thread.
    func run() throws {
        let announcement = Announcement(descriptor: readyFd)
        do throws(ServiceFailure) {
            if !foreground { try goOnInTheBackground() }
            let service = try Service(
                socketPath: socket, configurationPath: config, isInForeground: foreground)
            announcement.make("ready")
            service.run()
        } catch {
            announcement.make(error.message)
            let line = Array("audiosessiond: \(error.message)\n".utf8)
            _ = write(STDERR_FILENO, line, line.count)
            throw ExitCode(error.status)
        }
    }

    private func goOnInTheBackground() throws(ServiceFailure) {
        let status = ssocket_detach(readyFd ?? -1)
        guard status == 0 else {
            throw ServiceFailure(EX_OSERR, "It cannot go on in the background: \(String(cString: strerror(-status))).")
        }
    }
}

/// Tells whoever started it, once.
private struct Announcement {
    let descriptor: Int32?

    func make(_ line: String) {
        guard let descriptor else { return }
        let bytes = Array((line + "\n").utf8)
        _ = write(descriptor, bytes, bytes.count)
        close(descriptor)
    }
}

/// Why it does not serve.
struct ServiceFailure: Error {
    /// As in sysexits.h.
    var status: Int32
    /// What was to be, what is so, what to do.
    var message: String

    init(_ status: Int32, _ message: String) {
        self.status = status
        self.message = message
    }
}
