import ArgumentParser
import Foundation
import Processes
import Reporting
import Servers

/// Measures what a session costs an app: activating it, a server that dies and comes back, a buffer size that changes.
@main
struct Session: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Measures what activating a session takes, and how it takes the server's death, return and another buffer size.",
        discussion: """
            On servers of the benchmark's own with dummy devices, never on the user's. An app in a process of its own activates a session, and a \
            bare JACK client in another one opens, activates and connects as many ports: by turns, in the same run. Servers are ended by SIGKILL \
            and SIGTERM; what the app plays counts its frames, so that a listener can tell when the frame after the last one sounded, and whether \
            one is missing.
            """)

    @Flag(help: "One period and few repetitions: shows that it works, proves nothing.")
    var quick = false

    @Flag(
        help:
            "Run the app, the bare client and the service in real time, so that other work on the machine disturbs less."
    )
    var realTime = false

    @Option(help: ArgumentHelp("Write the results as JSON to this file as well.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Draw plots into this folder, which exists.", valueName: "folder"))
    var report: String?

    @Option(
        help: ArgumentHelp(
            "The audiosessiond that arbitrates; default: beside the package's other programs.", valueName: "path"))
    var service = ".build/release/audiosessiond"

    @Option(help: ArgumentHelp("On which servers: jackd, jackd-sync, pipewire or all.", valueName: "kind"))
    var server = "all"

    @Option(help: ArgumentHelp("What a process beside this one does.", visibility: .private))
    var part: String?

    @Argument(help: ArgumentHelp("Of the part.", visibility: .private))
    var partArguments: [String] = []

    func validate() throws {
        guard ServerKind.installed(server) != nil else {
            throw ValidationError("There is no server '\(server)'; there are jackd, jackd-sync, pipewire and all.")
        }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        if let part {
            let (app, client) = (App(), BareClient())
            // Its server may be dead, and libjack would wait for it at the end.
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
        Farewell.prepare()
        let machine = Machine.present()
        say(machine.name + (realTime ? ", in real time" : ""))
        let noise = Noise.measure(quick: quick)
        if realTime { try Scheduling.useRealTime() }
        let service = try Service(program: self.service)
        var findings = Findings()
        for kind in ServerKind.installed(server) ?? [] {
            let place = try ServerPlace(kind, service: service.socket)
            try Activation.measure(
                &findings, place, kind, periods: quick ? [128] : [64, 128, 256, 1_024], cold: quick ? 10 : 60,
                warm: quick ? 50 : 500)
            try Deaths.measure(&findings, place, kind, rounds: quick ? 4 : 40)
            try Periods.measure(&findings, place, kind, changes: quick ? 5 : 30)
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
