import ArgumentParser
import JackDriver
import SessionArbiter
import Switchboard

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows server, arbiter, devices, volume, switches, and every session and its state.",
        discussion: "Only looks: starts neither a server nor an arbiter.")

    @OptionGroup var output: OutputOptions

    func run() throws {
        try output.say {
            let server = ManagedServers.look()
            switch LiveArbiter.look() {
            case .running(let report, let path):
                return StatusOutcome(
                    server: server, library: JackDriver.libraryVersion, report: report,
                    programs: RealDevicePrograms().running(), socket: path, now: LiveArbiter.now)
            case .absent(let path), .stale(let path):
                return StatusOutcome(
                    server: server, library: JackDriver.libraryVersion, report: nil, socket: path, now: LiveArbiter.now)
            case .silent(let reason): throw SwitchboardError(.unavailable, reason)
            }
        }
    }
}
