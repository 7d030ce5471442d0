import CProbe
import Foundation
import Processes
import Reporting
import Servers

/// Verifies `--loopback` on paths of known length: not on a cable, but on clients that delay,
/// attenuate, invert and add noise.
enum Cable {
    /// The name of the part that performs it.
    static let part = "cable"
    private static let error = "hardware.round_trip_error_frames"

    private struct Case {
        var what: String
        var delay: Int
        var gain: Double
        var noise: Double
        /// The required error instead of a length.
        var complaint: String?
    }
    private static let cases = [
        Case(what: "as it is", delay: 0, gain: 1, noise: 0),
        Case(what: "weak, reversed, hissing", delay: 1_234, gain: -0.1, noise: 0.005),
        Case(what: "nothing", delay: 0, gain: 0, noise: 0, complaint: "Nothing comes in"),
        Case(what: "hiss alone", delay: 0, gain: 0, noise: 0.3, complaint: "not what was played"),
        Case(what: "far below its hiss", delay: 0, gain: 0.00003, noise: 0.0002, complaint: "too quiet"),
        Case(what: "louder hiss than sound", delay: 0, gain: 0.1, noise: 0.03, complaint: "no cable"),
    ]

    static func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "Round trip, as --loopback measures it, where it is known (frames)",
            note:
                "A client between output and input stands in for a cable. Where there is none that can be measured, it must say so.",
            [.text("server", 11), "period", .text("way", 24), "known", "measured", "gain, dB", .text("found", 40)])
        try measureOffline(&findings, &table)
        try run.onServers(periods: [128], loopbacks: 1) { server, context in
            for way in cases {
                let client = try Performer(part, context.environment)
                try client.ask("open", server.name, server.kind != .pipewire)
                do {
                    let found = try client.ask("measure", way.delay, way.gain, way.noise, run.quick ? 2 : 4)
                    guard way.complaint == nil else {
                        throw BenchmarkError("'\(way.what)' was accepted as a cable of \(found[0]) frames")
                    }
                    // The loopback port, or the link that closes PipeWire's feedback loop, delays
                    // by one period.
                    let known = Double(server.period + way.delay)
                    guard found[0] == known, (found[2] == 1) == (way.gain < 0) else {
                        throw BenchmarkError("a path of \(known) frames was measured as \(found[0])")
                    }
                    findings.add(
                        error, "frames", [found[0] - known],
                        Conditions(server).with(["known": .number(known), "gain": .number(way.gain)]))
                    table.row(
                        server, way.what, known, found[0], (found[1] * 10).rounded() / 10 + 0,
                        found[2] == 1 ? "reversed" : "")
                } catch let error as BenchmarkError {
                    guard let complaint = way.complaint, error.description.contains(complaint) else { throw error }
                    table.row(server, way.what, "", "", "", "said so: \(complaint)")
                }
                try client.ask("close")
            }
        }
        findings.tables = [table]
        return findings
    }

    /// Verifies a computed path whose length is not an integer, as with converters. A path whose
    /// length changes must be rejected.
    private static func measureOffline(_ findings: inout Findings, _ table: inout Table) throws {
        let sequence = MaximumLengthSequence(order: 12)
        let known = 1_100.3
        let trip = try RoundTrip(record(sequence, [1_100, 1_100, 1_100]), sequence, level: 0.1)
        guard abs(trip.frames - known) < 0.05 else {
            throw BenchmarkError("a path of \(known) frames was measured as \(trip.frames)")
        }
        findings.add(
            error, "frames", [abs(trip.frames - known)],
            ["server": "offline", "known": .number(known), "gain": .number(0.5)])
        table.row(
            "offline", "", "between two frames", "\(known)", String(format: "%.2f", trip.frames), trip.gain)
        do {
            _ = try RoundTrip(record(sequence, [1_100, 1_100, 1_103]), sequence, level: 0.1)
        } catch let error as BenchmarkError where error.description.contains("not of one length") {
            return table.row("offline", "", "longer and longer", "", "", "", "said so: not of one length")
        }
        throw BenchmarkError("a path whose length changes was accepted as a cable")
    }

    /// Returns the recording of a path of the given delay plus three tenths of a frame, at half the
    /// level, for each repetition of the sequence.
    private static func record(_ sequence: MaximumLengthSequence, _ delays: [Int]) -> [Float] {
        let length = sequence.values.count
        let taps = (-64...64).map { tap -> Double in
            let x = Double.pi * (Double(tap) - 0.3)
            return sin(x) / x * (0.5 + 0.5 * cos(x / 65))
        }
        return delays.flatMap { delay in
            (0..<length).map { frame -> Float in
                let sum = taps.indices.reduce(0.0) { sum, tap in
                    sum + taps[tap] * sequence.values[(frame - delay - tap + 64 + length) % length]
                }
                return Float(0.05 * sum)
            }
        }
    }
}

/// Measures a simulated cable as instructed.
final class CableApp {
    private var wire: (probe: Probe, path: OpaquePointer)?
    private var server = ""
    private var hasLoopback = false

    func perform(_ words: [String]) throws -> [Double] {
        switch words[0] {
        case "open":
            (server, hasLoopback) = (words[1], words[2] == "true")
            let probe = try Probe(server, "latency-wire", outputs: 1, inputs: 1)
            wire = (probe, try probe.plug(probe_plug_path(probe.client, 0)))
            try probe.activate()
        case "measure": return try measure(words)
        case "close": wire?.probe.close()
        default: throw BenchmarkError("unknown command of the cable part")
        }
        return []
    }

    private func measure(_ words: [String]) throws -> [Double] {
        guard let wire, let delay = UInt32(words[1]), let gain = Float(words[2]), let noise = Float(words[3]) else {
            throw BenchmarkError("no wire is open")
        }
        probe_set_path(wire.path, delay, gain, noise)
        let ends = try CableEnds(server: server, order: 13, count: Int(words[4]) ?? 2)
        if hasLoopback { try wire.probe.connect("latency-wire:out_1", "loopback:playback_1") }
        let trip = try ends.measure(
            output: "latency-wire:in_1", input: hasLoopback ? "loopback:capture_1" : "latency-wire:out_1")
        return [trip.frames, trip.gain, trip.isInverted ? 1 : 0]
    }
}
