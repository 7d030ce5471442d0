import Foundation
import Processes
import Reporting
import Servers

/// Streams many files from disk at once, and checks whether every frame was in time: by the
/// library's own count, and by the output of the port.
struct Streams: LatencyPart {
    let name = "streams"

    var performers: [String: @Sendable () -> ([String]) throws -> [Double]] {
        [StreamApp.part: { StreamApp().perform }, StreamTap.part: { StreamTap().perform }]
    }

    private struct Found {
        var readAhead: Double
        var seconds: Double
        /// Milliseconds until all files were open and read ahead.
        var opening: Double
        /// Frames per second of time: those that the library counted as underruns, and those that
        /// deviated.
        var underruns: [Double] = []
        var deviating: [Double] = []
        var xruns: [Double] = []
        var gaps = 0.0
        var mebibytesPerSecond = 0.0
        var memory = LoadMemory()

        /// The deviating frames in seconds without xruns nearby. A client that reads while another
        /// one still writes, because its cycle is late, receives wrong frames without fault of a
        /// stream.
        var deviatingInTime: Double {
            deviating.indices.reduce(0) { sum, second in
                let near = xruns[max(0, second - 1)...min(xruns.count - 1, second + 1)]
                return near.allSatisfy { $0 == 0 } ? sum + deviating[second] : sum
            }
        }
    }

    func measure(_ run: Run) throws -> Findings {
        let kind = run.servers[0]
        let files = try StreamFiles(count: Self.count, frames: run.quick ? 1 << 17 : 1 << 19)
        files.dropFromMemory(afterWriting: true)
        let context = try ServerContext(kind, service: run.service.socket)
        let server = try Server(kind, period: 1_024, in: context)
        let settings = [(1.0, run.streamSeconds)] + (run.quick ? [(0.1, 3)] : [(0.25, 8), (0.1, 8)])
        var (table, all) = (Self.table, [Found]())
        for (readAhead, seconds) in settings {
            let found = try measure(files, server, context, readAhead: readAhead, seconds: seconds)
            all.append(found)
            table.add([
                digits(readAhead), digits(found.seconds), digits(found.opening), digits(found.mebibytesPerSecond),
                digits(found.underruns.reduce(0, +)), digits(found.deviatingInTime),
                digits(found.deviating.reduce(0, +)),
                digits(found.gaps), digits(found.xruns.reduce(0, +)),
            ])
        }
        return report(all, files, Conditions(server), table)
    }

    private static let count = 64

    private static var table: Table {
        Table(
            "\(count) stereo files at once from disk: WAV and FLAC, 44.1 and 48 kHz, on a server of 48 kHz",
            note: """
                read ahead in seconds; opening: ms until all were open and read ahead; disk: MiB/s that came from it, the system's memory of the files \
                being dropped each second; frames that the library counted as late; frames that a listener at the port found other than they must be, but for \
                those within a second of an xrun, and all of them: a stream that was late once stays behind, and is heard to be; how often; xruns of the server
                """,
            ["ahead", "seconds", "opening", "disk", "underruns", "deviating", "with xruns", "gaps", "xruns"])
    }

    private func measure(
        _ files: StreamFiles, _ server: Server, _ context: ServerContext, readAhead: Double, seconds: Int
    ) throws -> Found {
        files.dropFromMemory()
        let (app, tap) = (
            try Performer(StreamApp.part, context.environment), try Performer(StreamTap.part, context.environment)
        )
        let opening = try app.ask("play", server.name, "\(readAhead)", files.folder)
        try tap.ask("open", server.name, "\(StreamFiles.level * Float(Self.count))")
        poll(nil, 0, 300)
        try tap.ask("begin")
        var before = (app: try app.ask("sample"), tap: [0, 0, 0, try tap.ask("heard")[3]])
        let (first, begun) = (before.app, now())
        // Counts from the first frame on, before the receiver was connected.
        before.app[0] = 0
        var found = Found(readAhead: readAhead, seconds: 0, opening: opening[0])
        found.memory.beginSegment()
        for second in 1...seconds {
            let due = Double(second) - Double(now() - begun) / 1e9
            poll(nil, 0, Int32(max(0, due * 1_000)))
            files.dropFromMemory()
            let after = (app: try app.ask("sample"), tap: try tap.ask("heard"))
            found.underruns.append(after.app[0] - before.app[0])
            found.deviating.append(after.tap[1] - before.tap[1])
            found.xruns.append(after.tap[3] - before.tap[3])
            if second > 2 { found.memory.add(try app.ask("memory"), at: Double(now() - begun) / 1e9) }
            before = after
        }
        found.seconds = Double(now() - begun) / 1e9
        found.gaps = before.tap[2]
        found.mebibytesPerSecond = (before.app[2] - first[2]) / found.seconds / 1_048_576
        try check(app, tap, found, before)
        try app.ask("close")
        try tap.ask("close")
        return found
    }

    /// Checks that all streams played and were received, and that the receiver detects an injected
    /// gap.
    private func check(_ app: Performer, _ tap: Performer, _ found: Found, _ last: (app: [Double], tap: [Double]))
        throws
    {
        guard last.app[1] == Double(Self.count) else {
            throw BenchmarkError("only \(last.app[1]) of \(Self.count) streams play")
        }
        guard last.tap[0] > 0.9 * found.seconds * Double(Server.sampleRate) else {
            throw BenchmarkError("of \(found.seconds) s, only \(last.tap[0]) frames were received")
        }
        try app.ask("skip")
        guard try tap.ask("heard")[1] > last.tap[1] else {
            throw BenchmarkError("the receiver did not detect a paused stream")
        }
    }

    private func report(_ all: [Found], _ files: StreamFiles, _ server: Conditions, _ table: Table) -> Findings {
        var findings = Findings()
        var memory = LoadMemory.table
        for found in all {
            let conditions = server.with([
                "files": .whole(Self.count), "readAhead": .number(found.readAhead), "seconds": .number(found.seconds),
                "diskMiBPerSecond": .number(found.mebibytesPerSecond),
            ])
            for (by, frames) in [("counter", found.underruns), ("port", found.deviating)] {
                findings.results.append(
                    Measurement(
                        "stream.underruns", "swift-audio-session", "frames/s", Statistics(frames),
                        conditions.with([
                            "by": .text(by), "sum": .number(frames.reduce(0, +)),
                            "sumWithoutXruns": .number(by == "port" ? found.deviatingInTime : frames.reduce(0, +)),
                            "xruns": .number(found.xruns.reduce(0, +)),
                        ])))
            }
            findings.results.append(
                Measurement(
                    "stream.opening_ms", "swift-audio-session", "ms", Statistics([found.opening]), conditions))
        }
        if let usual = all.first {
            let frames = max(usual.underruns.reduce(0, +), usual.deviatingInTime)
            let seconds = Int(usual.seconds.rounded())
            findings.targets.append(
                Target(
                    what: "\(Self.count) stereo files streamed for \(seconds) s, 1 s read ahead: frames late or wrong",
                    unit: "frames", wanted: 0, reached: frames,
                    headline: "frames late of \(Self.count) stereo files streamed at once for \(seconds) s"))
            findings.append(usual.memory.report("64 streams", server, &memory))
        }
        findings.tables = [table, memory]
        return findings
    }
}
