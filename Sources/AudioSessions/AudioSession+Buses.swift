public import AudioRendering

/// The buses of a session in the engine.
extension AudioSession {
    /// The bus that this session's sources play into, for apps that mix their own voices.
    ///
    /// The session controls everything that plays on this bus or on the mixer that feeds it
    /// (`SessionBus.setGraph`), and routes it to every output of its route. Throws when the session
    /// could not be created.
    public var bus: SessionBus {
        get throws { try registered.connection.get().bus }
    }

    /// Returns a bus of the session's mixer by its name: `try session.bus("drums").gain = 0.8`.
    /// `session.bus.setGraph` creates the mixer. Throws `AudioEngineError.noSuchBus`, or the error
    /// for which the session could not be created.
    public func bus(_ name: String) throws -> MixerBus { try bus.bus(name) }

    /// Returns whether a bus belongs to this session: its main bus, an auxiliary bus, or a bus of
    /// one of their mixers.
    package func has(_ bus: any AudioBus) -> Bool {
        registered.buses.contains { $0 === bus.session }
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
        let (connection, engine) = (try registered.connection.get(), try engine)
        do throws(AudioEngineError) {
            let bus = try connection.auxiliaryBus(for: Set(ports.map(\.uid)), in: engine)
            registered.applyMode()
            host.applyRoute(of: registered)
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
