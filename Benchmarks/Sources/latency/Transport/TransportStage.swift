import CProbe
import Foundation
import Processes
import Servers

/// A child process with the bare clients of the measurement: one that reads the transport and
/// listens, one that follows the transport by itself, and one that delays.
final class TransportStage {
    /// The name of the part that performs it.
    static let part = "transport"
    private static let listener = "latency-listener", follower = "latency-bare", delayer = "latency-injected"
    /// The delay that must be measured behind the first app.
    static let injectedDelay = 37

    /// What listens: at the bare follower, at both apps, and behind the delay.
    enum Tap: Int, CaseIterable { case follower, first, second, injected }

    private struct Ends {
        var probes: [Probe]
        var transport: OpaquePointer
        var clicks: OpaquePointer
        var taps: [OpaquePointer]
        var listener: Probe { probes[0] }
    }
    private var ends: Ends?
    /// The frames of the transport at which all must play.
    private var expected: [Int] = []

    func perform(_ words: [String]) throws -> [Double] {
        switch words[0] {
        case "open": try open(server: words[1])
        case "connect": try connect(apps: Array(words[1...]))
        case "tempo": try setTempo(Double(words[1]) ?? 0)
        case "rewind": try rewind()
        case "start": probe_start_transport(try required().probes[1].client)
        case "heard": return try compare()
        case "late":
            let late = ends.map { ends in
                ends.probes.reduce(probe_xruns(ends.listener.client)) { $0 + probe_gaps($1.client) }
            }
            return [Double(late ?? 0)]
        case "close": for probe in ends?.probes ?? [] { probe.close() }
        default: throw BenchmarkError("unknown command of the transport's stage")
        }
        return []
    }

    private func required() throws -> Ends {
        guard let ends else { throw BenchmarkError("nothing is open") }
        return ends
    }

    private func open(server: String) throws {
        let listener = try Probe(server, Self.listener, inputs: Tap.allCases.count)
        let follower = try Probe(server, Self.follower, outputs: 1)
        let delayer = try Probe(server, Self.delayer, outputs: 1, inputs: 1)
        ends = Ends(
            probes: [listener, follower, delayer],
            transport: try listener.plug(probe_plug_transport(listener.client)),
            clicks: try follower.plug(probe_plug_clicks(follower.client, 0)),
            taps: try Tap.allCases.map { try listener.plug(probe_plug_changes(listener.client, UInt32($0.rawValue))) })
        probe_set_path(try delayer.plug(probe_plug_path(delayer.client, 0)), UInt32(Self.injectedDelay), 1, 0)
        for probe in [listener, follower, delayer] { try probe.activate() }
    }

    private func connect(apps: [String]) throws {
        let listener = try required().listener
        let ways = [
            ("\(Self.follower):out_1", Tap.follower), ("\(apps[0]):out_1", .first), ("\(apps[1]):out_1", .second),
            ("\(Self.delayer):out_1", .injected),
        ]
        for (source, tap) in ways {
            try wait(for: "the port '\(source)'") {
                (try? listener.connect(source, "\(Self.listener):in_\(tap.rawValue + 1)")) != nil
            }
        }
        try listener.connect("\(apps[0]):out_1", "\(Self.delayer):in_1")
    }

    private func setTempo(_ tempo: Double) throws {
        expected = TransportBeats.frames(tempo: tempo)
        probe_set_clicks(try required().clicks, expected.map { UInt32($0) }, UInt32(expected.count))
    }

    /// Stops the transport at its start, and discards what was heard.
    private func rewind() throws {
        let ends = try required()
        probe_stop_transport(ends.listener.client)
        try wait(for: "a stopped transport") { probe_transport(ends.transport).is_stopped }
        guard probe_locate_transport(ends.listener.client, 0) else {
            throw BenchmarkError("the server refused to move its transport")
        }
        try ends.listener.reset(ends.transport)
        try wait(for: "the transport's start") {
            let transport = probe_transport(ends.transport)
            return transport.is_stopped && transport.frame == 0
        }
        for tap in Tap.allCases { _ = clicks(at: tap, of: ends) }
        probe_rest(UInt64.random(in: 0..<UInt64(probe_period(ends.listener.client)) * 20_000))
    }

    /// Returns the frames of the server at which samples that are not 0 began.
    private func clicks(at tap: Tap, of ends: Ends) -> [UInt32] {
        var (found, change) = ([UInt32](), probe_change_t())
        while probe_next_change(ends.taps[tap.rawValue], &change) {
            if change.value != 0 { found.append(change.frame) }
        }
        return found
    }

    /// Returns the error of each beat at each tap, in frames; nothing if not every beat was heard
    /// once, or if the transport jumped.
    private func compare() throws -> [Double] {
        let ends = try required()
        var found = [[UInt32]](repeating: [], count: Tap.allCases.count)
        let last = Double(expected.last ?? 0) / Double(Server.sampleRate)
        let isHeard = holds(within: last + 3) {
            for tap in Tap.allCases { found[tap.rawValue] += clicks(at: tap, of: ends) }
            return found.allSatisfy { $0.count >= expected.count }
        }
        let transport = probe_transport(ends.transport)
        guard isHeard, transport.moved == 0, found.allSatisfy({ $0.count == expected.count }) else { return [] }
        return found.flatMap { heard in
            zip(heard, expected).map { Double(frames(from: transport.origin, to: $0) - $1) }
        }
    }
}
