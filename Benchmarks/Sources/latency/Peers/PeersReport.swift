import Reporting
import Servers

/// The results of each library, also as text, and the libraries' versions.
struct PeersReport {
    /// The seconds to wait for a peer that does not return.
    let patience: Double
    private var findings = Findings()
    private var libraries: [String: String] = [:]
    private var words: [String: [Question: String]] = [:]
    private var tables: [Question: Table] = [:]
    /// The frames from each request to its sound, by period.
    private var plotted: [Int: [(title: String, candidate: Candidate)]] = [:]

    init(patience: Double) { self.patience = patience }

    enum Question: String, CaseIterable {
        case play = "play → port, 256", through = "added, 256", periods = "the period changes while it plays"
        case death = "the server dies and returns"
    }

    /// Returns the heading of a table.
    private func heading(_ question: Question) -> Table {
        switch question {
        case .play:
            Table(
                "Peers: play request → first frame on the port",
                note: "below 0: the cycle that the request found ran late, on a machine that was busy",
                [
                    "period", .text("library", 40), .text("asked by", 30), "frames", "from", "to", "p99", "max",
                    "periods", "n", .text("", 0),
                ])
        case .through:
            Table(
                "Peers: frames from input to output, beyond those of a bare client",
                ["period", .text("library", 40), "frames", "min", "max", "n", .text("", 0)])
        case .periods:
            Table(
                "Peers: the period goes 256 → 64 → 1024 → 256 while it plays",
                note: """
                    frames beyond what a bare client lost in the same change (the last of them; below 0: it lost more), medians; sounds: of what \
                    should be heard afterwards
                    """,
                [
                    .text("library", 40), "to", "sounds %", "lost", "most", "repeated", "silent", "bare lost", "n",
                    .text("", 0),
                ])
        case .death:
            Table(
                "Peers: the server dies (SIGKILL) and returns while they play",
                note: """
                    by itself: from the server's readiness until it sounds, ms, within \(Int(patience)) s; opened again: from an app's closing and \
                    opening it until it is heard
                    """,
                [
                    .text("library", 40), "by itself", "ms", "max", .text("place kept", 10), .text("notified", 8),
                    "opened", "ms", "n", .text("", 0),
                ])
        }
    }

    mutating func row(_ question: Question, _ cells: any Cell...) {
        var table = tables[question] ?? heading(question)
        table.add(cells.flatMap(\.cells))
        tables[question] = table
    }

    /// Adds a result of a peer, with the backend through which it connects to the server.
    @discardableResult
    mutating func add(
        _ metric: String, _ unit: String, _ values: [Double], _ open: OpenPeer, _ period: Int,
        _ conditions: Conditions = [:]
    ) -> Statistics {
        let server = Conditions(.jackd).with(["period": .whole(period), "backend": .text(open.backend)])
        return findings.add(metric, unit, values, server.with(conditions), of: open.library)
    }

    mutating func note(_ peer: OpenPeer) {
        libraries[peer.peer.program] = peer.library + (peer.backend == "JACK" ? "" : " by \(peer.backend)")
    }

    /// Records a result. Of a library's ways only the first is shown, and of the periods only the
    /// one that every run has.
    mutating func note(_ peer: Peer, _ question: Question, at period: Int = 256, _ words: String) {
        guard peer.way.isEmpty, period == 256 else { return }
        self.words[peer.program, default: [:]][question] = words
    }

    mutating func plot(_ title: String, _ candidate: Candidate, _ period: Int) {
        plotted[period, default: []].append((title, candidate))
    }

    /// Returns the name with the version, once the library has reported it.
    func library(_ peer: Peer) -> String { libraries[peer.program] ?? peer.name }

    func finish(_ peers: [Peer]) -> Findings {
        let names = peers.map(library)
        var table = Table(
            "What each did",
            note:
                "measured in this run; the version is what the library reports; the bare client, without any library, is the bound",
            [.text("library", names.map(\.count).max() ?? 0)]
                + Question.allCases.map { question in
                    .text(question.rawValue, peers.map { words[$0.program]?[question]?.count ?? 0 }.max() ?? 0)
                })
        for (peer, name) in zip(peers, names) {
            table.row(name, Question.allCases.map { words[peer.program]?[$0] ?? "not measured" })
        }
        var findings = findings
        findings.tables = Question.allCases.compactMap { tables[$0] } + [table]
        findings.figures = [figure]
        return findings
    }

    /// The share of requests whose sound was on the port within that many periods, with a panel for
    /// each period.
    private var figure: Figure {
        let panels = plotted.sorted { $0.key < $1.key }.map { period, series in
            var own = [Figure.blue, "#00a0e9", "#002f6c"][...]
            var others = [Figure.orange, Figure.yellow, Figure.violet, Figure.green, Figure.red, "#e377c2", "#8c564b"][
                ...]
            let lines = series.map { title, candidate in
                let isOurs = candidate.peer.name == ours
                let color = candidate.peer == .bare ? nil : isOurs ? own.popFirst() : others.popFirst()
                let times = candidate.frames.map { $0 / Double(period) }
                return Figure.Line(
                    title: title, color: color ?? Figure.grey, dashed: !isOurs,
                    points: Figure.shares(times, points: 50), symbol: isOurs ? 7 : 1)
            }
            return Figure.Panel(title: "\(period) frames of a period", lines: lines)
        }
        return Figure(
            "latency-peers", size: "\(max(1_000, 650 * panels.count)),850",
            caption: """
                Play request → first frame on the port: share of requests against periods. Grey: a bare client, which is the bound; \
                unbroken: swift-audio-session. Below 0: the cycle that the request found ran late.
                """,
            panels: panels,
            settings: """
                set key outside below center maxcols 2 Left reverse samplen 3 noenhanced
                set xlabel "periods"
                set ylabel "% of requests"
                set yrange [0:100]
                set xrange [-0.5:6]
                """)
    }
}
