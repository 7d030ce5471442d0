import ArgumentParser
import JackDriver
import SessionArbiter
import SessionCommands

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the server, the arbiter, devices, volumes, switches and the state of every session.",
        discussion: "Changes nothing, and starts neither a server nor the arbiter.")

    @Flag(help: "Also shows what apps say about their sessions, such as why a program was adopted as it is.")
    var verbose = false

    @OptionGroup var output: OutputOptions

    func run() throws {
        try output.runCommand {
            // The default server, otherwise the managed one.
            let server = ManagedServers.look()
            switch SocketArbiterClient.look() {
            case .running(let report, let path):
                return StatusResult(
                    server: server, library: JackDriver.libraryVersion, report: report,
                    programs: RealDevicePrograms().running(), socket: path, now: SocketArbiterClient.now,
                    isVerbose: verbose)
            case .absent(let path), .stale(let path):
                return StatusResult(
                    server: server, library: JackDriver.libraryVersion, report: nil, socket: path,
                    now: SocketArbiterClient.now)
            case .withoutSocket(let path, let process):
                throw CommandError(
                    .unavailable,
                    """
                    The arbiter with pid \(process) holds the lock, but does not listen at '\(path)'. If it is \
                    stopped, continue it with `kill -CONT \(process)`; otherwise end it with `kill \(process)`.
                    """)
            case .unreachable(let reason), .noFolder(let reason): throw CommandError(.unavailable, reason)
            }
        }
    }
}
