import CProbe
import PositionSignals
import Processes
import Servers

/// A client that keeps what the sink plays.
final class Capture {
    private let probe: Probe
    private let detector: OpaquePointer
    private let quantum: Int
    /// The jumps of frame numbers before the sink's first cycle.
    private var jumps: UInt32 = 0

    /// 87 s.
    private static let capacity: UInt32 = 1 << 22

    init(quantum: Int) throws {
        self.quantum = quantum
        probe = try Probe(nil, "capture", inputs: 2)
        detector = try probe.plug(probe_plug_capture(probe.client, Self.capacity))
        try probe.activate()
        for (index, channel) in ["monitor_FL", "monitor_FR"].enumerated() {
            var port: String?
            try wait(for: "the sink's port \(channel)", seconds: 20) {
                port = probe.ports(outputs: true).first { $0.hasSuffix(":" + channel) }
                return port != nil
            }
            try probe.connect(port ?? "", "capture:in_\(index + 1)")
        }
        // The sink drives the client from the first cycle after the connection on; other drivers
        // have other frame numbers.
        try wait(for: "cycles of the sink", seconds: 20) {
            let captured = last(2 * quantum)
            return captured.count == 2 * quantum && captured.allSatisfy { $0 == .silent }
                && Int(probe_period(probe.client)) == quantum
        }
        jumps = probe_capture_jumps(detector)
    }

    func close() { probe.close() }

    /// The frame after the last one that was captured.
    var end: Int { Int(probe_captured(detector)) }

    /// The frame at this time, as the server estimates it.
    var now: Int {
        let end = probe_captured(detector)
        let frame = probe_frame_at(probe.client, probe_now())
        return Int(end) + Int(Int32(bitPattern: frame &- UInt32(truncatingIfNeeded: end)))
    }

    /// Waits until this frame has been captured.
    func reach(_ frame: Int) throws {
        let seconds = max(0, Double(frame - end)) / Double(PositionSignal.sampleRate) + 10
        guard holds(within: seconds, { end >= frame }) else {
            throw BenchmarkError("PipeWire runs no cycles, or its clock is slow.")
        }
        guard probe_capture_jumps(detector) == jumps else {
            throw BenchmarkError("PipeWire's frame numbers have jumped.")
        }
        guard Int(probe_period(probe.client)) == quantum else {
            throw BenchmarkError("PipeWire's quantum is \(probe_period(probe.client)) instead of \(quantum).")
        }
    }

    /// Waits for so many more frames.
    func advance(_ frames: Int) throws { try reach(end + frames) }

    func frames(_ range: Range<Int>) -> [HeardFrame] {
        var (left, right) = ([Float](repeating: 0, count: range.count), [Float](repeating: 0, count: range.count))
        _ = probe_copy_captured(detector, UInt64(range.lowerBound), UInt32(range.count), &left, &right)
        return PositionSignal.decode(left: left, right: right)
    }

    /// The last frames.
    func last(_ count: Int) -> [HeardFrame] {
        let end = end
        return frames(max(0, end - count)..<end)
    }

    /// Waits until the last `count` frames, none of them before `first`, have a property. Calls
    /// `meanwhile` twice in a second at least. Throws if they do not have it in time, and what
    /// `meanwhile` throws.
    func expect(
        _ what: String, _ count: Int, since first: Int = 0, seconds: Double, meanwhile: () throws -> Void = {},
        where isSo: ([HeardFrame]) -> Bool
    ) throws {
        let limit = deadline(seconds)
        while end < first + count || !isSo(last(count)) {
            guard Processes.now() < limit else { throw BenchmarkError("\(what): not within \(Int(seconds)) s.") }
            try meanwhile()
            try advance(4_096)
        }
    }
}

extension [HeardFrame] {
    /// Whether all frames sound at one gain, and each continues the previous one.
    var isSteady: Bool {
        guard let first = compactMap(\.gain).first, first > 0 else { return false }
        return zip(self, dropFirst()).allSatisfy { previous, next in
            guard let a = previous.position, let b = next.position, let gain = next.gain else { return false }
            return abs(PositionSignal.distance(from: a, to: b) - 1) <= 1 && abs(gain - first) <= first * 1e-3
        }
    }

    var isSilent: Bool { allSatisfy { $0 == .silent || $0 == .missed } }
}
