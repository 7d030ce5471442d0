internal import AudioRendering
internal import AudioSessions
internal import Dispatch
internal import Platform

/// The engine that plays what nodes return: a second client of the audio server.
///
/// A server calls each client once in a cycle, in the order of their connections: first the app's
/// engine, which sends to the node, then the node, then this engine. One client alone would receive
/// the node's sound a period late. The stage plays to the outputs of the session's route, and its
/// buses obey the session's grants, as those of the app's engine do.
final class ReturnStage: Sendable {
    let engine: AudioEngine
    let stallGuard: StallGuard
    private let session: AudioSession
    private let state = Mutex(State())

    private struct WeakBus { weak var bus: SessionBus? }
    private struct State {
        var buses: [WeakBus] = []
        /// The uids of the route's outputs when the buses were last routed, and the driver's
        /// devices.
        var routed: (outputs: [String], devices: [AudioDevice])?
        /// The driver's ports that were connected.
        var connected: Set<String> = []
    }

    /// Opens a client next to that of the session's engine. Throws `DriverError`, or
    /// `AudioEngineError`.
    init(for session: AudioSession) throws {
        guard let driver = try session.engine.driver.makeCompanion(named: "-return", connects: true) else {
            throw DriverError.refused(
                call: "a client for returns", reason: "no other program can connect to this driver")
        }
        let sizes = AudioEngine.Configuration(maximumVoices: 64, maximumBuses: 64, maximumRoutes: 8, maximumInputs: 16)
        engine = try AudioEngine(driver: driver, configuration: sizes)
        stallGuard = .of(engine)
        self.session = session
        do throws(DriverError) {
            try engine.open()
        } catch {
            engine.close()
            throw error
        }
    }

    /// Closes the client on another thread: the server may not answer.
    deinit { DispatchQueue.global().async { [engine] in engine.close() } }

    /// Adds a bus of the session that plays to its route.
    func makeBus() throws -> SessionBus {
        let bus = try session.makeBus(inOther: engine)
        state.withLock { state in
            state.buses = state.buses.filter { $0.bus != nil } + [WeakBus(bus: bus)]
            state.routed = nil
        }
        applyRoute()
        return bus
    }

    /// Routes the buses to the outputs of the session's route, if these or the devices have changed
    /// since the last call, or if that failed. An output that the server does not have yet follows
    /// later. May wait for the server. [one thread at a time]
    func applyRoute() {
        guard let format = engine.format, let devices = engine.driver.devices else {
            // A driver that is opened again has other ports.
            return state.withLock { $0.routed = nil }
        }
        let outputs = session.outputPorts
        let isCurrent = state.withLock { $0.routed.map { $0.outputs == outputs && $0.devices == devices } ?? false }
        guard !isCurrent else { return }
        let ports = Set(devices.flatMap(\.ports).map(\.uid))
        // A virtual device that exists only in the policy uses the channels that the driver opened
        // with.
        let mainPorts = (try? session.engine.driver.devices)?.flatMap(\.ports).map(\.uid) ?? []
        var (routes, isComplete): ([OutputRoute], Bool) = ([], true)
        for uid in outputs {
            let isReal = ports.contains(uid) || mainPorts.contains(uid)
            guard let range = isReal ? try? engine.driver.connect(uid) : 0..<format.outputChannels, !range.isEmpty
            else {
                isComplete = false
                continue
            }
            let channels = min(range.count, engine.configuration.maximumChannels)
            let route = OutputRoute(firstChannel: range.lowerBound, channels: channels)
            if !routes.contains(route) { routes.append(route) }
        }
        let buses = state.withLock { $0.buses.compactMap(\.bus) }
        guard (try? engine.route(buses.map { BusRouting(bus: $0, outputs: routes) })) != nil else { return }
        let unused = state.withLock { [isComplete] state in
            let wanted = ports.intersection(outputs)
            defer { state.connected = wanted }
            state.routed = isComplete ? (outputs, devices) : nil
            return state.connected.subtracting(wanted)
        }
        for uid in unused { engine.driver.disconnect(uid) }
    }
}
