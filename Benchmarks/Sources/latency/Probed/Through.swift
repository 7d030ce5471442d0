import AudioRendering
import AudioSessions
import CProbe
import Foundation
import Processes
import Reporting
import Servers

/// The frames that an app adds between its input and its output.
///
/// Each impulse takes four paths at once: the link alone, a client that only passes its input on,
/// one that delays by a known number of frames, and the app.
enum Through {
    private static let added = "through.added_frames"

    static func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "Through path: frames from an app's live input to its output (worst of all impulses)",
            note: """
                over: how it comes back, by links alone, or over jackd's loopback ports, where whole periods do not count (see README). way: what that takes \
                without anybody. +: what is added to it. injected: a client that delays by \(ProbedStage.injectedDelay) frames, which must be found. repeated: \
                impulses during which the server was late. iodelay: what jack_iodelay reads alone, and with us in between
                """,
            [
                .text("server", 11), "period", .text("over", 8), "voices", "impulses", "way", "client +", "injected +",
                "ours +", "repeated",
            ])
        try measureOffline(&findings, &table, impulses: run.quick ? 100 : 1_000)
        try ProbedApp.run(run) { app, server in
            for over in server.kind == .pipewire ? ["link"] : ["link", "loopback"] {
                try app.ask("paths", over)
                for voices in [0, 1_024] {
                    try app.ask("voices", voices)
                    let impulses = run.quick ? 25 : server.period > 256 ? 50 : 100
                    let found = try app.ask("through", impulses, over)
                    try add(ProbedApp.rows(found, 4), over, voices, server, &findings, &table)
                }
            }
            try app.ask("voices", 0)
            // The tool is an additional check: without its readings the other results remain valid.
            guard hasTool, let readings = try? app.ask("iodelay", run.quick ? 1 : 3), !readings.isEmpty else {
                return table.row(server, "iodelay", "", "", hasTool ? "silent" : "missing")
            }
            let (alone, through) = (readings.prefix(readings.count / 2), readings.suffix(readings.count / 2))
            for (subject, values) in [("jack_iodelay", alone), ("jack_iodelay through \(ours)", through)] {
                findings.add("through.iodelay_frames", "frames", Array(values), Conditions(server), of: subject)
            }
            table.row(
                server, "iodelay", 0, alone.count, alone.max(), "", "", zip(alone, through).map { $1 - $0 }.max())
        }
        findings.tables = [table]
        findings.targets = targets(findings.results, run.servers)
        return findings
    }

    /// Whether jack_iodelay is installed, which some distributions provide in a separate package.
    private static let hasTool = isInstalled("jack_iodelay")

    private static func add(
        _ found: (repeated: Int, rows: [[Double]]), _ over: String, _ voices: Int, _ server: Server,
        _ findings: inout Findings, _ table: inout Table
    ) throws {
        let conditions = Conditions(server).with(["voices": .whole(voices), "over": .text(over)])
        let path = over == "link" ? "link" : "loopback ports"
        let link = findings.add("through.frames", "frames", found.rows.map { $0[0] }, conditions, of: path)
        func beyondLink(_ path: Int) -> [Double] { found.rows.map { $0[path] - $0[0] } }
        let client = findings.add(added, "frames", beyondLink(1), conditions, of: "pass-through client")
        guard beyondLink(2).allSatisfy({ $0 == Double(ProbedStage.injectedDelay) }) else {
            throw BenchmarkError(
                "a delay of \(ProbedStage.injectedDelay) frames was measured as \(Set(beyondLink(2)).sorted())")
        }
        let app = findings.add(added, "frames", beyondLink(3), conditions)
        table.row(
            server, over, voices, found.rows.count, link.maximum, client.maximum, ProbedStage.injectedDelay,
            app.maximum, found.repeated)
    }

    private static func targets(_ results: [Measurement], _ servers: [ServerKind]) -> [Target] {
        let places = servers.map(\.rawValue).joined(separator: ", ")
        return [0, 1_024].compactMap { voices in
            let found = results.of(added, ours, ["voices": .whole(voices)]).map(\.statistics)
            guard let worst = found.map({ max($0.maximum, -$0.minimum) }).max() else { return nil }
            let what = "frames added between input and output" + (voices == 0 ? "" : ", 1,024 voices playing")
            return Target(
                what: "\(what): worst, on \(places), at all periods", unit: "frames", wanted: 0, reached: worst,
                headline: what)
        }
    }

    // MARK: Offline

    /// The same measurement without a server, for periods that are too short for a server on such a
    /// machine. The core is called with as many frames.
    private static func measureOffline(_ findings: inout Findings, _ table: inout Table, impulses: Int) throws {
        for period in [16, 32] {
            for voices in [0, 1_024] {
                let frames = try addedOffline(period: period, voices: voices, impulses: impulses)
                let statistics = findings.add(
                    added, "frames", frames,
                    [
                        "server": "offline", "period": .whole(period), "sampleRate": 48_000, "voices": .whole(voices),
                    ])
                table.row("offline", period, "", voices, impulses, 0, "", "", statistics.maximum)
            }
        }
    }

    private static func addedOffline(period: Int, voices: Int, impulses: Int) throws -> [Double] {
        let driver = OfflineDriver(channels: 2, inputChannels: 1, periodFrames: period)
        let host = AudioSessionHost(driver: driver, configuration: .init(maximumVoices: 2_048))
        let (session, engine, input) = try ProbedStage.openSession(host)
        try engine.play(.input(input.capture), on: session.bus, map: .gains([[1], [0]]))
        if voices > 0 {
            let buffer = try AudioBuffer([[Float](repeating: 0.5 / Float(voices), count: 4_096)])
            let map = try ChannelMap.gains([[0], [1]])
            for number in 0..<voices {
                try engine.play(.buffer(buffer, loop: .forever), on: session.bus, map: map)
                // The queue does not hold the commands of more voices for one period.
                if number % 128 == 127 { try driver.render(frames: period) }
            }
        }
        // Waits until all ramps have ended.
        try driver.render(frames: 48_000)
        return try (0..<impulses).map { number in
            let length = 4 * period
            let position = Int.random(in: 0..<length)
            var incoming = [Float](repeating: 0, count: length)
            incoming[position] = Float(number % 4_095 + 1) / 4_096
            let planes = try driver.render(frames: length, inputs: [incoming])
            guard let heard = planes[0].firstIndex(of: incoming[position]), planes[0].count(where: { $0 != 0 }) == 1,
                planes[1].allSatisfy({ $0 == (voices > 0 ? 0.5 : 0) })
            else { throw BenchmarkError("offline, the output of an impulse or of \(voices) voices is wrong") }
            return Double(heard - position)
        }
    }
}

extension ProbedStage {
    /// Connects the emitter to the receiver, through each path at once; over the server's loopback
    /// ports if it has any.
    func connectThrough(overLoopback: Bool) throws {
        disconnectAll()
        let ends = [
            (Tap.link, Self.source), (.bare, "latency-bare:out_1"), (.injected, "latency-injected:out_1"),
            (.app, Self.output),
        ]
        for (index, end) in ends.enumerated() {
            let way = overLoopback ? ["loopback:playback_\(index + 1)", "loopback:capture_\(index + 1)"] : []
            try connectChain([end.1] + way + [end.0.port])
        }
        for input in ["latency-bare:in_1", "latency-injected:in_1", Self.inputPort] {
            try connect(Self.source, input)
        }
        try connect(Self.secondOutput, Tap.level.port)
    }

    /// Connects each port to the next one, in pairs.
    private func connectChain(_ ports: [String]) throws {
        for index in stride(from: 0, to: ports.count, by: 2) { try connect(ports[index], ports[index + 1]) }
    }

    /// Measures the frames that an impulse takes on each of the four paths.
    ///
    /// jackd copies its loopback ports while the cycle's first clients already run. Each then
    /// contains what this cycle has written, or what the last one has. Over these ports, a
    /// difference of one period from the link is therefore ignored.
    func sendThrough(_ count: Int, overLoopback: Bool) throws -> [Double] {
        try trials(count) { _ in
            let (before, id) = (disturbances, nextID())
            let emitted = try emit(id)
            var took = [Tap.link, .bare, .injected, .app].compactMap { hear(id, at: $0) }.map {
                frames(from: emitted, to: $0.frame)
            }
            if overLoopback, let link = took.first { took = took.map { link + ($0 - link + 8 * period) % period } }
            let isPlain = took.count == 4 && took == [0, 0, Self.injectedDelay, 0].map { $0 + took[0] }
            return wasLate(since: before, isSuspect: !isPlain) || took.count < 4 ? nil : took.map(Double.init)
        }
    }

    /// Returns `count` readings of `jack_iodelay` alone, and as many through the app, in frames.
    /// This must be the last use of the server: the tool ends without closing its client, which
    /// disturbs jackd -S for a while.
    func readDelays(_ count: Int) throws -> [Double] {
        let (tool, pipe) = (Process(), Pipe())
        tool.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        tool.arguments = ["stdbuf", "-oL", "jack_iodelay"]
        tool.environment = ProcessInfo.processInfo.environment.merging(["JACK_DEFAULT_SERVER": server]) { $1 }
        tool.standardOutput = pipe
        tool.standardError = FileHandle.nullDevice
        try tool.run()
        defer {
            tool.terminate()
            tool.waitUntilExit()
        }
        let ends = ["jack_delay:out", "jack_delay:in"]
        let back = hasLoopback ? ["loopback:playback_1", "loopback:capture_1"] : []
        let alone = hasLoopback ? back : ["latency-bare:in_1", "latency-bare:out_1"]
        try wait(for: "jack_iodelay") { (try? connect(ends[0], alone[0])) != nil }
        return try [alone, [Self.inputPort, Self.output] + back].flatMap { ports in
            disconnectAll()
            disconnect(ends)
            try connectChain([ends[0]] + ports + [ends[1]])
            return try readings(pipe.fileHandleForReading, count)
        }
    }

    /// Reads the tool's output. The first readings are discarded, since they may be from before all
    /// connections were made.
    private func readings(_ handle: FileHandle, _ count: Int) throws -> [Double] {
        var text = ""
        var found: [Double] = []
        let limit = deadline(20)
        while found.count < count + 2 {
            var watched = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard now() < limit, poll(&watched, 1, 10_000) > 0 else {
                throw BenchmarkError("jack_iodelay printed no number of frames: \(text.suffix(200))")
            }
            text += String(decoding: handle.availableData, as: UTF8.self)
            found = text.split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                return words.count > 1 && words[1] == "frames" ? Double(words[0]) : nil
            }
        }
        return Array(found[2..<(count + 2)])
    }
}
