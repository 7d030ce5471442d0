import ArgumentParser
import Foundation
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
        if realTime { try Scheduling.useRealTime() }
        let machine = Machine.present()
        say((machine.summary.split(separator: "\n").first ?? "") + (realTime ? ", in real time" : ""))
        say("\nms from request to the last gate, and to the reply\n\(Finding.heading)")
        var findings: [Finding] = []
        for clients in quick ? [.each] : Clients.allCases {
            for sessions in !self.sessions.isEmpty ? self.sessions : quick ? [2, 10] : [2, 10, 30, 100] {
                findings += try measure(sessions, clients)
            }
        }
        let targets = Target.all(findings)
        say("\nTargets\(quick ? " (quick: proves nothing)" : "")")
        targets.forEach { say($0.line) }
        let results = findings.flatMap(Measurement.all)
        if let json {
            try Report(quick: quick, realTime: realTime, machine: machine, results: results, targets: targets).json()
                .write(to: URL(fileURLWithPath: json))
        }
        if let report {
            try Plot(directory: URL(fileURLWithPath: report, isDirectory: true), machine: machine)
                .drawLatencies(findings)
        }
        say("\narbitration: \(results.count) results, \(targets.filter(\.met).count) of \(targets.count) targets met")
    }

    private func measure(_ sessions: Int, _ clients: Clients) throws -> [Finding] {
        let scene = try Scene(program: service, sessions: sessions, clients: clients)
        var findings: [Finding] = []
        for pace in Pace.allCases {
            for what in [Case.interrupt, .duck, .call] where what != .call || pace == .apart {
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
                    say(finding.line)
                    findings.append(finding)
                }
            }
        }
        return findings
    }

    private func rounds(_ what: Case, _ pace: Pace, _ sessions: Int) -> Int {
        if quick { return 20 }
        if what == .call { return sessions > 50 ? 100 : 200 }
        return pace == .apart ? 200 : 1_000
    }
}
