import ArgumentParser
import SessionPolicy
import Switchboard

struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Plugs and unplugs stand-in devices, and lists what is plugged in.",
        discussion: """
            A stand-in is a program of its own on the default JACK server, else the managed one: what is played there arrives at it. \
            Where no server runs, or with --policy-only, it exists for the rules alone: routes and notifications follow it, and no sound \
            comes out of it.
            """,
        subcommands: [Plug.self, Unplug.self, List.self])

    /// Without a subcommand nothing is done, which is not what a script meant.
    func run() throws { throw ValidationError("What is to be done? Add plug, unplug or list.") }

    struct Plug: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "plug", abstract: "Plugs in a stand-in device.")

        @Argument(help: "What it is to be called.")
        var name: String

        @Option(
            help: ArgumentHelp("What it is: \(Plug.types).", valueName: "type"),
            transform: { name in
                guard let type = PortType(rawValue: name) else {
                    throw ValidationError("There is no type '\(name)'; give one of \(Plug.types).")
                }
                return type
            })
        var type: PortType

        private static var types: String { PortType.allCases.map(\.rawValue).joined(separator: ", ") }

        @Option(help: ArgumentHelp("Output channels, 0 to 64; by default as such a device has.", valueName: "n"))
        var outputs: Int?

        @Option(help: ArgumentHelp("Input channels, likewise.", valueName: "n"))
        var inputs: Int?

        @Flag(help: "For the rules alone, without a program and without sound.")
        var policyOnly = false

        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard (1...64).contains(name.utf8.count) else {
                throw ValidationError("A device needs a name of 1 to 64 bytes.")
            }
            for (option, value) in [("--outputs", outputs), ("--inputs", inputs)] {
                guard let value, !(0...64).contains(value) else { continue }
                throw ValidationError("\(option) \(value): give a number from 0 to 64.")
            }
        }

        func run() throws {
            try output.ask {
                try Devices($0).plug(name, type, outputs: outputs, inputs: inputs, policyOnly: policyOnly)
            }
        }
    }

    struct Unplug: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unplug", abstract: "Unplugs a stand-in device.")

        @Argument(help: "What it is called.")
        var name: String

        @OptionGroup var output: OutputOptions

        func run() throws { try output.ask { try Devices($0).unplug(name) } }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists what is plugged in, stand-ins and others.")

        @OptionGroup var output: OutputOptions

        func run() throws { try output.ask { try Devices($0).list() } }
    }
}
