internal import CProbe
internal import Processes

/// A minimal JACK client that executes commands: its outputs count on request, and it decodes the
/// counting signals at its inputs.
package final class BareClient {
    private var probe: Probe?
    private var emitter: OpaquePointer?
    private var counts: [OpaquePointer] = []

    package init() {}

    /// The name of the part that performs it.
    package static let part = "bare"
    package static let name = "session-bare"

    package func perform(_ words: [String]) throws -> [Double] {
        let numbers = words.map { Int($0) ?? 0 }
        switch words[0] {
        case "cold": return try activateCold(words[1], inputs: numbers[2])
        case "reach": try awaitServer(words[1], inputs: numbers[2])
        case "open":
            try open(words[1], outputs: numbers[2], inputs: numbers[3], name: words[4])
            try required().activate()
        case "count": probe_emit_count(emitter)
        case "connect": try required().connect(words[1], words[2])
        case "links": return [Double(probe_links(try required().client, words[1]))]
        case "await": try wait(for: "a counting signal", seconds: 20) { heard(numbers[1]).frames >= numbers[2] }
        case "heard":
            let heard = heard(numbers[1])
            return [heard.frames, heard.silent + heard.garbled, heard.lost, heard.breaks].map { Double($0) }
                + [Double(probe_xruns(try required().client))]
        case "period": try setPeriod(UInt32(numbers[1]))
        case "lost": return [try awaitLoss()]
        case "return": return try awaitReturn(words[1], inputs: numbers[2], of: words[3])
        case "close": close()
        default: throw BenchmarkError("unknown command of the bare client")
        }
        return []
    }

    private func required() throws -> Probe {
        guard let probe else { throw BenchmarkError("no client is open") }
        return probe
    }

    private func open(_ server: String, outputs: Int, inputs: Int, name: String) throws {
        let probe = try Probe(server, name, outputs: outputs, inputs: inputs)
        emitter = try probe.plug(probe_plug_emitter(probe.client))
        counts = try (0..<inputs).map { try probe.plug(probe_plug_count(probe.client, UInt32($0))) }
        self.probe = probe
    }

    private func close() {
        probe?.close()
        (probe, emitter, counts) = (nil, nil, [])
    }

    private func heard(_ input: Int) -> probe_count_t { probe_count(counts[input]) }

    /// Opens a client with as many ports as the app has, with stereo output, all of them connected,
    /// and with at least `taps` inputs.
    private func start(_ server: String, _ inputs: Int, taps: Int = 0) throws {
        try open(server, outputs: 2, inputs: max(inputs, taps), name: Self.name)
        do {
            try required().activate()
            let links = probe_connect_device(try required().client)
            guard links == 2 + inputs else {
                throw BenchmarkError("only \(links) of \(2 + inputs) ports could be connected")
            }
        } catch {
            close()
            throw error
        }
    }

    /// Returns the milliseconds for opening, activating and connecting, for deactivating, and for
    /// closing.
    private func activateCold(_ server: String, inputs: Int) throws -> [Double] {
        let activation = try milliseconds { try start(server, inputs) }
        let client = try required().client
        let deactivation = milliseconds { _ = probe_deactivate(client) }
        return [activation, deactivation, milliseconds { close() }]
    }

    /// Waits until the server responds and has its device.
    private func awaitServer(_ server: String, inputs: Int) throws {
        try wait(for: "'\(server)'", seconds: 20) { (try? start(server, inputs)) != nil }
        close()
    }

    /// Sets the buffer size and waits until it is in effect: PipeWire takes some time.
    private func setPeriod(_ frames: UInt32) throws {
        let client = try required().client
        guard probe_set_period(client, frames) else { throw BenchmarkError("the server refused the buffer size") }
        try wait(for: "another buffer size") { probe_period(client) == frames }
    }

    private func awaitLoss() throws -> Double {
        let time = probe_await_loss(try required().client, 20_000)
        guard time != 0 else { throw BenchmarkError("libjack did not report the end within 20 s") }
        return Double(time)
    }

    /// Returns how long a client of this process took to open, activate and connect. Then, for the
    /// counting signal of another client's port: when the cycle with the first received frame
    /// began, that frame's number, and the number of ports that it is connected to in addition to
    /// this client's.
    private func awaitReturn(_ server: String, inputs: Int, of port: String) throws -> [Double] {
        let limit = deadline(20)
        // With retries: on a busy machine a server that has just started may refuse. Only the time
        // of the successful attempt counts.
        var took: Double?
        while took == nil {
            do {
                took = try milliseconds { try start(server, inputs, taps: 1) }
            } catch {
                guard now() < limit else { throw error }
            }
        }
        let client = try required().client
        repeat {
            guard now() < limit else { throw BenchmarkError("no counting signal from '\(port)' within 20 s") }
            _ = probe_connect(client, port, "\(Self.name):in_1")
        } while !holds(within: 0.1) { heard(0).frames >= 16 }
        let found = heard(0)
        let links = max(1, probe_links(client, port)) - 1
        return [
            took ?? 0, Double(found.first_ns), Double(UInt32(truncatingIfNeeded: found.first - 1)), Double(links),
        ]
    }
}
