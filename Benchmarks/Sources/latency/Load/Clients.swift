import CProbe
import Foundation
import Processes
import Reporting
import Servers

/// The cost of one more client on a server, compared with a client that does nothing: the time of
/// all processors, and the time until the last client is done.
enum Clients {
    private static let period = 256

    /// Microseconds per cycle, round by round: the processor time of the server and all clients,
    /// and the time from the first client's call until the last one is done.
    private struct Found {
        var work: [Double] = []
        var span: [Double] = []
    }

    static func measure(_ run: Run) throws -> Findings {
        let (counts, rounds) = run.quick ? ([1, 4], 1) : ([1, 2, 4, 8], 3)
        let context = try ServerContext(run.strictest, service: run.service.socket)
        let server = try Server(run.strictest, period: period, in: context)
        var found: [String: [Int: Found]] = [:]
        for _ in 0..<rounds {
            for count in counts {
                for who in [ours, doNothing] {
                    let (work, spans) = try measure(who, count, server, context, seconds: run.quick ? 0.7 : 0.8)
                    found[who, default: [:]][count, default: Found()].work.append(work)
                    found[who, default: [:]][count, default: Found()].span.append(Statistics(spans).median)
                }
            }
        }
        return report(found, counts, Conditions(server))
    }

    private static func measure(
        _ who: String, _ count: Int, _ server: Server, _ context: ServerContext, seconds: Double
    ) throws -> (work: Double, spans: [Double]) {
        let part = who == ours ? LoadApp.part : LoadBare.part
        let clients = try (0..<count).map { _ in try Performer(part, context.environment) }
        for client in clients {
            try client.ask("open", server.name, 16, 4_096)
            if who == ours { try client.ask("voices", 1) }
        }
        poll(nil, 0, 200)
        let processes = [server.processIdentifier] + (try clients.map { pid_t(try $0.ask("process")[0]) })
        for client in clients { try client.ask("begin") }
        let (begun, before) = (now(), workNanoseconds(processes))
        poll(nil, 0, Int32(seconds * 1_000))
        let (after, took) = (workNanoseconds(processes), Double(now() - begun) / 1e9)
        var found: [UInt32: (clients: Int, begin: UInt64, end: UInt64)] = [:]
        for client in clients {
            let path = context.folder + "/trace"
            _ = try client.ask("end", path)
            for cycle in try Trace(reading: path).cycles {
                let end = cycle.begin_ns + UInt64(cycle.wall_ns)
                let present = found[cycle.frame] ?? (0, .max, 0)
                found[cycle.frame] = (present.clients + 1, min(present.begin, cycle.begin_ns), max(present.end, end))
            }
            try client.ask("close")
        }
        let spans = found.values.filter { $0.clients == count }.map { Double($0.end - $0.begin) / 1_000 }
        guard !spans.isEmpty else { throw BenchmarkError("no cycle includes all \(count) clients") }
        let cycles = took * Double(Server.sampleRate) / Double(server.period)
        return (Double(after - before) / 1_000 / cycles, spans)
    }

    /// Returns the processor time of all threads of these processes.
    private static func workNanoseconds(_ processes: [pid_t]) -> UInt64 {
        processes.reduce(0) { sum, process in
            let folder = "/proc/\(process)/task"
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return sum
                + threads.reduce(0) { sum, thread in
                    let text = (try? String(contentsOfFile: "\(folder)/\(thread)/schedstat", encoding: .utf8)) ?? ""
                    return sum + (text.split(separator: " ").first.flatMap { UInt64($0) } ?? 0)
                }
        }
    }

    private static func report(_ found: [String: [Int: Found]], _ counts: [Int], _ server: Conditions) -> Findings {
        var findings = Findings()
        var table = Table(
            "Clients on one server, 256 frames",
            note: """
                microseconds a cycle, medians; work: of all processors, in the server and all clients; until: from the first client's call until the \
                last one was done; ours plays one voice in each; a client more: that of the largest count less that of the smallest
                """,
            ["clients", "ours work", "bare work", "ratio", .text("interval", 13), "ours until", "bare until"])
        func of(_ who: String, _ count: Int) -> Found { found[who]?[count] ?? Found() }
        func add(_ metric: String, _ count: Int, _ values: (String) -> [Double]) -> [Statistics] {
            [ours, doNothing].map {
                findings.add(metric, "µs", values($0), server.with(["clients": .whole(count)]), of: $0)
            }
        }
        func ratio(_ values: (String) -> [Double]) -> Statistics {
            Statistics(zip(values(ours), values(doNothing)).map { $0 / $1 })
        }
        for count in counts {
            let work = add("clients.work_us_per_cycle", count) { of($0, count).work }
            let span = add("clients.done_after_us", count) { of($0, count).span }
            let ratio = ratio { of($0, count).work }
            table.row(count, work.map(\.median), ratio.median, ratio.interval, span.map(\.median))
        }
        let (least, most) = (counts[0], counts[counts.count - 1])
        func cost(_ who: String) -> [Double] {
            zip(of(who, least).work, of(who, most).work).map { ($1 - $0) / Double(most - least) }
        }
        let more = add("clients.work_us_per_client", most, cost)
        table.row("one more", more.map(\.median), ratio(cost).median, ratio(cost).interval)
        findings.tables = [table]
        findings.figures = [figure(findings.results)]
        return findings
    }

    private static func figure(_ results: [Measurement]) -> Figure {
        Figure(
            "latency-clients", size: "800,600",
            caption:
                "Processor time a cycle, of the server and all clients together, against the number of clients; grey: clients that do nothing.",
            panels: [
                Figure.Panel(
                    title: "Clients on one server, 256 frames",
                    lines: [(ours, Figure.blue), (doNothing, Figure.grey)].map { who, color in
                        Figure.Line(
                            title: who, color: color,
                            points: results.of("clients.work_us_per_cycle", who).points(against: "clients"))
                    })
            ],
            settings: """
                set key top left Left reverse samplen 3
                set logscale xy 2
                set logscale y 10
                set xlabel "clients"
                set ylabel "µs a cycle, median"
                set xrange [0.8:10]
                """)
    }
}
