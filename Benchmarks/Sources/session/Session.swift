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

    @Flag(help: "Activates at one period only, with few repetitions: a functional check without meaningful results.")
    var quick = false

    @Flag(
        help:
            "Runs all its processes, the servers included, with real-time priority, to reduce noise from other programs."
    )
    var realTime = false

    @Option(help: ArgumentHelp("Also writes the results to this file as JSON.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Draws plots into this existing folder.", valueName: "folder"))
    var report: String?

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
        do {
            try measure()
        } catch let error where error is BenchmarkError || error is PlotError {
            try? FileHandle.standardError.write(contentsOf: Data("session: \(error)\n".utf8))
            throw ExitCode(70)
        }
    }

    private func measure() throws {
        ShutdownSignal.prepare()
        let machine = Machine.present()
        say(machine.name + (realTime ? ", in real time" : ""))
        let noise = Noise.measure(quick: quick)
        if realTime { try Scheduling.useRealTime() }
        let service = try Service(program: self.service)
        var findings = Findings()
        for kind in ServerKind.installed(server) ?? [] {
            let context = try ServerContext(kind, service: service.socket)
            try Activation.measure(
                &findings, context, kind, periods: quick ? [128] : [64, 128, 256, 1_024], cold: quick ? 10 : 60,
                warm: quick ? 50 : 500)
            try Deaths.measure(&findings, context, kind, rounds: quick ? 4 : 40)
            try Periods.measure(&findings, context, kind, changes: quick ? 5 : 30)
        }
        let targets =
            Activation.targets(findings.all, noise) + Deaths.targets(findings.all, noise)
            + Periods.targets(findings.all)
        Target.say(targets, quick: quick)
        let results = findings.all.flatMap(\.measurements)
        let plot = report.map { Plot(directory: URL(fileURLWithPath: $0, isDirectory: true), machine: machine) }
        let figures = try plot.map { [try $0.drawActivations(findings.all), try $0.drawDeaths(findings.all)] }
        if let json {
            try Report(
                "session", quick: quick, realTime: realTime, machine: machine, noise: noise, results: results,
                targets: targets, tables: [findings.table], figures: figures ?? []
            ).write(to: json)
        }
        say("\nsession: \(results.count) results, \(Target.summary(targets))")
    }
}
