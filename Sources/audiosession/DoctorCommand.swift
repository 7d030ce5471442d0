import ArgumentParser
import SessionCommands

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Diagnoses audio problems and suggests fixes.",
        discussion: """
            Checks real-time and memory limits, the kernel, the sound card, the JACK server and library, the arbiter, \
            devices, adoption and settings. Changes nothing. Exit status: 69 if an error was found, otherwise 0, even with \
            warnings.
            """)

    @OptionGroup var output: OutputOptions

    func run() throws { try output.runCommand { DoctorResult(.real) } }
}
