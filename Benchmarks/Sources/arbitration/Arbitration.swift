import ArgumentParser
import Foundation
import Processes
import Reporting

/// Measures the time from a request to the arbiter until every grant that it changes is visible.
@main
struct Arbitration: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Measures the time from a request to the arbiter until every grant that it changes is visible in its gate.",
        discussion: """
            Runs its own arbiter service and mixing sessions, either each in a process that sleeps until it is notified, or all on one \
            connection. Sends a request over the socket and measures two times: until the last gate page that the request changes has its \
            new value, and until the reply has been read. Included: sending, the service's wake-up, JSON, the policy, the log and the pages. \
            Not included: the clients' response. As a lower bound, the same run alternates these requests with exchanges with a process \
            that decides nothing.
            """)

    @OptionGroup var options: Options

    @Flag(
        help:
            "Runs the requester and the service with real-time priority, to reduce noise from other programs. Apps keep normal priority."
    )
    var realTime = false

    @Option(
        help: ArgumentHelp(
            "The audiosessiond to measure; default: the package's release build.", valueName: "path"))
    var service = ".build/release/audiosessiond"

    @Option(help: ArgumentHelp("The number of mixing sessions; may be repeated.", valueName: "n"))
    var sessions: [Int] = []

    @Option(help: ArgumentHelp("The part of a child process.", visibility: .private))
    var part: String?

    @Argument(help: ArgumentHelp("The arguments of the part.", visibility: .private))
    var partArguments: [String] = []

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        if let part = part.flatMap(Part.init) {
            // A child process ends when its connection to the benchmark closes.
            try? part.play(partArguments)
            return
        }
        try options.run("arbitration", realTime: realTime, measure: measure)
    }

    private func measure(_ machine: Machine, _ noise: Noise) throws -> Findings {
        var results = Results()
        for (sessions, clients) in scenes { try measure(sessions, clients, &results) }
        return Findings(
            results: results.measurements, targets: results.targets(noise, realTime: realTime),
            tables: [results.table, Growth.table(results.growths)], figures: results.figures)
    }

    /// The scenes: increasing numbers of sessions, each in its own process or all on one
    /// connection; and 64 sessions in increasing numbers of processes.
    private var scenes: [(sessions: Int, clients: Clients)] {
        let counts = !sessions.isEmpty ? sessions : options.quick ? [1, 10, 100] : [1, 2, 5, 10, 30, 60, 100]
        let processes = options.quick ? [1, 8, 64] : [1, 2, 4, 8, 16, 32, 64]
        return [Clients.each, .one].flatMap { clients in counts.map { ($0, clients) } }
            + (sessions.isEmpty ? processes.map { (64, .shared($0)) } : [])
    }

    private func measure(_ sessions: Int, _ clients: Clients, _ results: inout Results) throws {
        let scene = try Scene(program: service, sessions: sessions, clients: clients)
        for pace in Pace.allCases {
            for what in [Case.interrupt, .duck, .call] where isMeasured(what, clients, pace) {
                let bound = try Bound(pages: what == .interrupt ? 2 : sessions + (what == .duck ? 1 : 0))
                var times: [Latency] = []
                let rounds = rounds(what, pace, sessions)
                let found = try scene.measure(what, rounds: rounds, pace: pace) {
                    if pace == .apart { times.append(try bound.measure()) }
                }
                // The bound would not be valid while other sessions are being notified.
                if pace == .together { times = try (0..<rounds).map { _ in try bound.measure() } }
                for what in Case.allCases {
                    guard let ours = found[what] else { continue }
                    results.add(what, sessions: sessions, clients, pace, ours: ours, bound: times)
                }
            }
        }
    }

    /// Returns whether to measure this combination. Calls are measured only while the service is
    /// idle. The distribution of sessions over processes matters only when all are notified.
    private func isMeasured(_ what: Case, _ clients: Clients, _ pace: Pace) -> Bool {
        if case .shared = clients { return what == .duck }
        return what != .call || pace == .apart
    }

    private func rounds(_ what: Case, _ pace: Pace, _ sessions: Int) -> Int {
        if options.quick { return 20 }
        if what == .call { return sessions > 50 ? 100 : 200 }
        return pace == .apart ? 200 : 1_000
    }
}
