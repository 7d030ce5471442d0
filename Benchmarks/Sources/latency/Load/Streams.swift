import AudioRendering
import AudioSessions
import CProbe
import Foundation
import Processes
import Reporting
import Servers

/// Streams many files from disk at once, and checks whether every frame was in time: by the
/// library's own count, and by the output of the port.
enum Streams {
    private struct Found {
        var readAhead: Double
        var seconds = 0.0
        /// Milliseconds until all files were open and read ahead.
        var opening: Double
        /// Frames per second of time: those that the library counted as underruns, and those that
        /// deviated.
        var underruns: [Double] = []
        var deviating: [Double] = []
        var xruns: [Double] = []
        var gaps = 0.0
        var mebibytesPerSecond = 0.0
        var memory = Memory()

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

    private static let count = 64

    static func measure(_ run: Run) throws -> Findings {
        let kind = run.servers[0]
        let files = try StreamFiles(count: count, frames: run.quick ? 1 << 17 : 1 << 19)
        files.dropFromMemory(afterWriting: true)
        let context = try ServerContext(kind, service: run.service.socket)
        let server = try Server(kind, period: 1_024, in: context)
        let settings = [(1.0, run.streamSeconds)] + (run.quick ? [(0.1, 3)] : [(0.25, 8), (0.1, 8)])
        var findings = Findings()
        var table = Table(
            "\(count) stereo files at once from disk: WAV and FLAC, 44.1 and 48 kHz, on a server of 48 kHz",
            note: """
                read ahead in seconds; opening: ms until all were open and read ahead; disk: MiB/s that came from it, the system's memory of the files \
                being dropped each second; frames that the library counted as late; frames that a listener at the port found other than they must be, but for \
                those within a second of an xrun, and all of them: a stream that was late once stays behind, and is heard to be; how often; xruns of the server
                """,
            ["ahead", "seconds", "opening", "disk", "underruns", "deviating", "with xruns", "gaps", "xruns"])
        var memory: Memory?
        for (readAhead, seconds) in settings {
            let found = try measure(files, server, context, readAhead: readAhead, seconds: seconds)
            report(found, Conditions(server), isUsual: memory == nil, &findings, &table)
            memory = memory ?? found.memory
        }
        var memoryTable = Memory.table
        memory?.report("64 streams", Conditions(server), &findings, &memoryTable)
        findings.tables = [table, memoryTable]
        return findings
    }

    private static func measure(
        _ files: StreamFiles, _ server: Server, _ context: ServerContext, readAhead: Double, seconds: Int
    ) throws -> Found {
        files.dropFromMemory()
        let app = try Performer(StreamApp.part, context.environment)
        let listener = try Performer(StreamListener.part, context.environment)
        let opening = try app.ask("play", server.name, readAhead, files.folder)
        try listener.ask("open", server.name, StreamFiles.level * Float(count))
        poll(nil, 0, 300)
        try listener.ask("begin")
        var before = (app: try app.ask("sample"), heard: [0, 0, 0, try listener.ask("heard")[3]])
        let (first, begun) = (before.app, now())
        // Counts from the first frame on, before the receiver was connected.
        before.app[0] = 0
        var found = Found(readAhead: readAhead, opening: opening[0])
        found.memory.beginSegment()
        for second in 1...seconds {
            let due = Double(second) - Double(now() - begun) / 1e9
            poll(nil, 0, Int32(max(0, due * 1_000)))
            files.dropFromMemory()
            let after = (app: try app.ask("sample"), heard: try listener.ask("heard"))
            found.underruns.append(after.app[0] - before.app[0])
            found.deviating.append(after.heard[1] - before.heard[1])
            found.xruns.append(after.heard[3] - before.heard[3])
            if second > 2 { found.memory.add(try app.ask("memory"), at: Double(now() - begun) / 1e9) }
            before = after
        }
        found.seconds = Double(now() - begun) / 1e9
        found.gaps = before.heard[2]
        found.mebibytesPerSecond = (before.app[2] - first[2]) / found.seconds / 1_048_576
        // All streams must have played and been received, and the receiver must detect an injected
        // gap.
        guard before.app[1] == Double(count) else {
            throw BenchmarkError("only \(before.app[1]) of \(count) streams play")
        }
        guard before.heard[0] > 0.9 * found.seconds * Double(Server.sampleRate) else {
            throw BenchmarkError("of \(found.seconds) s, only \(before.heard[0]) frames were received")
        }
        try app.ask("skip")
        guard try listener.ask("heard")[1] > before.heard[1] else {
            throw BenchmarkError("the receiver did not detect a paused stream")
        }
        try app.ask("close")
        try listener.ask("close")
        return found
    }

    private static func report(
        _ found: Found, _ server: Conditions, isUsual: Bool, _ findings: inout Findings, _ table: inout Table
    ) {
        let (underruns, deviating, xruns) = (
            found.underruns.reduce(0, +), found.deviating.reduce(0, +), found.xruns.reduce(0, +)
        )
        table.row(
            found.readAhead, found.seconds, found.opening, found.mebibytesPerSecond, underruns, found.deviatingInTime,
            deviating, found.gaps, xruns)
        let conditions = server.with([
            "files": .whole(count), "readAhead": .number(found.readAhead), "seconds": .number(found.seconds),
            "diskMiBPerSecond": .number(found.mebibytesPerSecond),
        ])
        for (by, frames, sum, inTime) in [
            ("counter", found.underruns, underruns, underruns),
            ("port", found.deviating, deviating, found.deviatingInTime),
        ] {
            findings.add(
                "stream.underruns", "frames/s", frames,
                conditions.with([
                    "by": .text(by), "sum": .number(sum), "sumWithoutXruns": .number(inTime), "xruns": .number(xruns),
                ]))
        }
        findings.add("stream.opening_ms", "ms", [found.opening], conditions)
        guard isUsual else { return }
        let seconds = Int(found.seconds.rounded())
        findings.targets.append(
            Target(
                what: "\(count) stereo files streamed for \(seconds) s, 1 s read ahead: frames late or wrong",
                unit: "frames", wanted: 0, reached: max(underruns, found.deviatingInTime),
                headline: "frames late of \(count) stereo files streamed at once for \(seconds) s"))
    }
}

/// An app whose session streams files from disk, all from the same frame on, in a loop.
final class StreamApp: SessionApp {
    static let part = "stream-app"
    private var voices: [Voice] = []

    override func perform(_ words: [String]) throws -> [Double] {
        switch words[0] {
        case "play": return [try play(words[1], readAhead: Double(words[2]) ?? 1, folder: words[3])]
        case "sample": return try sample()
        case "skip":
            // Pauses one stream for a moment, which the level check must detect.
            try voices[0].pause()
            poll(nil, 0, 50)
            try voices[0].resume()
            poll(nil, 0, 100)
        default: return try super.perform(words)
        }
        return []
    }

    /// Returns the milliseconds until all files were open and read ahead.
    private func play(_ server: String, readAhead: Double, folder: String) throws -> Double {
        let configuration = AudioEngine.Configuration(maximumVoices: 128, readAhead: readAhead)
        let session = try open(Self.makeHost(server, Self.part, configuration: configuration))
        let engine = try session.engine
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        var streams: [AudioStream] = []
        let took = try milliseconds {
            streams = try names.map { name in
                let stream = try AudioStream(
                    reader: AudioFile(path: folder + "/" + name), sampleRate: Server.sampleRate, loops: .max,
                    readAhead: engine.configuration.readAhead)
                stream.fill()
                return stream
            }
        }
        let time = engine.currentFrame + 9_600
        voices = try streams.map { try engine.play(.stream($0), on: session.bus, at: time) }
        try wait(for: "the server's cycles") { engine.currentFrame >= time + 4_800 }
        guard engine.counters.lateCommands == 0, engine.counters.playingVoices == streams.count else {
            throw BenchmarkError("not all streams began on the same frame")
        }
        return took
    }

    /// Returns the underrun frames of all streams, the number of playing streams, and the bytes
    /// that this process has read from disk.
    private func sample() throws -> [Double] {
        let counters = try required().engine.counters
        let text = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("read_bytes") }
        let bytes = line?.split(separator: " ").last.flatMap { Double($0) } ?? 0
        return [Double(counters.underrunFrames), Double(counters.playingVoices), bytes]
    }
}

/// A receiver that checks the sum of all streams for its level.
final class StreamListener {
    static let part = "stream-listener"
    private var open: (probe: Probe, level: OpaquePointer)?

    func perform(_ words: [String]) throws -> [Double] {
        if words[0] == "open" {
            let probe = try Probe(words[1], Self.part, inputs: 2)
            let level = probe_plug_level(probe.client, Float(words[2]) ?? 0, StreamFiles.tolerance)
            open = (probe, try probe.plug(level))
            try probe.activate()
            for port in 1...2 { try probe.connect("\(StreamApp.part):out_\(port)", "\(Self.part):in_\(port)") }
            return []
        }
        guard let (probe, level) = open else { throw BenchmarkError("no client is open") }
        switch words[0] {
        case "begin": try probe.reset(level)
        case "heard":
            let heard = probe_level(level)
            return [heard.frames, heard.deviating, heard.gaps, probe_xruns(probe.client)].map { Double($0) }
        case "close": probe.close()
        default: throw BenchmarkError("unknown command of the receiver")
        }
        return []
    }
}
