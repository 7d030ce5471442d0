import Foundation
import Processes
import Reporting

/// The only measurement on hardware: on the user's own server, over a cable from an output to an
/// input.
extension Latency {
    func measureCable(output: String, input: String) throws {
        let machine = Machine.present()
        say(machine.name)
        let ends = try CableEnds(server: serverName, order: 15, count: quick ? 2 : 8)
        say("playing noise at −20 dB to '\(output)' for \(quick ? 2 : 6) seconds, and recording from '\(input)'")
        let trip = try ends.measure(output: output, input: input)
        let reported = ends.reportedLatency(output: output, input: input)
        let rate = Double(ends.sampleRate)
        var table = Table(
            "Round trip from '\(output)' to '\(input)'", [.text("what", 44), "frames", "ms"])
        func add(_ what: String, _ frames: Double) {
            table.add([what, String(format: "%.1f", frames), String(format: "%.3f", frames / rate * 1000)])
        }
        let unknown = trip.frames - Double(reported.output + reported.input)
        add("measured", trip.frames)
        add("the server says: out", Double(reported.output))
        add("the server says: in", Double(reported.input))
        add("measured beyond that", unknown)
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
        let results = [
            ("hardware.round_trip_frames", "frames", trip.frames),
            ("hardware.round_trip_ms", "ms", trip.frames / rate * 1000),
            ("hardware.told_latency_frames", "frames", Double(reported.output + reported.input)),
        ].map { Measurement($0, "hardware", $1, Statistics([$2]), conditions) }
        try Report(
            "latency", quick: quick, machine: machine, noise: .measure(quick: true),
            Findings(results: results, tables: [table])
        ).write(to: json)
    }
}
