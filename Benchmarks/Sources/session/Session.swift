import ArgumentParser
import Foundation
import Processes
import Reporting
import Servers

/// Measures the cost of a session for an app: activation, the server's end and return, and a change
/// of the buffer size.
@main
struct Session: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Measures how long a session takes to activate, to recover from the loss of the server, and to follow a buffer size change.",
        discussion: """
            Runs on its own servers with dummy devices, never on the user's. In alternation, an app in its own process activates a session, \
            and a bare JACK client in another process opens, activates and connects as many ports. The benchmark ends its servers \
            with SIGKILL and SIGTERM in turn, starts them again, and measures when the app is notified and when it plays again. The app plays a signal whose samples are frame numbers, so that a receiver can detect when playback continued, and whether a frame \
            is missing.
            """)

    @OptionGroup var options: Options

    @Flag(
        help:
            "Runs all its processes, the servers included, with real-time priority, to reduce noise from other programs."
    )
    var realTime = false

    @Option(
        help: ArgumentHelp(
            "The audiosessiond to use, a release build.", valueName: "path"))
    var service = ".build/release/audiosessiond"

    @Option(
        help: ArgumentHelp(
            "The servers to measure on: jackd, jackd-sync (jackd -S), pipewire, or all that are installed.",
            valueName: "kind"))
    var server = "all"

    @Option(help: ArgumentHelp("The part of a child process.", visibility: .private))
    var part: String?

    @Argument(help: ArgumentHelp("The arguments of the part.", visibility: .private))
    var partArguments: [String] = []

    func validate() throws {
        guard ServerKind.installed(server) != nil else {
            throw ValidationError("Unknown server '\(server)'. Servers: jackd, jackd-sync, pipewire, all.")
        }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        if let part {
            let (app, client) = (App(), BareClient())
            // Exits without cleanup: the server may be dead, and libjack would wait for it.
            try? Performer.play(part == App.part ? app.perform : client.perform)
            _exit(0)
        }
        try options.run("session", realTime: realTime, measure: measure)
    }

    private func measure(_ machine: Machine, _ noise: Noise) throws -> Findings {
        let service = try Service(program: self.service)
        var results = Results(noise: noise, quick: options.quick)
        var deaths = Deaths()
        for kind in ServerKind.installed(server) ?? [] {
            let context = try ServerContext(kind, service: service.socket)
            try Activation.measure(&results, context, kind)
            try deaths.measure(&results, context, kind)
            try Periods.measure(&results, context, kind)
        }
        return Findings(
            results: results.measurements, targets: results.targets, tables: [results.table],
            figures: [.activations(results.measurements), .deaths(deaths.lost, deaths.back)])
    }
}
