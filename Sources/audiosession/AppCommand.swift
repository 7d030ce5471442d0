import ArgumentParser
import SessionPolicy
import Switchboard

struct AppCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Moves the app of a session to the foreground or background, suspends or resumes it.",
        discussion: "For the rules only: the process itself runs on.")

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

    @Argument(help: "foreground, background, suspend or resume.")
    var change: Change

    @Argument(help: "The number of a session of the app.")
    var session: UInt64

    @OptionGroup var output: OutputOptions

    func run() throws { try output.ask { try Apps($0).change(change.change, appOf: SessionID(session)) } }
}
