import ArgumentParser
import Foundation
import SessionPolicy
import Switchboard

struct PermissionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "permission",
        abstract: "Shows and gives the user's answers to programs that want to record.")

    enum Change: String, ExpressibleByArgument, CaseIterable { case show, grant, deny, reset }

    @Argument(help: "show, grant, deny, or reset: as if never asked.")
    var change: Change

    @Argument(
        help: "The program: absolute path, or name or pid of one that is connected. For show and reset, all by default."
    )
    var app: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard app == nil, change == .grant || change == .deny else { return }
        throw ValidationError("Permission to \(change.rawValue) for whom? Name a program.")
    }

    func run() throws {
        try output.ask { arbiter in
            let permissions = Permissions(arbiter) { FileManager.default.isExecutableFile(atPath: $0) }
            switch (change, app) {
            case (.show, _), (.grant, nil), (.deny, nil): return try permissions.show(app)
            case (.reset, _): return try permissions.reset(app)
            case (.grant, let app?): return try permissions.answer(.granted, to: app)
            case (.deny, let app?): return try permissions.answer(.denied, to: app)
            }
        }
    }
}
