import ArgumentParser
import CPlatform
import Glibc
import Platform
import ProgramSupport

/// `audiosessiond`: arbitrates between the apps of a user.
@main
struct AudiosessiondCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audiosessiond",
        abstract: "Arbitrates the audio of a user's apps: decides which apps play, which are ducked and which wait.",
        discussion: """
            Apps start audiosessiond when they need it; it exits when no program has been connected, and no session or \
            call has existed, for 60 s (service.idle-exit in the settings; 0: never), or at SIGTERM, SIGINT or SIGHUP. systemd can start it by socket activation. In a \
            unit, and to start it by hand, use --foreground. Only one can run for each socket.

            Without --foreground, the command starts the service in the background and exits with 0, before the service \
            has read its settings or opened its socket. The service logs to a file next to its socket, whose name ends \
            with .log instead of .socket (arbiter.log by default); if it cannot start, the reason is in that log, or on \
            standard error if the log is not open yet.

            Exit status: 0 success, 64 usage error, 71 cannot continue in the background; with --foreground also: 66 the \
            file given by --config does not exist or is TOML, 69 the service cannot start, 75 already running.
            """,
        version: ProgramVersion.text("audiosessiond"))

    @Option(
        help: ArgumentHelp(
            """
            The socket to listen at. Default: AUDIOSESSION_SOCKET, else audiosession/arbiter.socket in \
            XDG_RUNTIME_DIR, else /tmp/audiosession-UID/arbiter.socket.
            """,
            valueName: "path"), completion: .file())
    var socket: String?

    @Option(
        help: ArgumentHelp(
            """
            The settings file. If it has an error, none of it applies, and the log says so. Default: \
            audiosession/audiosession.yaml in XDG_CONFIG_HOME or ~/.config; without that file, the one in \
            XDG_CONFIG_DIRS or /etc/xdg.
            """,
            valueName: "file"), completion: .file())
    var config: String?

    @Flag(help: "Stays in the foreground and logs to standard error.")
    var foreground = false

    @Option(
        help: ArgumentHelp(
            "The descriptor on which to report that the arbiter is ready, or why it is not.", visibility: .private))
    var readyFd: Int32?

    static func main() { runProgram() }

    /// Starts and runs the service. Called before there is a second thread, because detaching
    /// forks.
    func run() throws {
        let announcement = Announcement(descriptor: readyFd)
        do throws(ServiceFailure) {
            // Detaching changes the working directory.
            let (socket, config) = (socket.map(Self.absolutePath), config.map(Self.absolutePath))
            if !foreground { try continueInBackground() }
            platform_reset_limits(Service.descriptorLimit)
            let service = try Service(
                socketPath: socket, configurationPath: config, isInForeground: foreground)
            announcement.make("ready")
            service.run()
        } catch {
            announcement.make(error.message)
            StandardStream.writeError("audiosessiond: \(error.message.printable)\n")
            throw ExitCode(error.status)
        }
    }

    /// Returns a path that does not depend on the working directory.
    private static func absolutePath(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }

    /// Detaches this process from its terminal, except for the descriptor that reports readiness
    /// and standard error, which the log receives later.
    private func continueInBackground() throws(ServiceFailure) {
        let status = platform_detach(readyFd ?? -1, "/")
        guard status == 0 else {
            throw ServiceFailure(EX_OSERR, "Cannot continue in the background: \(String(cString: strerror(-status))).")
        }
        // A program that reads the command's output to its end must not wait for the service.
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard null >= 0 else {
            throw ServiceFailure(EX_OSERR, "Cannot open /dev/null: \(String(cString: strerror(errno))).")
        }
        defer { close(null) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO] where descriptor != readyFd { _ = dup2(null, descriptor) }
    }
}

/// Reports once to the process that started this one.
private struct Announcement {
    let descriptor: Int32?

    func make(_ line: String) {
        guard let descriptor else { return }
        let bytes = Array((line + "\n").utf8)
        _ = write(descriptor, bytes, bytes.count)
        close(descriptor)
    }
}
