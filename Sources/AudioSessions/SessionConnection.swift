public import AudioRendering
internal import SessionArbiter
internal import SessionPolicy

/// A session's ties: its number with the arbiter, and its buses in the engine, which obey its gate.
struct SessionConnection: Sendable {
    let id: SessionID
    let bus: SessionBus
    let sides = SideBuses()
    private let receiver: SessionReceiver

    /// All that live.
    var buses: [SessionBus] { [bus] + sides.living.map(\.bus) }

    /// Registers with the arbiter and adds a bus that obeys the gate; what fails half-way is undone.
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
                receiver.begin(with: registration.gate)
                let bus = try receiver.makeBus(in: engine)
                return SessionConnection(id: registration.id, bus: bus, receiver: receiver)
            } catch {
                try? host.arbiter.submit(.unregister(registration.id))
                throw AudioSessionError(error)
            }
        }
    }

    /// The bus for some ports of the route: one that lives, or a new one, which leads nowhere yet.
    func side(for uids: Set<String>, in engine: AudioEngine) throws(AudioEngineError) -> SessionBus {
        if let bus = sides.bus(for: uids) { return bus }
        let bus = try receiver.makeBus(in: engine)
        try bus.lead(to: [])
        sides.add(bus, for: uids)
        return bus
    }
}

/// Passes notices to a session that may be gone, and new gates to its buses: registration comes before both exist.
final class SessionReceiver: SessionObserver {
    private struct Target {
        weak var session: AudioSession?
        /// The newest.
        var gate: SessionGate?
        var buses: [Follower] = []
    }
    /// A bus, and the gate that it obeys.
    private struct Follower {
        weak var bus: SessionBus?
        var gate: SessionGate
    }
    private let target = Locked(Target())
    private let following = Locked(())

    func set(_ session: AudioSession) { target.withLock { $0.session = session } }

    func begin(with gate: SessionGate) {
        target.withLock { target in
            // One that came meanwhile is newer.
            if target.gate == nil { target.gate = gate }
        }
    }

    /// A bus that obeys the session's gate, and those to come.
    func makeBus(in engine: AudioEngine) throws(AudioEngineError) -> SessionBus {
        guard let gate = target.withLock({ $0.gate }) else { throw .engineGone }
        let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        target.withLock { target in
            target.buses.removeAll { $0.bus == nil }
            target.buses.append(Follower(bus: bus, gate: gate))
        }
        followGate()
        return bus
    }

    func receive(_ notice: SessionNotice) {
        followGate()
        let session = target.withLock { $0.session }
        session?.receive(notice)
    }

    func replaceGate(_ gate: SessionGate) {
        let session = target.withLock { target in
            target.gate = gate
            return target.session
        }
        followGate()
        // Another arbiter: it may know less than the one before.
        session?.host.noteDevicesLater()
    }

    /// Without memory, or room for a command, the last verdict holds, and the next notice tries again.
    private func followGate() {
        // One after the other: the newest page comes last.
        following.withLock { _ in
            let (gate, late) = target.withLock { target in
                (target.gate, target.buses.filter { $0.gate !== target.gate }.compactMap(\.bus))
            }
            guard let gate else { return }
            for bus in late where (try? bus.replaceGate(gate.page, owner: gate)) != nil {
                target.withLock { target in
                    if let place = target.buses.firstIndex(where: { $0.bus === bus }) {
                        target.buses[place].gate = gate
                    }
                }
            }
        }
    }
}

extension AudioSession {
    /// The bus that this session's sources play into, for apps that mix voices of their own: what plays there, or on the desk that leads there
    /// (`SessionBus.setGraph`), obeys the session, and goes to every output of its route. Throws when the session could not be made.
    public var bus: SessionBus {
        get throws { try connection.get().bus }
    }

    /// A bus of the session's desk by its name: `try session.bus("drums").gain = 0.8`. `session.bus.setGraph` makes the desk. Throws `AudioEngineError.noSuchBus`,
    /// or what kept the session from being made.
    public func bus(_ name: String) throws -> MixerBus { try bus.bus(name) }

    /// Whether a bus is one of this session's: its own, a further one, or one of their desks.
    package func has(_ bus: any AudioBus) -> Bool {
        guard case .success(let connection) = connection else { return false }
        return connection.buses.contains { $0 === bus.session }
    }

    /// A further bus of this session, which leads to these ports of its route alone: the cue to the headphones, the mix to the hall (keeps MULTI-1, MULTI-4).
    /// Streams for the left and the right ear go to one such bus, each by a channel map. When a port leaves the route, the bus goes on without it, and without
    /// any in silence; when it returns, it is heard there again. The bus lives as long as somebody holds it or plays on it; for equal ports there is one.
    /// Throws badParam without a port, and for one that is not in the route now.
    public func bus(to ports: [AudioSessionPortDescription]) throws -> SessionBus {
        let known = currentRoute.outputs
        guard !ports.isEmpty, ports.allSatisfy({ port in known.contains { $0.uid == port.uid } }) else {
            throw AudioSessionError(
                .badParam, rule: "MULTI-1",
                """
                A bus to \(ports.isEmpty ? "no port" : ports.map { "'\($0.uid)'" }.joined(separator: ", ")) was asked for; the route has \
                \(known.isEmpty ? "no outputs" : known.map { "'\($0.uid)'" }.joined(separator: ", ")). Give one of these at least, and only \
                these.
                """)
        }
        let (connection, engine) = (try connection.get(), try engine)
        do throws(AudioEngineError) {
            let bus = try connection.side(for: Set(ports.map(\.uid)), in: engine)
            followMode()
            host.patch(self)
            return bus
        } catch {
            throw AudioSessionError(error)
        }
    }

    /// The engine behind the bus. It renders while a session is active; opening, starting and closing it is the session's business.
    public var engine: AudioEngine {
        get throws { try host.engine.get() }
    }
}
