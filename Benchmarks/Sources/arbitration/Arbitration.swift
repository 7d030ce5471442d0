import ArgumentParser
import Foundation
import Processes
import Reporting

/// Measures how long it takes from a request to the arbiter until every verdict that it changes is visible.
@main
struct Arbitration: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Measures how long it takes from a request to the arbiter until every verdict that it changes is visible in its gate.",
        discussion: """
            A service of its own, and sessions that mix, each in a process that sleeps until it is told (or all on one connection, told at once). \
            A request goes over the socket; the clock stops when the last page that it changes shows its new word, and when the reply has been \
            read. Included: sending, the service's waking up, JSON, the policy, the log and the pages. Not included: what the clients then do. \
            By turns with it, in the same run, the same exchange with a process that decides nothing.
            """)

    @Flag(help: "Fewer sessions and repetitions: shows that it works, proves nothing.")
    var quick = false

    @Flag(
        help:
            "Run who asks and the service in real time, so that other work on the machine disturbs less; apps stay as they are."
    )
    var realTime = false

    @Option(help: ArgumentHelp("Write the results as JSON to this file as well.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Draw plots into this folder, which exists.", valueName: "folder"))
    var report: String?

    @Option(
        help: ArgumentHelp(
            "The audiosessiond to be measured; default: beside the package's other programs.", valueName: "path"))
    var service = ".build/release/audiosessiond"

    @Option(help: ArgumentHelp("How many sessions mix; may be given more than once.", valueName: "n"))
    var sessions: [Int] = []

    @Option(help: ArgumentHelp("What a process beside this one does.", visibility: .private))
    var part: String?

    @Argument(help: ArgumentHelp("Of the part.", visibility: .private))
    var partArguments: [String] = []

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        if let part = part.flatMap(Part.init) {
            // It ends with the connection to who plays with it.
            try? part.play(partArguments)
            return
        }
        do {
            try measure()
        } catch let error where error is BenchmarkError || error is PlotError {
            try? FileHandle.standardError.write(contentsOf: Data("arbitration: \(error)\n".utf8))
            throw ExitCode(70)
        }
    }

    private func measure() throws {
        Farewell.prepare()
        let machine = Machine.present()
        say(machine.name + (realTime ? ", in real time" : ""))
        let noise = Noise.measure(quick: quick)
        if realTime { try Scheduling.useRealTime() }
        var table = Table(
            "Milliseconds from request to the last gate, and to the reply",
            note: "processes: that have the sessions; 0: they are all on one connection of the benchmark's",
            Finding.columns)
        var findings: [Finding] = []
        for (sessions, clients) in scenes {
            findings += try measure(sessions, clients, &table)
        }
        let growths = Growth.table(Finding.growths(findings))
        let targets = Target.all(findings, noise, realTime: realTime)
        Target.say(targets, quick: quick)
        let results = findings.flatMap(Measurement.all)
        let plot = report.map { Plot(directory: URL(fileURLWithPath: $0, isDirectory: true), machine: machine) }
        let figures = try plot.map { [try $0.drawLatencies(findings), try $0.drawClients(findings)] } ?? []
        if let json {
            try Report(
                "arbitration", quick: quick, realTime: realTime, machine: machine, noise: noise, results: results,
                targets: targets, tables: [table, growths], figures: figures
            ).write(to: json)
        }
        say("\narbitration: \(results.count) results, \(Target.summary(targets))")
    }

    /// More sessions, in a process each or on one connection; and as many sessions in more processes.
    private var scenes: [(sessions: Int, clients: Clients)] {
        let counts = !sessions.isEmpty ? sessions : quick ? [1, 10, 100] : [1, 2, 5, 10, 30, 60, 100]
        let processes = quick ? [1, 8, 64] : [1, 2, 4, 8, 16, 32, 64]
        return [Clients.each, .one].flatMap { clients in counts.map { ($0, clients) } }
            + (sessions.isEmpty ? processes.map { (64, .shared($0)) } : [])
    }

    private func measure(_ sessions: Int, _ clients: Clients, _ table: inout Table) throws -> [Finding] {
        let scene = try Scene(program: service, sessions: sessions, clients: clients)
        var findings: [Finding] = []
        for pace in Pace.allCases {
            for what in [Case.interrupt, .duck, .call] where isWanted(what, clients, pace) {
                let bound = try Bound(pages: what == .interrupt ? 2 : sessions + (what == .duck ? 1 : 0))
                var times: [Latency] = []
                let rounds = rounds(what, pace, sessions)
                let found = try scene.measure(what, rounds: rounds, pace: pace) {
                    if pace == .apart { times.append(try bound.measure()) }
                }
                // A bound would not be one while others are being told.
                if pace == .together { times = try (0..<rounds).map { _ in try bound.measure() } }
                for what in Case.allCases {
                    guard let ours = found[what] else { continue }
                    let finding = Finding(
                        conditions: Conditions(what: what, sessions: sessions, clients: clients, pace: pace),
                        ours: ours,
                        bound: times)
                    table.add(finding.row)
                    findings.append(finding)
                }
            }
        }
        return findings
    }

    /// A call is timed when the service sleeps; who has the sessions matters where all are told.
    private func isWanted(_ what: Case, _ clients: Clients, _ pace: Pace) -> Bool {
        if case .shared = clients { return what == .duck }
        return what != .call || pace == .apart
    }

    private func rounds(_ what: Case, _ pace: Pace, _ sessions: Int) -> Int {
        if quick { return 20 }
        if what == .call { return sessions > 50 ? 100 : 200 }
        return pace == .apart ? 200 : 1_000
    }
}
