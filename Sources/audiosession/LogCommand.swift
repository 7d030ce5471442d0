import ArgumentParser
import Dispatch
import Foundation
import SessionArbiter
import Switchboard

struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Shows the arbiter's decisions: number, time, what was asked, by which rule, what came of it.",
        discussion: "With --json, one object a line.")

    @Flag(help: "Go on with each decision as it is made, until Ctrl-C.")
    var follow = false

    @OptionGroup var output: OutputOptions

    func run() throws {
        let clock = LogLine.Clock(steady: LiveArbiter.now, wall: Date())
        func show(_ decision: Decision) throws {
            let line = LogLine(decision)
            // At once, also to a program that reads it.
            let text = output.json ? try line.json() : line.words(clock)
            FileHandle.standardOutput.write(Data((text + "\n").utf8))
        }
        try output.reporting {
            guard follow else {
                return try LiveArbiter(starting: true).decisions().forEach(show)
            }
            let log = FollowedLog()
            let signals = EndingSignals { log.end(arbiterIsGone: false) }
            let arbiter = try LiveArbiter(
                starting: true, receive: { log.receive($0) }, ended: { log.end(arbiterIsGone: true) })
            try withExtendedLifetime((arbiter, signals)) { try log.follow(arbiter, show) }
        }
    }
}

/// Ctrl-C and termination, noticed without dying.
private struct EndingSignals {
    private let sources: [any DispatchSourceSignal]

    init(_ body: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: body)
            source.activate()
            return source
        }
    }
}
