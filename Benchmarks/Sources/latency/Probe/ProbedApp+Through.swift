import AudioRendering
import AudioSessions
import CLatencyProbe
import Foundation
import Processes
import Servers

/// Measurements of paths from input to output.
extension ProbedApp {
    /// Connects the emitter to the receiver, through each path at once; over the server's loopback
    /// ports if it has any.
    func connectThrough(overLoopback: Bool) throws {
        disconnectAll()
        let ends = [
            (Tap.link, "latency-emitter:out"), (.bare, "latency-bare:out"), (.injected, "latency-injected:out"),
            (.app, Self.output),
        ]
        for (index, end) in ends.enumerated() {
            if overLoopback {
                try connect(end.1, "loopback:playback_\(index + 1)")
                try connect("loopback:capture_\(index + 1)", Self.port(end.0))
            } else {
                try connect(end.1, Self.port(end.0))
            }
        }
        for way in ["latency-bare:in", "latency-injected:in", Self.inputPort] {
            try connect("latency-emitter:out", way)
        }
        try connect(Self.secondOutput, Self.port(.level))
    }

    static let ways: [Tap] = [.link, .bare, .injected, .app]

    /// Measures the frames that an impulse takes on each path. Returns the number of impulses that
    /// were repeated because the server was late, and then four numbers per impulse.
    ///
    /// jackd copies its loopback ports while the cycle's first clients already run. Each then
    /// contains what this cycle has written, or what the last one has. Over these ports, a
    /// difference of one period from the link is therefore ignored.
    func sendThrough(_ count: Int, overLoopback: Bool) throws -> [Double] {
        var (delays, repeated) = ([Double](), 0)
        forgetAll()
        while delays.count < 4 * count {
            let xruns = latency_probe_xruns(probe)
            let id = nextID()
            let emitted = try emit(id)
            let heard = Self.ways.map { hear(id, at: $0) }
            var took = heard.compactMap { $0 }.map { frames(from: emitted, to: $0.frame) }
            if overLoopback, let link = took.first { took = took.map { link + ($0 - link + 8 * period) % period } }
            let isPlain = took.count == 4 && took == [0, 0, Self.injectedDelay, 0].map { $0 + took[0] }
            guard !wasLate(since: xruns, isSuspect: !isPlain), took.count == 4 else {
                repeated += 1
                guard repeated <= 20 + count else {
                    throw BenchmarkError(
                        "\(repeated) impulses were not received completely; the last one is missing on path \(heard.firstIndex { $0 == nil } ?? -1)"
                    )
                }
                continue
            }
            delays += took.map(Double.init)
        }
        try checkTaps()
        return [Double(repeated)] + delays
    }

    /// Returns `count` readings of `jack_iodelay` alone, and as many through the app, in frames.
    /// This must be the last use of the server: the tool ends without closing its client, which
    /// disturbs jackd -S for a while.
    func readDelays(_ count: Int, overLoopback: Bool, server: String) throws -> [Double] {
        let tool = Process()
        let pipe = Pipe()
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
        let (source, destination) = ("jack_delay:out", "jack_delay:in")
        func connectChain(_ ports: [String]) throws {
            disconnectAll()
            for port in [source, destination] { latency_probe_disconnect(probe, port) }
            let way = [source] + ports + [destination]
            for index in stride(from: 0, to: way.count, by: 2) { try connect(way[index], way[index + 1]) }
        }
        let back = overLoopback ? ["loopback:playback_1", "loopback:capture_1"] : []
        try wait(for: "jack_iodelay") { latency_probe_connect(probe, source, back.first ?? "latency-bare:in") }
        try connectChain(overLoopback ? back : ["latency-bare:in", "latency-bare:out"])
        let alone = try readings(pipe.fileHandleForReading, count)
        try connectChain([Self.inputPort, Self.output] + back)
        return alone + (try readings(pipe.fileHandleForReading, count))
    }

    /// Reads the tool's output. The first readings are discarded, since they may be from before all
    /// connections were made.
    private func readings(_ handle: FileHandle, _ count: Int) throws -> [Double] {
        var text = ""
        var found: [Double] = []
        let limit = now() + 20_000_000_000
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
