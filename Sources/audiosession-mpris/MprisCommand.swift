import ArgumentParser
import DesktopBridge
import Glibc
import Platform
import ProgramSupport
import SessionArbiter

/// `audiosession-mpris`: the now-playing app on the desktop's session bus.
@main
struct MprisCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audiosession-mpris",
        abstract: "Shows what plays on the desktop's media control (MPRIS), and brings its commands to the app.",
        discussion: """
            audiosessiond starts this program while an app handles remote commands, unless desktop.media-control is off \
            in its settings. The program shows the now-playing app as one player on the user's session bus, and sends it \
            the commands of media keys, headsets and programs such as playerctl. It exits when no app handles commands \
            any longer, or audiosessiond has exited.

            Exit status: 0 success, 64 usage error, 69 audiosessiond or the session bus is unavailable.
            """)

    @Option(
        help: ArgumentHelp(
            """
            The socket of audiosessiond. Default: AUDIOSESSION_SOCKET, else audiosession/arbiter.socket in \
            XDG_RUNTIME_DIR, else /tmp/audiosession-UID/arbiter.socket.
            """,
            valueName: "path"))
    var socket: String?

    static func main() { runProgram() }

    func run() throws {
        let service = MediaControlService()
        do {
            let bus = try MediaPlayerBus { command throws(RemoteCommandFailure) in try service.perform(command) }
            try service.connect(to: try address, showingOn: bus)
            // SIGTERM and Ctrl-C end the process: the bus then removes the player.
            if case .lost(let reason) = bus.run() { throw failure(reason) }
            if !service.isUnused { throw failure("audiosessiond has exited.") }
        } catch let error as SessionBusFailure {
            throw failure(error.description)
        } catch let error as ArbiterError {
            throw failure(error.description)
        }
    }

    private var address: ArbiterAddress {
        get throws(ArbiterError) {
            guard let socket else { return try ArbiterAddress.standard() }
            return try ArbiterAddress(path: socket)
        }
    }

    private func failure(_ message: String) -> ExitCode {
        StandardStream.writeError("audiosession-mpris: \(message.printable)\n")
        return ExitCode(EX_UNAVAILABLE)
    }
}
