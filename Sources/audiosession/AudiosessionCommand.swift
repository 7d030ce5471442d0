import ArgumentParser
import ProgramSupport

/// The `audiosession` command.
@main
struct AudiosessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audiosession",
        abstract: """
            Shows audio sessions, lowers them while a command runs, and controls calls, switches, playback, routes, \
            devices, permissions and the JACK server.
            """,
        discussion: """
            Interruptions, calls, switches and virtual devices persist until a command ends them. Commands start the \
            arbiter (audiosessiond) if they need it; `status`, `doctor` and `server` never do.

            Exit status: 0 success, 64 usage error, 66 unknown session or program, 69 server or arbiter unavailable, \
            or `doctor` found an error, 70 internal error, 74 output cannot be written, 75 temporary failure, 77 permission denied; \
            of `run` that of its command.
            """,
        version: ProgramVersion.text("audiosession"),
        subcommands: [
            StatusCommand.self, WhyCommand.self, LogCommand.self, RunCommand.self, DuckCommand.self, PauseCommand.self,
            InterruptCommand.self, CallCommand.self,
            RemoteControlCommand.self, SilentSwitchCommand.self, ScreenCommand.self, VolumeCommand.self,
            MicrophoneCommand.self,
            RouteCommand.self, DoNotDisturbCommand.self, AppCommand.self, PermissionCommand.self,
            DeviceCommand.self, AdoptionCommand.self, ServerCommand.self, DoctorCommand.self,
        ])

    static func main() { runProgram() }
}
