import ArgumentParser

/// `audiosession`: the switchboard.
@main
struct AudiosessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audiosession",
        abstract: "Shows and works what audio sessions depend on: calls, switches, devices, permissions, servers.",
        discussion: """
            What is begun here lasts until the command that ends it. Commands that need the arbiter start it; `status` and `doctor` only \
            look.

            Exit status: 0 fine, 64 wrong use, 65 data that cannot be decoded, 66 no such session or program, 69 no server or service, \
            or a hazard, 70 internal, 75 try again, 77 not permitted.
            """,
        subcommands: [
            StatusCommand.self, WhyCommand.self, LogCommand.self, InterruptCommand.self, CallCommand.self,
            SilentSwitchCommand.self, ScreenCommand.self, VolumeCommand.self, MicrophoneCommand.self,
            RouteCommand.self, DoNotDisturbCommand.self, AppCommand.self, PermissionCommand.self,
            DeviceCommand.self, ServerCommand.self, DoctorCommand.self,
        ])
}
