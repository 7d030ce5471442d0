import AudioRendering
import AudioSessions
import CProbe
import Foundation
import InterAppAudio
import JackDriver
import Processes
import Servers

/// A child process with a host of nodes, and a client that listens to it and to them.
final class InterAppStage: SessionApp {
    /// The name of the part that performs it.
    static let part = "inter-app"
    private static let client = "latency-host", listener = "latency-listener"
    private static let pass = "latency-bare", delayer = "latency-injected"
    /// The delay that must be measured behind the host.
    static let injectedDelay = 37

    /// What is measured: an effect that the host sends to, and a generator that the host's second
    /// client plays, or its engine, on a bus.
    enum Way: String, CaseIterable {
        case effect, generator
        case generatorOnBus = "generator, on a bus"

        var kind: NodeDescription.Kind { self == .effect ? .effect : .generator }
    }

    /// The paths of a sound: without the node and host, through a client that only passes it on,
    /// through node and host, and the same behind a delay.
    enum Tap: Int, CaseIterable {
        case direct, client, host, injected

        var port: String { "\(InterAppStage.listener):in_\(rawValue + 1)" }
    }

    private struct Ends {
        var listener: Probe
        var passes: [Probe]
        var taps: [OpaquePointer]
        var all: [Probe] { passes + [listener] }
    }
    private var ends: Ends?
    private var audioHost: AudioHost?
    private var queue: CommandQueue?
    private var hosted: HostedNode?
    /// For an effect: the sound on the session's bus, and on the one whose sound goes to the node.
    private var sounds: [Sound] = []

    override func perform(_ words: [String]) throws -> [Double] {
        switch words[0] {
        case "open": try open(server: words[1])
        case "way": try Way(rawValue: words[1]).map(connect)
        case "listen": for tap in Tap.allCases { _ = try changes(at: tap) }
        case "sound": try playSound()
        case "heard": return try compare()
        case "close":
            (sounds, hosted, queue, audioHost) = ([], nil, nil, nil)
            close()
            for probe in ends?.all ?? [] { probe.close() }
        default: return try super.perform(words)
        }
        return []
    }

    override var late: Int {
        let probes = ends?.all ?? []
        let own = probes.reduce(0) { $0 + probe_gaps($1.client) } + (ends.map { probe_xruns($0.listener.client) } ?? 0)
        return super.late + Int(own) + (audioHost?.returnEngine?.statistics.xruns ?? 0)
    }

    private func open(server: String) throws {
        let listener = try Probe(server, Self.listener, inputs: Tap.allCases.count)
        let taps = try Tap.allCases.map { try listener.plug(probe_plug_changes(listener.client, UInt32($0.rawValue))) }
        let passes = try [Self.pass, Self.delayer].map { try Probe(server, $0, outputs: 1, inputs: 1) }
        for (pass, delay) in zip(passes, [0, Self.injectedDelay]) {
            probe_set_path(try pass.plug(probe_plug_path(pass.client, 0)), UInt32(delay), 1, 0)
        }
        ends = Ends(listener: listener, passes: passes, taps: taps)
        for probe in passes + [listener] { try probe.activate() }

        let driver = JackDriver(
            configuration: .init(
                server: .named(server), clientName: Self.client, outputs: 2, recovery: .never, connections: .none))
        let session = try open(AudioSessionHost(driver: driver), options: .mixWithOthers)
        (audioHost, queue) = (try AudioHost(session: session), try session.engine.makeCommandQueue())
    }

    /// Connects a node, instead of the one before, and listens to it and to the host.
    private func connect(_ way: Way) throws {
        guard let audioHost, let listener = ends?.listener else { throw BenchmarkError("no host is open") }
        hosted?.disconnect()
        try wait(for: "the \(way.kind.rawValue)") { audioHost.nodes.contains { $0.kind == way.kind } }
        guard let node = audioHost.nodes.first(where: { $0.kind == way.kind }), let port = node.outputs.first else {
            throw BenchmarkError("the node has left")
        }
        let (bus, engine) = (try required().bus, try required().engine)
        let hosted = try way == .generatorOnBus ? audioHost.connect(node, on: bus) : audioHost.connect(node)
        self.hosted = hosted
        sounds = try hosted.send.map { try [bus, $0].map { try InterAppSound.make(on: $0, of: engine) } } ?? []

        let (main, returned) = ("\(Self.client):out_1", "\(Self.client)-return:out_1")
        let (before, after) = (way == .effect ? main : port, way == .generatorOnBus ? main : returned)
        for input in Tap.allCases.map(\.port) + ["\(Self.pass):in_1", "\(Self.delayer):in_1"] {
            probe_disconnect(listener.client, input)
        }
        for (source, destination) in [
            (before, Tap.direct.port), (before, "\(Self.pass):in_1"), ("\(Self.pass):out_1", Tap.client.port),
            (after, Tap.host.port), (after, "\(Self.delayer):in_1"), ("\(Self.delayer):out_1", Tap.injected.port),
        ] {
            try wait(for: "the port '\(source)'") { (try? listener.connect(source, destination)) != nil }
        }
    }

    /// Plays the sound on the session's bus and, from the same frame on, to the effect.
    private func playSound() throws {
        guard let queue else { throw BenchmarkError("no host is open") }
        let frame = InterAppSound.randomFrame(of: try required().engine)
        try queue.transaction {
            for sound in sounds { try queue.trigger(sound, at: frame) }
        }
    }

    /// Returns the changes at an input that have not been taken.
    private func changes(at tap: Tap) throws -> [probe_change_t] {
        guard let ends else { throw BenchmarkError("no host is open") }
        guard probe_lost_changes(ends.taps[tap.rawValue]) == 0 else {
            throw BenchmarkError("the probe received more changes than it could store")
        }
        var (found, change) = ([probe_change_t](), probe_change_t())
        while probe_next_change(ends.taps[tap.rawValue], &change) { found.append(change) }
        return found
    }

    /// Returns, for every path, the frames by which the sound came later than without node and
    /// host, and the number of frames at which it differs from what was played; nothing if it was
    /// not heard on all paths.
    private func compare() throws -> [Double] {
        var found = [[probe_change_t]](repeating: [], count: Tap.allCases.count)
        let isHeard = try holds(within: 1) {
            for tap in Tap.allCases { found[tap.rawValue] += try changes(at: tap) }
            return found.allSatisfy { $0.last?.value == 0 }
        }
        guard isHeard, let direct = found.first?.first else { return [] }
        return found.flatMap { changes -> [Double] in
            guard let first = changes.first else { return [] }
            // The sound's frames, and the silence after it.
            let expected = (0..<InterAppSound.frames).map(InterAppSound.value) + [0]
            var samples = [Float](repeating: .nan, count: expected.count)
            for change in changes {
                let index = frames(from: first.frame, to: change.frame)
                if samples.indices.contains(index) { samples[index] = change.value }
            }
            let wrong = zip(samples, expected).count { $0 != $1 } + max(0, changes.count - expected.count)
            return [Double(frames(from: direct.frame, to: first.frame)), Double(wrong)]
        }
    }
}
