import CLoad
import Foundation
import Processes
import Reporting
import Servers

/// The cost of one more client on a server, compared with a client that does nothing: the time of
/// all processors, and the time until the last client is done.
struct LoadClients: LatencyPart {
    let name = "clients"

    private enum ClientKind: String, CaseIterable {
        case ours = "swift-audio-session"
        case bare = "do-nothing JACK client"
    }

    /// Microseconds per cycle.
    private struct Found {
        var work: [Double] = []
        var span: [Double] = []
    }

    func measure(_ run: Run) throws -> Findings {
        let kind = run.servers.contains(.jackdSync) ? .jackdSync : run.servers[0]
        let (counts, rounds) = run.quick ? ([1, 4], 1) : ([1, 2, 4, 8], 3)
        var found: [ClientKind: [Int: Found]] = [:]
        let context = try ServerContext(kind, service: run.service.socket)
        let server = try Server(kind, period: 256, in: context)
        for _ in 0..<rounds {
            for count in counts {
                for who in ClientKind.allCases {
                    let (work, spans) = try measure(who, count, server, context, seconds: run.quick ? 0.7 : 0.8)
                    found[who, default: [:]][count, default: Found()].work.append(work)
                    found[who, default: [:]][count, default: Found()].span.append(Statistics(spans).median)
                }
            }
        }
        return try report(found, counts, Conditions(server), run)
    }

    /// Returns the microseconds of processor time per cycle, of the server and all clients, and
    /// those from the first client's call until the last one is done.
    private func measure(
        _ who: ClientKind, _ count: Int, _ server: Server, _ context: ServerContext, seconds: Double
    ) throws -> (
        work: Double, spans: [Double]
    ) {
        let part = who == .ours ? LoadApp.part : LoadBare.part
        let clients = try (0..<count).map { _ in try Performer(part, context.environment) }
        for client in clients {
            if who == .ours {
                try client.ask("open", server.name, "16", "4096")
                try client.ask("voices", "1")
            } else {
                try client.ask("open", server.name)
            }
        }
        poll(nil, 0, 200)
        let processes = [server.processIdentifier] + (try clients.map { pid_t(try $0.ask("process")[0]) })
        for client in clients { try client.ask("begin") }
        let (begun, before) = (now(), Self.workNanoseconds(processes))
        poll(nil, 0, Int32(seconds * 1_000))
        let (after, took) = (Self.workNanoseconds(processes), Double(now() - begun) / 1e9)
        var found: [UInt32: (clients: Int, begin: UInt64, end: UInt64)] = [:]
        for client in clients {
            let path = context.folder + "/trace"
            _ = try client.ask("end", path)
            for cycle in try LoadTrace(reading: path).cycles {
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

    private func report(
        _ found: [ClientKind: [Int: Found]], _ counts: [Int], _ conditions: Conditions, _ run: Run
    ) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "Clients on one server, 256 frames",
            note: """
                microseconds a cycle, medians; work: of all processors, in the server and all clients; until: from the first client's call until the \
                last one was done; ours plays one voice in each; a client more: that of the largest count less that of the smallest
                """,
            ["clients", "ours work", "bare work", "ratio", .text("interval", 13), "ours until", "bare until"])
        for count in counts {
            guard let ours = found[.ours]?[count], let bare = found[.bare]?[count] else { continue }
            let ratio = Statistics(zip(ours.work, bare.work).map { $0 / $1 })
            table.add([
                "\(count)", digits(Statistics(ours.work).median), digits(Statistics(bare.work).median),
                digits(ratio.median), "\(digits(ratio.interval.lowerBound)) … \(digits(ratio.interval.upperBound))",
                digits(Statistics(ours.span).median), digits(Statistics(bare.span).median),
            ])
            for (who, one) in [(ClientKind.ours, ours), (.bare, bare)] {
                let parameters = conditions.with(["clients": .whole(count)])
                findings.results += [
                    Measurement("clients.work_us_per_cycle", who.rawValue, "µs", Statistics(one.work), parameters),
                    Measurement("clients.done_after_us", who.rawValue, "µs", Statistics(one.span), parameters),
                ]
            }
        }
        if let least = counts.first, let most = counts.last,
            let row = perClient(found, least, most, conditions, &findings)
        {
            table.add(row)
        }
        findings.tables = [table]
        findings.figures.append(.clients(lines(found)))
        return findings
    }

    private func lines(_ found: [ClientKind: [Int: Found]]) -> [Figure.Line] {
        ClientKind.allCases.map { who in
            let points = (found[who] ?? [:]).sorted { $0.key < $1.key }.map {
                (Double($0.key), Statistics($0.value.work).median)
            }
            return Figure.Line(
                title: who.rawValue, color: who == .ours ? "#0060ad" : "#777777", dashed: false, points: points)
        }
    }

    private func perClient(
        _ found: [ClientKind: [Int: Found]], _ least: Int, _ most: Int, _ conditions: Conditions,
        _ findings: inout Findings
    ) -> [String]? {
        func cost(_ who: ClientKind) -> [Double] {
            guard let few = found[who]?[least]?.work, let many = found[who]?[most]?.work else { return [] }
            return zip(few, many).map { ($1 - $0) / Double(most - least) }
        }
        let (ours, bare) = (cost(.ours), cost(.bare))
        guard !ours.isEmpty, !bare.isEmpty else { return nil }
        for (who, values) in [(ClientKind.ours, ours), (.bare, bare)] {
            findings.results.append(
                Measurement(
                    "clients.work_us_per_client", who.rawValue, "µs", Statistics(values),
                    conditions.with(["clients": .whole(most)])))
        }
        let ratio = Statistics(zip(ours, bare).map { $0 / $1 })
        return [
            "one more", digits(Statistics(ours).median), digits(Statistics(bare).median), digits(ratio.median),
            "\(digits(ratio.interval.lowerBound)) … \(digits(ratio.interval.upperBound))",
        ]
    }
}
