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
            """,
        version: ProgramVersion.text("audiosession-mpris"))

    @OptionGroup var arbiter: ArbiterOptions

    static func main() { runProgram() }

    func run() throws {
        let service = MediaControlService()
        do {
            let bus = try MediaPlayerBus { command throws(RemoteCommandFailure) in try service.perform(command) }
            try service.connect(to: try arbiter.address, showingOn: bus)
            // SIGTERM and Ctrl-C end the process: the bus then removes the player.
            if case .lost(let reason) = bus.run() { throw Self.failure(reason, EX_UNAVAILABLE) }
            if !service.isUnused { throw Self.failure("audiosessiond has exited.", EX_UNAVAILABLE) }
        } catch let error as SessionBusFailure {
            throw Self.failure(error.description, EX_UNAVAILABLE)
        } catch let error as ArbiterError {
            throw Self.failure(error.description, EX_UNAVAILABLE)
        }
    }
}
