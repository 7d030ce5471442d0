import CLatencyProbe
import Foundation
import Processes

/// A client at both ends of a cable.
final class CableEnds {
    private static let level = 0.1
    private let sequence: MaximumLengthSequence
    private let client: OpaquePointer
    private let frames: Int

    /// Opens the client on a running server (nil: the default one). It can determine a path of up
    /// to 2^order frames, and measures it `count` times.
    init(server: String?, order: Int, count: Int) throws {
        sequence = MaximumLengthSequence(order: order)
        let samples = sequence.values.map { Float($0 * Self.level) }
        frames = (count + 1) * samples.count
        guard let client = latency_cable_open(server, samples, UInt32(samples.count), UInt32(frames)) else {
            throw BenchmarkError(
                "No JACK server \(server.map { "named '\($0)'" } ?? "") is running, or it refuses the client. Start one, or name it with --server-name."
            )
        }
        self.client = client
    }

    deinit { latency_cable_close(client) }

    var sampleRate: Int { Int(latency_cable_sample_rate(client)) }
    var period: Int { Int(latency_cable_period(client)) }
    /// Returns the latency that the server reports for the path, in frames: to the device's output
    /// terminals, and from its input terminals.
    func reportedLatency(output: String, input: String) -> (output: Int, input: Int) {
        (Int(latency_cable_output_latency(client, output)), Int(latency_cable_input_latency(client, input)))
    }

    /// Plays, records, and determines the path's length. May be called once.
    func measure(output: String, input: String) throws -> RoundTrip {
        guard latency_cable_connect(client, output, input) else {
            throw BenchmarkError(
                "Cannot connect to '\(output)' and '\(input)'. Outputs: \(ports(true)). Inputs: \(ports(false)).")
        }
        latency_cable_start(client)
        let seconds = Double(frames) / Double(max(1, sampleRate)) + 10
        let limit = now() + UInt64(seconds * 1e9)
        while !latency_cable_done(client) {
            guard now() < limit else { throw BenchmarkError("The server is not running: nothing was recorded.") }
            poll(nil, 0, 10)
        }
        let record = Array(UnsafeBufferPointer(start: latency_cable_record(client), count: frames))
        let xruns = latency_cable_xruns(client)
        do { return try RoundTrip(record, sequence, level: Self.level) } catch {
            throw BenchmarkError("\(error)" + (xruns > 0 ? " The server was late \(xruns) times." : ""))
        }
    }

    private func ports(_ outputs: Bool) -> String {
        guard let names = latency_cable_ports(client, outputs) else { return "none" }
        defer { latency_free_names(names) }
        var (list, index) = ([String](), 0)
        while let name = names[index] {
            list.append(String(cString: name))
            index += 1
        }
        return list.joined(separator: ", ")
    }
}
