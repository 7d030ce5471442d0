import ArgumentParser
import SessionCommands

/// The position of a switch on the command line.
enum OnOff: String, ExpressibleByArgument, CaseIterable { case on, off }

struct SilentSwitchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "silent-switch",
        abstract: "Turns the silent switch on or off; while it is on, ambient sound and ringing are muted.")

    @Argument(help: "Whether to turn the switch on or off.")
    var position: OnOff

    @OptionGroup var output: OutputOptions

    func run() throws { try output.runWithArbiter { try DeviceSwitches($0).setSilentSwitch(position == .on) } }
}

struct ScreenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "screen",
        abstract: "Locks or unlocks the screen; while it is locked, every app is in the background.")

    enum Change: String, ExpressibleByArgument, CaseIterable { case lock, unlock }

    @Argument(help: "Whether to lock or unlock the screen.")
    var change: Change

    @OptionGroup var output: OutputOptions

    func run() throws { try output.runWithArbiter { try DeviceSwitches($0).setScreen(locked: change == .lock) } }
}

struct VolumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volume", abstract: "Shows or sets the system volume and the ring volume.")

    @Argument(help: "The volume to set, 0 to 1; without it, both volumes are shown.")
    var volume: Float?

    @Flag(help: "Sets the ring volume instead of the system volume.")
    var ringing = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard let volume, !(0...1).contains(volume) else { return }
        throw ValidationError("Invalid volume \(volume); give a number from 0 to 1.")
    }

    func run() throws { try output.runWithArbiter { try DeviceSwitches($0).volume(volume, ofRinging: ringing) } }
}

struct MicrophoneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "microphone", abstract: "Simulates the microphone's hardware mute switch.")

    enum Change: String, ExpressibleByArgument, CaseIterable { case mute, unmute }

    @Argument(help: "Whether to mute or unmute the microphone.")
    var change: Change

    @OptionGroup var output: OutputOptions

    func run() throws { try output.runWithArbiter { try DeviceSwitches($0).setMicrophone(muted: change == .mute) } }
}

struct DoNotDisturbCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "do-not-disturb",
        abstract: "Turns do-not-disturb on or off; while it is on, ringing calls wait.")

    @Argument(help: "Whether to turn do-not-disturb on or off.")
    var position: OnOff

    @OptionGroup var output: OutputOptions

    func run() throws { try output.runWithArbiter { try DeviceSwitches($0).setDoNotDisturb(position == .on) } }
}
