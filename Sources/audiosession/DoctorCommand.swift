import ArgumentParser
import Switchboard

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Names what would hurt the sound: limits, server, devices, arbiter, leftovers; each with the cure.",
        discussion: "Only looks. Ends with 0 when nothing is wrong, and with 69 when there is a hazard.")

    @OptionGroup var output: OutputOptions

    func run() throws { try output.say { DoctorOutcome(.real) } }
}
