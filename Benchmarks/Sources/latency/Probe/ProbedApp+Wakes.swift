import AudioRendering
import AudioSessions
import CLatencyProbe
import Foundation
import Processes

/// Measurements of when the app's cycle was called, and when that of a client that does nothing.
extension ProbedApp {
    /// Returns the number of cycles for which only one of them was called, and then, for each other
    /// cycle, the microseconds after its beginning according to the server: alternately those of
    /// the app and of the client.
    func noteWakes(seconds: Double) throws -> [Double] {
        // Connects both after the emitter, so that their positions in the graph are equal.
        try connect("latency-emitter:out", "latency-bare:in")
        let capacity = UInt32(seconds * 48_000 / Double(period) * 1.2) + 1_000
        guard let own = latency_wakes_create(capacity),
            let stamp = latency_stamp_create(passes[0], UInt32(period), own)
        else { throw BenchmarkError("out of memory for \(capacity) callbacks") }
        let source = RenderSource(channels: 1, context: UnsafeMutableRawPointer(stamp), function: latency_stamp_render)
        let voice = try engine.play(.render(source), on: session.bus)
        try wait(for: "the app's cycle") { voice.state == .playing && voice.framesRendered > 0 }
        let first = latency_wakes_count(bareWakes)
        for wakes in [own, bareWakes] { latency_wakes_note(wakes, true) }
        let limit = now() + UInt64(seconds * 1e9)
        while now() < limit { poll(nil, 0, 100) }
        for wakes in [own, bareWakes] { latency_wakes_note(wakes, false) }
        try voice.stop()
        try wait(for: "the end of a voice") { voice.state == .ended }
        defer {
            latency_stamp_destroy(stamp)
            latency_wakes_destroy(own)
        }
        let ours = ownWakes(own)
        let theirs = (first..<latency_wakes_count(bareWakes)).map { latency_wakes_at(bareWakes, $0) }
        let pairs = theirs.compactMap { their in ours[their.frame].map { (their, $0) } }
        let alone = ours.count + theirs.count - 2 * pairs.count
        return [Double(alone)]
            + pairs.flatMap { their, own in
                [Double(own) - Double(their.ideal_us), Double(their.time_us) - Double(their.ideal_us)]
            }
    }

    /// Returns the calls by the first frame of the cycle. Of two calls that seem to belong to one
    /// cycle, the first belongs to the previous cycle, which was late.
    private func ownWakes(_ wakes: OpaquePointer) -> [UInt32: UInt64] {
        var found: [UInt32: UInt64] = [:]
        for index in 0..<latency_wakes_count(wakes) {
            let wake = latency_wakes_at(wakes, index)
            if let late = found[wake.frame] { found[wake.frame &- UInt32(period)] = late }
            found[wake.frame] = wake.time_us
        }
        return found
    }
}
