import CProbe
import Foundation
import Processes
import Reporting
import Servers

/// A client at both ends of a cable.
final class CableEnds {
    private static let level = 0.1
    private let sequence: MaximumLengthSequence
    private let probe: Probe
    private let recorder: OpaquePointer
    private let frames: Int

    /// Opens the client on a running server (nil: the default one). It can determine a path of up
    /// to 2^order frames, and measures it `count` times.
    init(server: String?, order: Int, count: Int) throws {
        sequence = MaximumLengthSequence(order: order)
        let samples = sequence.values.map { Float($0 * Self.level) }
        frames = (count + 1) * samples.count
        do { probe = try Probe(server, "latency-cable", outputs: 1, inputs: 1) } catch {
            throw BenchmarkError("\(error) Start one, or name it with --server-name.")
        }
        // Whole cycles are recorded: one more of the longest period.
        let room = UInt32(frames + 8_192)
        recorder = try probe.plug(probe_plug_recorder(probe.client, room, samples, UInt32(samples.count)))
        try probe.activate()
    }

    deinit { probe.close() }

    var sampleRate: Int { Int(probe_sample_rate(probe.client)) }
    var period: Int { Int(probe_period(probe.client)) }

    /// Returns the latency that the server reports for a port of a device, in frames.
    func reportedLatency(_ port: String, playback: Bool) -> Double {
        Double(probe_latency(probe.client, port, playback))
    }

    /// Plays, records, and determines the path's length. May be called once.
    func measure(output: String, input: String) throws -> RoundTrip {
        do {
            try probe.connect("latency-cable:out_1", output)
            try probe.connect(input, "latency-cable:in_1")
        } catch {
            let names = [false, true].map { probe.ports(outputs: $0, physical: true).joined(separator: ", ") }
            throw BenchmarkError("\(error). Outputs: \(names[0]). Inputs: \(names[1]).")
        }
        try probe.reset(recorder)
        let seconds = Double(frames) / Double(max(1, sampleRate)) + 10
        guard holds(within: seconds, { probe_recorded_frames(recorder) >= UInt32(frames) }) else {
            throw BenchmarkError("The server is not running: nothing was recorded.")
        }
        let record = Array(UnsafeBufferPointer(start: probe_recorded_samples(recorder), count: frames))
        let xruns = probe_xruns(probe.client)
        do { return try RoundTrip(record, sequence, level: Self.level) } catch {
            throw BenchmarkError("\(error)" + (xruns > 0 ? " The server was late \(xruns) times." : ""))
        }
    }
}

/// The only measurement on hardware: on the user's own server, over a cable from an output to an
/// input.
extension Latency {
    func measureCable(output: String, input: String) throws {
        let machine = Machine.present()
        say(machine.name)
        let ends = try CableEnds(server: serverName, order: 15, count: quick ? 2 : 8)
        say("playing noise at −20 dB to '\(output)' for \(quick ? 2 : 6) seconds, and recording from '\(input)'")
        let trip = try ends.measure(output: output, input: input)
        let reported = (
            output: ends.reportedLatency(output, playback: true), input: ends.reportedLatency(input, playback: false)
        )
        let rate = Double(ends.sampleRate)
        let unknown = trip.frames - reported.output - reported.input
        var table = Table(
            "Round trip from '\(output)' to '\(input)'", [.text("what", 44), "frames", "ms"])
        for (what, frames) in [
            ("measured", trip.frames), ("the server says: out", reported.output),
            ("the server says: in", reported.input), ("measured beyond that", unknown),
        ] {
            table.row(what, String(format: "%.1f", frames), String(format: "%.3f", frames / rate * 1000))
        }
        say(
            """
            period \(ends.period) at \(ends.sampleRate) Hz; the way has \(digits(trip.gain)) dB\(trip.isInverted ? ", reversed polarity" : ""); \
            \(Int(trip.share * 100)) % of what came in came the direct way\(trip.isOverloaded ? "\nIt is overloaded: turn it down, the result may be off." : "")
            """)
        if unknown >= 1 {
            let half = Int((unknown / 2).rounded())
            say(
                "jackd reports the rest, too, if it is started with the driver options -I \(half) -O \(Int(unknown.rounded()) - half)."
            )
        }
        guard let json = options.json else { return }
        let conditions: Conditions = [
            "period": .whole(ends.period), "sampleRate": .whole(ends.sampleRate), "output": .text(output),
            "input": .text(input), "gain": .number(trip.gain), "inverted": .flag(trip.isInverted),
        ]
        var findings = Findings(tables: [table])
        for (metric, unit, value) in [
            ("hardware.round_trip_frames", "frames", trip.frames),
            ("hardware.round_trip_ms", "ms", trip.frames / rate * 1000),
            ("hardware.told_latency_frames", "frames", reported.output + reported.input),
        ] {
            findings.add(metric, unit, [value], conditions, of: "hardware")
        }
        try Report("latency", quick: quick, machine: machine, noise: .measure(quick: true), findings).write(to: json)
    }
}
