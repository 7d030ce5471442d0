import ArgumentParser
import SessionPolicy
import SessionCommands

struct RouteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route",
        abstract: "Shows all ports and the route of each session, or picks a port as the user would.",
        discussion: "A pick applies until its device is unplugged or another one is plugged in; `auto` clears it.")

    @Argument(help: "The output to pick, by uid, name, or type if only one port has it; or auto.")
    var output: String?

    @Option(
        help: ArgumentHelp(
            "The input to pick, by uid, name, or type if only one port has it; or auto.", valueName: "input"))
    var input: String?

    @OptionGroup var format: OutputOptions

    func validate() throws {
        guard output == nil || input == nil else {
            throw ValidationError("Give either an output or --input; pick one after the other.")
        }
    }

    func run() throws {
        try format.runWithArbiter { arbiter in
            let routes = Routes(arbiter)
            if let output { return try routes.pick(.output, output) }
            if let input { return try routes.pick(.input, input) }
            return try routes.show()
        }
    }
}
