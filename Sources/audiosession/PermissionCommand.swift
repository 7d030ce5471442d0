import ArgumentParser
import Foundation
import SessionPolicy
import SessionCommands

struct PermissionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "permission",
        abstract: "Shows, grants, denies and resets the record permission of programs.")

    enum Change: String, ExpressibleByArgument, CaseIterable { case show, grant, deny, reset }

    @Argument(help: "The action: show, grant, deny, or reset, after which the program asks again.")
    var change: Change

    @Argument(
        help: "The program: absolute path; name or pid if connected. show and reset default to all programs."
    )
    var app: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard app == nil, change == .grant || change == .deny else { return }
        throw ValidationError("Missing program to \(change.rawValue) permission to: give a path, name or pid.")
    }

    func run() throws {
        try output.runWithArbiter { arbiter in
            let permissions = Permissions(arbiter) { FileManager.default.isExecutableFile(atPath: $0) }
            switch (change, app) {
            case (.show, _), (.grant, nil), (.deny, nil): return try permissions.show(app)
            case (.reset, _): return try permissions.reset(app)
            case (.grant, let app?): return try permissions.set(.granted, for: app)
            case (.deny, let app?): return try permissions.set(.denied, for: app)
            }
        }
    }
}
