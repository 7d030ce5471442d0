import AudioRendering
import AudioSessions
import CLatencyProbe
import Foundation
import Processes
import Servers

/// Ways in and out again.
extension ProbedApp {
    /// From the emitter to the listener, by each way at once; over the server's loopback ports where it has them.
    func connectThrough(overLoopback: Bool) throws {
        disconnectAll()
        let ends = [
            (Ear.link, "latency-emitter:out"), (.bare, "latency-bare:out"), (.planted, "latency-planted:out"),
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
        for way in ["latency-bare:in", "latency-planted:in", Self.inputPort] { try connect("latency-emitter:out", way) }
        try connect(Self.secondOutput, Self.port(.level))
    }

    static let ways: [Ear] = [.link, .bare, .planted, .app]

    /// Frames that an impulse took by each way, four numbers an impulse; first how many impulses had to be repeated, since the server was late meanwhile.
    ///
    /// jackd copies its loopback ports while the cycle's first clients run already, and finds in each what this cycle's has written, or the last one's. So over these,
    /// what differs from the link by a whole period does not differ.
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
            let isPlain = took.count == 4 && took == [0, 0, Self.plantedDelay, 0].map { $0 + took[0] }
            guard !wasLate(since: xruns, isSuspect: !isPlain), took.count == 4 else {
                repeated += 1
                guard repeated <= 20 + count else {
                    throw BenchmarkError(
                        "of \(repeated) impulses not all was heard, last by way \(heard.firstIndex { $0 == nil } ?? -1)"
                    )
                }
                continue
            }
            delays += took.map(Double.init)
        }
        try checkEars()
        return [Double(repeated)] + delays
    }

    /// What `jack_iodelay` reads alone, and then through the app, in frames; so many readings each. The last thing that a server is asked for: the tool
    /// ends without a farewell, and jackd -S is upset for a while by clients that do.
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
        func lead(_ ports: [String]) throws {
            disconnectAll()
            for port in [source, destination] { latency_probe_disconnect(probe, port) }
            let way = [source] + ports + [destination]
            for index in stride(from: 0, to: way.count, by: 2) { try connect(way[index], way[index + 1]) }
        }
        let back = overLoopback ? ["loopback:playback_1", "loopback:capture_1"] : []
        try wait(for: "jack_iodelay") { latency_probe_connect(probe, source, back.first ?? "latency-bare:in") }
        try lead(overLoopback ? back : ["latency-bare:in", "latency-bare:out"])
        let alone = try readings(pipe.fileHandleForReading, count)
        try lead([Self.inputPort, Self.output] + back)
        return alone + (try readings(pipe.fileHandleForReading, count))
    }

    /// The first ones may be of the time before all was connected.
    private func readings(_ handle: FileHandle, _ count: Int) throws -> [Double] {
        var text = ""
        var found: [Double] = []
        let limit = now() + 20_000_000_000
        while found.count < count + 2 {
            var watched = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard now() < limit, poll(&watched, 1, 10_000) > 0 else {
                throw BenchmarkError("jack_iodelay said nothing that is a number of frames: \(text.suffix(200))")
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
