import CProbe
import Foundation
import Processes
import Servers

/// Two bare JACK clients in a process: one sends to the peers, the other receives from each of them
/// on a separate port. They are separate so that a path through a peer does not form a cycle in the
/// server's graph.
final class PeersProbe {
    /// The name of the part that performs it.
    static let part = "peers-probe"
    static let taps = 16

    private var open: (source: Probe, listener: Probe, emitter: OpaquePointer)?
    private var onsets: [OpaquePointer] = []
    private var counts: [OpaquePointer] = []

    func perform(_ words: [String]) throws -> [String] {
        if words[0] == "open" {
            try open(words[1])
            return []
        }
        guard let (source, listener, emitter) = open else { throw BenchmarkError("no clients are open") }
        let numbers = words.map { UInt64($0) ?? 0 } + [0, 0]
        let tap = min(Int(clamping: numbers[1]), Self.taps - 1)
        func isSo(within milliseconds: UInt64, _ condition: () -> Bool) -> [String] {
            holds(within: Double(milliseconds) / 1_000, condition) ? ["1"] : []
        }
        switch words[0] {
        case "outputs", "inputs": return listener.ports(outputs: words[0] == "outputs")
        case "listen": try listener.connect(words[2], "probe-taps:in_\(tap + 1)")
        case "feed": try listener.connect("probe-source:out_1", words[1])
        case "period":
            guard probe_set_period(listener.client, UInt32(numbers[1])) else {
                throw BenchmarkError("the server refused the period")
            }
        case "impulse":
            var frame: UInt32 = 0
            probe_emit(emitter, 1, UInt32(numbers[1]), 1)
            try wait(for: "an impulse emitted", seconds: 1) { probe_emitted(emitter, &frame) }
            return ["\(frame)"]
        case "frame": return ["\(probe_frame_at(listener.client, numbers[1]))"]
        case "pause": probe_rest(numbers[1])
        case "arm": probe_reset(onsets[tap])
        case "onset":
            var frame: UInt32 = 0
            let found = isSo(within: numbers[2]) { probe_onset(onsets[tap], &frame) }
            return found.map { _ in "\(frame)" }
        case "loud": return ["\(probe_loud(onsets[tap]))"]
        case "quiet": return isSo(within: numbers[3]) { probe_quiet(onsets[tap]) >= numbers[2] }
        case "forget": probe_reset(counts[tap])
        case "await": return isSo(within: numbers[3]) { probe_count(counts[tap]).frames >= numbers[2] }
        case "heard": return probe_count(counts[tap]).numbers.map(String.init)
        case "quit":
            // libjack may never return if its server is dead.
            if probe_await_loss(listener.client, 0) == 0 { [source, listener].forEach { $0.close() } }
            _exit(0)
        default: throw BenchmarkError("unknown command of the probe")
        }
        return []
    }

    private func open(_ server: String) throws {
        let source = try Probe(server, "probe-source", outputs: 1)
        let listener = try Probe(server, "probe-taps", inputs: Self.taps)
        let emitter = try source.plug(probe_plug_emitter(source.client))
        onsets = try (0..<Self.taps).map { try listener.plug(probe_plug_onset(listener.client, UInt32($0))) }
        counts = try (0..<Self.taps).map { try listener.plug(probe_plug_count(listener.client, UInt32($0))) }
        open = (source, listener, emitter)
        for probe in [source, listener] { try probe.activate() }
    }
}

/// The analysis of a counting signal as the numbers of a reply.
extension probe_count_t {
    fileprivate var numbers: [Int64] {
        [frames, silent, lost, repeated, garbled, breaks, first_ns].map { Int64(clamping: $0) } + [first, last]
    }

    fileprivate init?(_ numbers: [Int64]) {
        guard numbers.count == 9 else { return nil }
        let counters = numbers.map { UInt64(clamping: $0) }
        self.init(
            frames: counters[0], silent: counters[1], lost: counters[2], repeated: counters[3], garbled: counters[4],
            breaks: counters[5], first: numbers[7], last: numbers[8], first_ns: counters[6])
    }
}

/// The probe in its own process. Its errors end the measurement.
struct PeersListener {
    private let process: PeerProcess

    init(server: String, environment: [String: String]) throws {
        process = try PeerProcess("/proc/self/exe", ["--part", PeersProbe.part], environment: environment)
        try ask("open", server)
    }

    /// Executes a command, and returns the fields of the reply.
    @discardableResult
    func ask(_ words: any CustomStringConvertible...) throws -> [String] {
        let words = words.map(\.description)
        let command = words.joined(separator: " ")
        do {
            try process.send(words)
            return try process.answer(to: command, seconds: 10)
        } catch {
            throw BenchmarkError("The probe's command '\(command)' failed: \(error).")
        }
    }

    /// Returns the frame in which sound began since the receiver was armed; nil after the timeout.
    func onset(_ tap: Int, milliseconds: Int) throws -> UInt32? {
        try ask("onset", tap, milliseconds).first.flatMap { UInt32($0) }
    }

    func isQuiet(_ tap: Int, frames: Int) throws -> Bool { try !ask("quiet", tap, frames, 2_000).isEmpty }

    /// Returns whether a receiver gets so many samples that count in time.
    func counts(_ tap: Int, frames: UInt64, milliseconds: Int) throws -> Bool {
        try !ask("await", tap, frames, milliseconds).isEmpty
    }

    func heard(_ tap: Int) throws -> probe_count_t {
        guard let heard = probe_count_t(try ask("heard", tap).map { Int64($0) ?? 0 }) else {
            throw BenchmarkError("The probe returned an unreadable count.")
        }
        return heard
    }

    func end() { _ = process.quit(seconds: 1) }
}
