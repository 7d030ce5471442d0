public import AudioRendering
internal import Platform
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

    /// Registers with the arbiter and adds a bus that the gate controls. Undoes the registration if
    /// the bus cannot be added.
    static func make(
        on host: AudioSessionHost, _ receiver: SessionReceiver
    ) -> Result<SessionConnection, AudioSessionError> {
        Result { () throws(AudioSessionError) in
            let engine = try host.engine.get()
            let registration: SessionRegistration
            do throws(ArbiterError) {
                registration = try host.arbiter.register(app: host.app, observer: receiver)
            } catch {
                throw AudioSessionError(error)
            }
            do throws(AudioEngineError) {
                receiver.setInitialGate(registration.gate)
                let bus = try receiver.makeBus(in: engine)
                return SessionConnection(id: registration.id, bus: bus, receiver: receiver)
            } catch {
                try? host.arbiter.submit(.unregister(registration.id))
                throw AudioSessionError(error)
            }
        }
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

/// Forwards notices to a session, which it holds weakly, and new gates to its buses. It is created
/// first, because the arbiter may send notices before the session and its buses exist.
final class SessionReceiver: SessionObserver {
    private struct Target {
        weak var session: AudioSession?
        /// The newest gate.
        var gate: SessionGate?
        var buses: [GatedBus] = []
    }
    /// A bus, and the gate that controls it.
    private struct GatedBus {
        weak var bus: SessionBus?
        var gate: SessionGate
    }
    private let target = Mutex(Target())
    private let gateUpdates = Mutex(())

    func set(_ session: AudioSession) { target.withLock { $0.session = session } }

    func setInitialGate(_ gate: SessionGate) {
        target.withLock { target in
            // A gate that arrived meanwhile is newer.
            if target.gate == nil { target.gate = gate }
        }
    }

    /// Creates a bus that is controlled by the session's current gate, and by each later one.
    /// Throws engineGone if no gate has been set; `SessionConnection.make` sets one first.
    func makeBus(in engine: AudioEngine) throws(AudioEngineError) -> SessionBus {
        guard let gate = target.withLock({ $0.gate }) else { throw .engineGone }
        let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        target.withLock { target in
            target.buses.removeAll { $0.bus == nil }
            target.buses.append(GatedBus(bus: bus, gate: gate))
        }
        applyNewestGate()
        return bus
    }

    func receive(_ notice: SessionNotice) {
        applyNewestGate()
        let session = target.withLock { $0.session }
        session?.receive(notice)
    }

    func replaceGate(_ gate: SessionGate) {
        let session = target.withLock { target in
            target.gate = gate
            return target.session
        }
        applyNewestGate()
        // The gate comes from another arbiter, which may know fewer devices than the previous one.
        session?.host.reportDevicesAgainAsync()
    }

    /// Applies the newest gate to the buses that follow an older one. If memory cannot be allocated
    /// or the command queue is full, the last grant holds, and the next notice tries again.
    private func applyNewestGate() {
        // Serialized, so that the newest page is applied last.
        gateUpdates.withLock { _ in
            let (gate, outdated) = target.withLock { target in
                (target.gate, target.buses.filter { $0.gate !== target.gate }.compactMap(\.bus))
            }
            guard let gate else { return }
            for bus in outdated where (try? bus.replaceGate(gate.page, owner: gate)) != nil {
                target.withLock { target in
                    if let index = target.buses.firstIndex(where: { $0.bus === bus }) {
                        target.buses[index].gate = gate
                    }
                }
            }
        }
    }
}

extension AudioSession {
    /// The bus that this session's sources play into, for apps that mix their own voices.
    ///
    /// The session controls everything that plays on this bus or on the mixer that feeds it
    /// (`SessionBus.setGraph`), and routes it to every output of its route. Throws when the session
    /// could not be created.
    public var bus: SessionBus {
        get throws { try connection.get().bus }
    }

    /// Returns a bus of the session's mixer by its name: `try session.bus("drums").gain = 0.8`.
    /// `session.bus.setGraph` creates the mixer. Throws `AudioEngineError.noSuchBus`, or the error
    /// for which the session could not be created.
    public func bus(_ name: String) throws -> MixerBus { try bus.bus(name) }

    /// Returns whether a bus belongs to this session: its main bus, an auxiliary bus, or a bus of
    /// one of their mixers.
    package func has(_ bus: any AudioBus) -> Bool {
        guard case .success(let connection) = connection else { return false }
        return connection.buses.contains { $0 === bus.session }
    }

    /// Returns an auxiliary bus of this session that is routed only to the given ports of its
    /// route, such as a cue to the headphones and a main mix to the loudspeakers (keeps MULTI-1,
    /// MULTI-4).
    ///
    /// Streams for the left and the right channel share one such bus, each with its own channel
    /// map. When a port leaves the route, the bus continues without it; without any port it
    /// continues silently. When the port returns, the bus is audible there again. The bus exists as
    /// long as a client holds it or plays on it; equal sets of ports share one bus.
    ///
    /// Throws badParam without a port, and for a port that is not in the route.
    public func bus(to ports: [AudioSessionPortDescription]) throws -> SessionBus {
        let known = currentRoute.outputs
        guard !ports.isEmpty, ports.allSatisfy({ port in known.contains { $0.uid == port.uid } }) else {
            throw AudioSessionError(
                .badParam, rule: "MULTI-1",
                """
                A bus to \(ports.isEmpty ? "no port" : ports.map { "'\($0.uid)'" }.joined(separator: ", ")) was \
                requested; the route has \
                \(known.isEmpty ? "no outputs" : known.map { "'\($0.uid)'" }.joined(separator: ", ")). \
                Name at least one of these, and no others.
                """)
        }
        let (connection, engine) = (try connection.get(), try engine)
        do throws(AudioEngineError) {
            let bus = try connection.auxiliaryBus(for: Set(ports.map(\.uid)), in: engine)
            applyModeToEngine()
            host.applyRoute(of: self)
            return bus
        } catch {
            throw AudioSessionError(error)
        }
    }

    /// The engine that renders the session's buses. The sessions open it, and the first activation
    /// starts it; it then renders until `AudioSessionHost.close()`.
    public var engine: AudioEngine {
        get throws { try host.engine.get() }
    }
}
