import Reporting

enum Subject {
    static let ours = "swift-audio-session"
    static let bound = "bare SOCK_SEQPACKET and pages"
}

/// The results so far, and their table.
struct Results {
    private(set) var measurements: [Measurement] = []
    private(set) var table = Table(
        "Milliseconds from request to the last gate, and to the reply",
        note: "processes: that have the sessions; 0: they are all on one connection of the benchmark's",
        [
            .text("case", 9), Table.Column("sessions"), Table.Column("processes"), .text("pace", 8),
            Table.Column("n", width: 4), "gates p50", Table.Column("p99", width: 6), Table.Column("max", width: 6),
            Table.Column("reply p50"), Table.Column("p99", width: 6), Table.Column("bound p50"),
            Table.Column("p99", width: 6), Table.Column("ours/bound"),
        ])

    mutating func add(
        _ what: Case, sessions: Int, _ clients: Clients, _ pace: Pace, ours: [Latency], bound: [Latency]
    ) {
        let processes = clients.processes(sessions)
        let conditions: Conditions = [
            "case": .text(what.rawValue), "sessions": .whole(sessions), "clients": .text(clients.name),
            "processes": .whole(processes), "pace": .text(pace.rawValue),
        ]
        func compared(until: Conditions.Value, _ time: (Latency) -> Double, ratio: String? = nil) -> [Measurement] {
            .compared(
                "arbiter.verdict_ms", "ms", [(Subject.ours, ours.map(time)), (Subject.bound, bound.map(time))],
                ratio: ratio, conditions.with(["until": until]))
        }
        // Ours and the bound alternate only where the service rests between requests.
        let gates = compared(until: "gates", \.gates, ratio: pace == .apart ? "arbiter.verdict_ratio" : nil)
        let reply = compared(until: "reply", \.reply)
        measurements += gates + reply
        let (own, answer, other) = (gates[0].statistics, reply[0].statistics, gates[1].statistics)
        table.add(
            [what.rawValue, "\(sessions)", "\(processes)", pace.rawValue, "\(own.count)"]
                + [own.median, own.p99, own.maximum, answer.median, answer.p99, other.median, other.p99].map(digits)
                + gates[2...].map { digits($0.statistics.median) })
    }

    private func times(_ subject: String, _ conditions: Conditions) -> [Measurement] {
        measurements.of("arbiter.verdict_ms", subject, conditions.with(["until": "gates"]))
    }

    /// The targets for the largest number of sessions, each in a process of its own.
    func targets(_ noise: Noise, realTime: Bool) -> [Target] {
        let most = times(Subject.ours, ["clients": "each"]).points(against: "sessions").map(\.0).max() ?? 0
        return Pace.allCases.flatMap { pace in
            Case.allCases.flatMap { what in
                times(
                    Subject.ours,
                    [
                        "case": .text(what.rawValue), "sessions": .whole(Int(most)), "clients": "each",
                        "pace": .text(pace.rawValue),
                    ]
                ).map { result in
                    Target(
                        what: "\(what.text), \(Int(most)) sessions, requests \(pace): p99 until the last gate",
                        unit: "ms", wanted: 1, aim: 0.2, reached: result.statistics.p99,
                        range: noise.range(ofTail: result.statistics, inRealTime: realTime),
                        headline: what == .duck && pace == .apart
                            ? "a prompt lowers \(Int(most)) apps in as many processes (p99)" : nil)
                }
            }
        }
    }

    /// Fits how a latency grows with sessions, and with their processes, for separate requests.
    var growths: [Growth] {
        let curves = [
            ("each", "sessions in as many processes", "sessions", "session"),
            ("one", "sessions on one connection", "sessions", "session"),
            ("shared", "the same sessions in more processes", "processes", "process"),
        ]
        return Case.allCases.flatMap { what in
            curves.flatMap { clients, title, count, each in
                [Subject.ours, Subject.bound].compactMap { subject in
                    Growth(
                        "\(what.text): \(title)", subject, unit: "µs", each: each,
                        times(
                            subject, ["case": .text(what.rawValue), "clients": .text(clients), "pace": "apart"]
                        ).points(against: count).map { ($0, $1 * 1000) })
                }
            }
        }
    }

    var figures: [Figure] { [latencies, clients] }

    private static let percentiles = [("median", \Statistics.median), ("p99", \.p99)]
    private static let colors = ["#0060ad", "#d95319", "#edb120", "#7e2f8e"]
    private static let axes = """
        set key below Left reverse samplen 3 maxcols 2 title " "
        set logscale xy 10
        set ylabel "ms from request to the last gate"
        set yrange [0.005:*<1000]
        set xrange [0.8:150]

        """

    /// Latency against sessions, with a panel for each pace.
    private var latencies: Figure {
        let panels = Pace.allCases.map { pace in
            func lines(_ title: String, _ color: String, _ subject: String, _ what: Case) -> [Figure.Line] {
                let found = times(
                    subject,
                    ["case": .text(what.rawValue), "clients": "each", "pace": .text(pace.rawValue)])
                return Self.percentiles.map { name, percentile in
                    Figure.Line(
                        title: "\(title), \(name)", color: color, dashed: name == "p99",
                        points: found.points(against: "sessions", percentile))
                }
            }
            let ours = zip(Self.colors, Case.allCases).flatMap { lines($1.text, $0, Subject.ours, $1) }
            return Figure.Panel(
                title: pace == .apart
                    ? "Request to a service that sleeps" : "Request while other clients are still being notified",
                lines: ours + lines("bare socket and as many pages", "#777777", Subject.bound, .duck))
        }
        return Figure(
            "arbitration-latency", size: "1500,760",
            caption: "Latency from a request to the last gate that it changes, against the number of sessions",
            panels: panels,
            settings: Self.axes + "set xlabel \"sessions that mix, each in a process of its own\" offset 0,0.5")
    }

    /// A prompt that ducks all: against sessions, in processes of their own or on one connection;
    /// and for a constant number of sessions against processes.
    private var clients: Figure {
        func lines(_ groups: [(clients: String, title: String)], against count: String) -> [Figure.Line] {
            func points(_ subject: String, _ clients: String, _ pace: Pace) -> [(Double, Double)] {
                times(subject, ["case": "duck", "clients": .text(clients), "pace": .text(pace.rawValue)])
                    .points(against: count)
            }
            let ours = groups.flatMap { group in Pace.allCases.map { (group, $0) } }
            return zip(Self.colors, ours).map { color, line in
                Figure.Line(
                    title: "\(line.0.title), requests \(line.1), median", color: color, dashed: line.1 == .together,
                    points: points(Subject.ours, line.0.clients, line.1))
            } + [
                Figure.Line(
                    title: "bare socket and as many pages, median", color: "#777777", dashed: true,
                    points: points(Subject.bound, groups[0].clients, .apart), symbol: 6)
            ]
        }
        let sessions = times(Subject.ours, ["clients": "shared"]).first?.conditions.values["sessions"]?.text ?? "0"
        return Figure(
            "arbitration-scale-clients", size: "1500,760",
            caption:
                "A prompt lowers all: latency to the last gate against sessions, and against the processes that have them",
            panels: [
                Figure.Panel(
                    title: "A prompt lowers all",
                    lines: lines(
                        [("each", "each in a process"), ("one", "all on one connection")], against: "sessions"),
                    settings: "set xlabel \"sessions that mix\" offset 0,0.5"),
                Figure.Panel(
                    title: "A prompt lowers \(sessions) sessions",
                    lines: lines([("shared", "shared by them")], against: "processes"),
                    settings: "set xlabel \"processes that share \(sessions) sessions\" offset 0,0.5"),
            ], settings: Self.axes)
    }
}
