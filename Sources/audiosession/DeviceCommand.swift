import ArgumentParser
import SessionPolicy
import SessionCommands

struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Plugs in and unplugs virtual devices, and lists all devices.",
        discussion: """
            A virtual device is a program, audiosession-device, that receives sound on the default JACK server, or on \
            the managed one if the default server is not running. If no server is running, or with --policy-only, the \
            device exists for the policy only: sessions are routed to it, notified and paused, but no sound is played.
            """,
        subcommands: [Plug.self, Unplug.self, List.self])

    /// Throws a usage error: a call without a subcommand is a mistake in the calling script.
    func run() throws { throw ValidationError("Missing subcommand: plug, unplug or list.") }

    struct Plug: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "plug", abstract: "Plugs in a virtual device.")

        @Argument(help: "The name of the device.")
        var name: String

        @Option(
            help: ArgumentHelp("The type of the device: \(Plug.types).", valueName: "type"),
            completion: .list(PortType.allCases.map(\.rawValue)),
            transform: { name in
                guard let type = PortType(rawValue: name) else {
                    throw ValidationError("Unknown type '\(name)'. Types: \(Plug.types).")
                }
                return type
            })
        var type: PortType

        private static var types: String { PortType.allCases.map(\.rawValue).joined(separator: ", ") }

        @Option(help: ArgumentHelp("Output channels, 0 to 64; default: the usual number for the type.", valueName: "n"))
        var outputs: Int?

        @Option(help: ArgumentHelp("Input channels, 0 to 64; default: the usual number for the type.", valueName: "n"))
        var inputs: Int?

        @Flag(help: "Plugs in the device for the policy only, without a program and without sound.")
        var policyOnly = false

        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard (1...64).contains(name.utf8.count) else {
                throw ValidationError("Invalid device name; give a name of 1 to 64 bytes.")
            }
            for (option, value) in [("--outputs", outputs), ("--inputs", inputs)] {
                guard let value, !(0...64).contains(value) else { continue }
                throw ValidationError("\(option) \(value): give a number from 0 to 64.")
            }
        }

        func run() throws {
            try output.runWithArbiter {
                try Devices($0).plug(name, type, outputs: outputs, inputs: inputs, policyOnly: policyOnly)
            }
        }
    }

    struct Unplug: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unplug", abstract: "Unplugs a virtual device.")

        @Argument(help: "The name of the device.")
        var name: String

        @OptionGroup var output: OutputOptions

        func run() throws { try output.runWithArbiter { try Devices($0).unplug(name) } }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists all devices, virtual and real.")

        @OptionGroup var output: OutputOptions

        func run() throws { try output.runWithArbiter { try Devices($0).list() } }
    }
}
