internal import AudioRendering
internal import Dispatch

/// A client that receives from another program, to find out whether the server calls that one: the
/// probe is called only after it.
final class ClientProbe: Sendable {
    enum Result {
        case hangs, runs, left
        /// The probe has lost the server; another one is necessary.
        case lost
    }

    private let engine: AudioEngine
    private let ports: AudioPorts?
    private let midi: MIDIInput?
    private let name: String
    /// The cycles of the probe when it was connected.
    private let firstCycle: UInt64
    /// So many cycles after it was connected, the program runs: the server needs some until it
    /// takes the connection into account.
    private static let sufficientCycles: UInt64 = 16

    /// Connects a probe to an output of the program. Nil if the server refuses that, or does not
    /// answer.
    init?(of port: String, isMIDI: Bool, near driver: any RenderDriver) {
        guard let companion = driver.makeCompanion(named: "-probe", connects: false) else { return nil }
        let sizes = AudioEngine.Configuration(
            maximumVoices: 1, maximumBuses: 1, maximumSends: 0, maximumRoutes: 1, maximumInputs: 1, maximumQueues: 0,
            maximumCurves: 0, maximumChannels: 1)
        do {
            engine = try AudioEngine(driver: companion, configuration: sizes)
            midi = isMIDI ? try engine.makeMIDIInput(name: "probe midi") : nil
            ports = isMIDI ? nil : try engine.makePorts(name: "probe", direction: .input, channels: 1)
            name = isMIDI ? "probe midi" : "probe"
            try engine.start()
            try companion.connectPorts(named: name, to: [[port]])
            firstCycle = engine.counters.cycles
        } catch {
            return nil
        }
    }

    /// Closes the client on another thread: the server may not answer.
    deinit { DispatchQueue.global().async { [engine] in engine.close() } }

    /// What is known about the program now.
    var result: Result {
        guard engine.format != nil else { return .lost }
        let isConnected = engine.driver.connections(ofPortsNamed: name).contains { !$0.isEmpty }
        guard isConnected else { return .left }
        return engine.counters.cycles >= firstCycle + Self.sufficientCycles ? .runs : .hangs
    }
}
