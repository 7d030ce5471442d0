import ArgumentParser
import Switchboard

/// "on" or "off".
enum OnOff: String, ExpressibleByArgument, CaseIterable { case on, off }

struct SilentSwitchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "silent-switch",
        abstract: "Flips the silent switch: it mutes ambient sound and ringing, and nothing else.")

    @Argument(help: "on or off.")
    var position: OnOff

    @OptionGroup var output: OutputOptions

    func run() throws { try output.ask { try DeviceSwitches($0).setSilentSwitch(position == .on) } }
}

struct ScreenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "screen", abstract: "Locks and unlocks the screen: behind it every app is in the background.")

    enum Change: String, ExpressibleByArgument, CaseIterable { case lock, unlock }

    @Argument(help: "lock or unlock.")
    var change: Change

    @OptionGroup var output: OutputOptions

    func run() throws { try output.ask { try DeviceSwitches($0).setScreen(locked: change == .lock) } }
}

struct VolumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volume", abstract: "Shows or sets the system volume.")

    @Argument(help: "0 to 1; without it, the volume is shown.")
    var volume: Float?

    @Flag(help: "The volume of ringing instead.")
    var ringing = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard let volume, !(0...1).contains(volume) else { return }
        throw ValidationError("A volume of \(volume) was asked for; give a number from 0 to 1.")
    }

    func run() throws { try output.ask { try DeviceSwitches($0).volume(volume, ofRinging: ringing) } }
}

struct MicrophoneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "microphone", abstract: "Mutes and unmutes the microphone's own switch.")

    enum Change: String, ExpressibleByArgument, CaseIterable { case mute, unmute }

    @Argument(help: "mute or unmute.")
    var change: Change

    @OptionGroup var output: OutputOptions

    func run() throws { try output.ask { try DeviceSwitches($0).setMicrophone(muted: change == .mute) } }
}

struct DoNotDisturbCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "do-not-disturb", abstract: "While on, what begins to ring and the assistant wait.")

    @Argument(help: "on or off.")
    var position: OnOff

    @OptionGroup var output: OutputOptions

    func run() throws { try output.ask { try DeviceSwitches($0).setDoNotDisturb(position == .on) } }
}
