import ArgumentParser
import SessionPolicy
import SessionCommands

struct AppCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Moves the app of a session to the foreground or background, suspends it, or resumes it.",
        discussion: "Changes only the state that the arbiter assumes for the app; its process keeps running.")

    enum Change: String, ExpressibleByArgument, CaseIterable {
        case foreground, background, suspend, resume

        var change: Apps.Change {
            switch self {
            case .foreground: .foreground
            case .background: .background
            case .suspend: .suspend
            case .resume: .resume
            }
        }
    }

    @Argument(help: "The change; resume returns a suspended app to the foreground.")
    var change: Change

    @Argument(help: "The number of one of the app's sessions; `audiosession status` lists them.")
    var session: UInt64

    @OptionGroup var output: OutputOptions

    func run() throws { try output.runWithArbiter { try Apps($0).change(change.change, appOf: SessionID(session)) } }
}
