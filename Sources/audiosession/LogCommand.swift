import ArgumentParser
import Dispatch
import Foundation
import SessionArbiter
import SessionCommands

struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Shows the arbiter's decisions with their number, time, request, effects and rules.",
        discussion: "With --json, each line is one object.")

    @Flag(help: "Continues with new decisions until Ctrl-C.")
    var follow = false

    @OptionGroup var output: OutputOptions

    func run() throws {
        let clock = LogLine.Clock(steady: SocketArbiterClient.now, wall: Date())
        func show(_ decision: Decision) throws {
            let line = LogLine(decision)
            try output.write(output.json ? try line.json() : line.text(clock))
        }
        try output.reportingErrors {
            guard follow else {
                return try SocketArbiterClient(starting: true).decisions().forEach(show)
            }
            let log = FollowedLog()
            let signals = TerminationSignals { log.end(arbiterHasExited: false) }
            let arbiter = try SocketArbiterClient(
                starting: true, receive: { log.receive($0) }, ended: { log.end(arbiterHasExited: true) })
            try withExtendedLifetime((arbiter, signals)) { try log.follow(arbiter, show) }
        }
    }
}

/// Calls a handler on Ctrl-C and termination signals, which then do not end the process.
private struct TerminationSignals {
    private let sources: [any DispatchSourceSignal]

    init(_ handler: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: handler)
            source.activate()
            return source
        }
    }
}
