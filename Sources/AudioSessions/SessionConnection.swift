internal import AudioRendering
internal import SessionArbiter
internal import SessionPolicy

/// A session's connections: its id at the arbiter, and its buses in the engine. The session's gate
/// controls the buses: it is the page through which the arbiter controls a session, and not a noise
/// gate.
struct SessionConnection: Sendable {
    let id: SessionID
    let bus: SessionBus
    let auxiliaryBuses = AuxiliaryBuses()
    private let receiver: SessionReceiver

    /// All existing buses of the session.
    var buses: [SessionBus] { [bus] + auxiliaryBuses.living.map(\.bus) }

    /// The existing buses that are routed to devices.
    var routedBuses: [SessionBus] { [bus] + auxiliaryBuses.living.filter { $0.uids != nil }.map(\.bus) }

    /// Registers with the arbiter and adds a bus that the gate controls. Undoes the registration if
    /// the bus cannot be added.
    init(at app: RegisteredApp, in engine: AudioEngine, _ receiver: SessionReceiver) throws(AudioSessionError) {
        let registration: SessionRegistration
        let suspendedGate: SessionGate
        do throws(ArbiterError) {
            suspendedGate = try SessionGate.makeSuspended()
            registration = try app.arbiter.register(app: app.id, observer: receiver)
        } catch {
            throw AudioSessionError(error)
        }
        do throws(AudioEngineError) {
            receiver.setInitialGate(registration.gate, suspendedGate)
            bus = try receiver.makeBus(in: engine)
        } catch {
            try? app.arbiter.submit(.unregister(registration.id))
            throw AudioSessionError(error)
        }
        id = registration.id
        self.receiver = receiver
    }

    /// Whether a bus of the session has signal, or had it when the session was suspended.
    var hasSignal: Bool { receiver.hasSignal }

    /// Whether a bus of the session is audible.
    var isAudible: Bool { receiver.isAudible }

    /// Suspends the session's sources, without a fade. Call it while no thread renders.
    func suspend() { receiver.suspend() }

    /// Ends a suspension; does nothing otherwise.
    func resume() { receiver.resume() }

    /// Adds a bus to the session's engine that is routed to ports for other programs.
    func makeBus(for ports: AudioPorts, in engine: AudioEngine) throws(AudioEngineError) -> SessionBus {
        let bus = try receiver.makeBus(in: engine)
        try bus.setOutputs([ports.output])
        auxiliaryBuses.add(bus, for: nil)
        return bus
    }

    /// Adds a bus to another engine, without outputs.
    func makeBus(inOther engine: AudioEngine) throws(AudioEngineError) -> SessionBus {
        let bus = try receiver.makeBus(in: engine)
        try bus.setOutputs([])
        return bus
    }

    /// Returns the bus for some ports of the route: an existing one, or a new one without outputs.
    func auxiliaryBus(for uids: Set<String>, in engine: AudioEngine) throws(AudioEngineError) -> SessionBus {
        if let bus = auxiliaryBuses.bus(for: uids) { return bus }
        let bus = try receiver.makeBus(in: engine)
        try bus.setOutputs([])
        auxiliaryBuses.add(bus, for: uids)
        return bus
    }
}
