import ArgumentParser
import SessionPolicy
import Switchboard

struct RouteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route",
        abstract: "Shows where sound goes and comes from, and picks a port as a user would.",
        discussion: "The pick holds until its device leaves or another is plugged in; `auto` takes it back.")

    @Argument(help: "The output: uid, name, or type if only one has it; or auto.")
    var output: String?

    @Option(help: ArgumentHelp("The input, likewise.", valueName: "input"))
    var input: String?

    @OptionGroup var format: OutputOptions

    func validate() throws {
        guard output == nil || input == nil else {
            throw ValidationError("An output and an input were named; pick one after the other.")
        }
    }

    func run() throws {
        try format.ask { arbiter in
            let routes = Routes(arbiter)
            if let output { return try routes.pick(.output, output) }
            if let input { return try routes.pick(.input, input) }
            return try routes.show()
        }
    }
}
